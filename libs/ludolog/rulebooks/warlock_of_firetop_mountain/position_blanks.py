"""What a position leaves out about its turn, its battle, and what lies about: filled in before it is read.

Whatever is filled in can't stand in a game under way, so a whole position, as `position` writes it, stays as it is.
"""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.state import is_entrance, is_room

MOVING = {pb.WINDOW_KIND_CHALLENGE, pb.WINDOW_KIND_MOVE}
UNBORN = {pb.STAGE_PIECE, pb.STAGE_CHARACTER}


def filled(message: pb.Position, seats: int, entrance: str) -> pb.Position:
    """A copy in which the turn, the window, the battle and the items say everything that follows from the rest."""
    full = pb.Position()
    full.CopyFrom(message)
    if full.ending:
        return full
    players = {player.seat: player for player in full.players}
    for number, item in enumerate(full.items, 1 + max((item.item for item in full.items), default=0)):
        item.item = item.item or number
    if full.HasField("fight"):
        _battle(full, players, seats, entrance)
    if full.HasField("offer"):
        _offered(full.offer, players)
    if _in_set_up(full):
        _set_up(full)
        return full
    first = next((seat for seat in range(1, seats + 1) if _plays(players.get(seat))), 1)
    full.turn.seat = full.turn.seat or full.window.seat or full.fight.seat or first
    full.turn.number = full.turn.number or 1
    full.turn.round = full.turn.round or 1
    if full.HasField("window"):
        full.window.seat = full.window.seat or _decides(full)
    else:
        _landed(full)
    _move(full, players.get(full.turn.seat))
    _turned_up(full)
    if not full.HasField("pvp_unlocked"):
        playing = [players.get(seat) for seat in range(1, seats + 1) if _plays(players.get(seat))]
        left = all(player and not player.dead and player.adventurer.left_a_room for player in playing)
        full.pvp_unlocked = left or bool(full.fight.opponent)
    return full


def _plays(player: pb.PlayerPosition | None) -> bool:
    return player is None or player.stage != pb.STAGE_PASSIVE


def _in_set_up(full: pb.Position) -> bool:
    """Said, or by the first adventurers that aren't there yet."""
    if full.HasField("window"):
        return full.window.kind == pb.WINDOW_KIND_SET_UP
    unborn = any(player.stage in UNBORN and not player.lives and not player.dead for player in full.players)
    return unborn and not full.HasField("turn") and not full.HasField("fight")


def _set_up(full: pb.Position) -> None:
    """1.5: the six Key Cards outside the chest wait until everybody is there."""
    full.window.kind = pb.WINDOW_KIND_SET_UP
    held = {card for player in full.players for card in player.key_cards}
    if not held and not full.undealt:
        chest = full.chest or [1, 2, 3]
        full.undealt.extend(pb.KeyCard.ValueType(card) for card in range(1, 10) if card not in chest)


def _battle(full: pb.Position, players: dict[int, pb.PlayerPosition], seats: int, entrance: str) -> None:
    """Who fights stands where the battle is; a creature's card lies face up in its room."""
    fight = full.fight
    known = [player.adventurer.place for player in (players.get(fight.seat), players.get(fight.opponent)) if player]
    fight.place = fight.place or next(filter(None, known), entrance)
    if fight.escaped:
        return
    for seat in {fight.seat, fight.opponent} & set(range(1, seats + 1)):
        player = players.get(seat) or full.players.add(seat=seat)
        if not player.adventurer.place and not player.dead:
            player.adventurer.place = fight.place
    if fight.encounter and is_room(fight.place):
        room = next((room for room in full.rooms if room.id == fight.place), None) or full.rooms.add(id=fight.place)
        if not room.HasField("encounter"):
            room.encounter = fight.encounter
        if not room.HasField("face_up"):
            room.face_up = True


def _offered(offer: pb.Offer, players: dict[int, pb.PlayerPosition]) -> None:
    """W3: both know the Treasure Cards of an offer."""
    for goods, owner, other in ((offer.give, offer.seat, offer.to), (offer.take, offer.to, offer.seat)):
        for held in players[owner].rucksack if owner in players else ():
            if held.card in goods.cards and not held.shown and other not in held.known_by:
                held.known_by.append(other)


def _turned_up(full: pb.Position) -> None:
    """7.7: a card that is dealt with, or holds somebody in its cage, lies face up."""
    dealing = full.window.seat if full.window.kind == pb.WINDOW_KIND_ENCOUNTER else 0
    places = {player.adventurer.place for player in full.players if player.adventurer.caged or player.seat == dealing}
    for room in full.rooms:
        if room.id in places and room.encounter and not room.HasField("face_up"):
            room.face_up = True


def _decides(full: pb.Position) -> int:
    """Who decides in a window that doesn't say it."""
    fight = full.fight
    match full.window.kind:
        case pb.WINDOW_KIND_FIGHT:
            return fight.opponent if fight.agreed else fight.seat
        case pb.WINDOW_KIND_SPOILS:
            return fight.opponent if fight.escaped == fight.seat else fight.seat
        case pb.WINDOW_KIND_FLIGHT:
            return fight.escaped
    return full.turn.seat


def _landed(full: pb.Position) -> None:
    """14.2: whoever stands on a Secret Passage space has landed there, apart from who is on the way in this turn."""
    turn = full.turn
    on_the_way = turn.seat if turn.die or turn.acted or turn.came_out else 0
    for player in full.players:
        if player.seat != on_the_way and player.adventurer.place and is_entrance(player.adventurer.place):
            player.adventurer.in_passage = True


def _move(full: pb.Position, player: pb.PlayerPosition | None) -> None:
    """A roll that isn't used yet: all its spaces are left, and what 10.3 asks for counts in this move."""
    turn, given = full.turn, full.HasField("window")
    if not given and turn.die and not turn.pips_left and not full.HasField("fight"):
        turn.pips_left = turn.die
        full.window.kind = pb.WINDOW_KIND_CHALLENGE if turn.die == 1 else pb.WINDOW_KIND_MOVE
        full.window.seat = turn.seat
    moving = full.window.kind in MOVING if full.HasField("window") else bool(turn.pips_left)
    if not moving:
        return
    turn.die = turn.die or turn.pips_left or int(full.window.kind == pb.WINDOW_KIND_CHALLENGE)
    turn.pips_left = turn.pips_left or turn.die
    if player is not None:
        turn.started_at = turn.started_at or player.adventurer.place
        turn.must_leave = turn.must_leave or player.adventurer.must_leave
        player.adventurer.must_leave = ""
