"""What lies on the table besides the board, in short lines for a plain terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.board import plain_name
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables
from ludolog.rulebooks.warlock_of_firetop_mountain.telling import Told


def table_lines(tables: Tables, view: pb.View) -> Iterator[str]:
    """Rucksacks as far as they are known, the offer, the fight, encounters, what lies about, the maze, the chest."""
    for player in view.players:
        yield from _carried(tables, player, view.own.seat)
    if view.HasField("offer"):
        offer, told = view.offer, Told(tables, view.offer, {})
        yield f"Offer of {told.who} to {told.name(offer.to)}: {told.goods(offer.give)} for {told.goods(offer.take)}"
    if view.HasField("fight"):
        yield _fight(tables, view)
    yield from _joined("Met", map(_encounter, (room for room in view.rooms if room.HasField("encounter"))))
    yield from _joined("Lying about", _lying(tables, view))
    maze = {pb.MAZE_CARD_THROUGH: "a way through", pb.MAZE_CARD_DEAD_END: "a dead end"}
    yield from _joined("Maze", (f"{box.id} {maze[box.card]}" for box in view.maze if box.seen))
    for failed in view.chest_tries:
        numbers = "-".join(map(str, failed.numbers))
        yield f"Chest: player {failed.seat} tried {numbers}: {failed.wrong} wrong"


def _joined(title: str, parts: Iterable[str]) -> Iterator[str]:
    if text := "; ".join(parts):
        yield f"{title}: {text}"


def _carried(tables: Tables, player: pb.PlayerView, own: int) -> Iterator[str]:
    """The viewer's cards, or those that it knows of another rucksack."""
    known = [tables.treasures[slot.card.id].called for slot in player.rucksack if slot.HasField("card")]
    hidden = len(player.rucksack) - len(known)
    if known:
        known += [f"{hidden} face down"] * bool(hidden)
        yield f"{'Your cards' if player.seat == own else f'Player {player.seat} carries'}: {', '.join(known)}"


def _fight(tables: Tables, view: pb.View) -> str:
    fight, told = view.fight, Told(tables, view.fight, {})

    def side(seat: int) -> str:
        player = view.players[seat - 1]
        return f"player {seat} (SKILL {player.attack}, STAMINA {player.adventurer.stamina})"

    creature = (
        f"{told.creature(fight.encounter)} (SKILL {fight.skill}, STAMINA {fight.stamina})" if fight.encounter else ""
    )
    return f"Fight: {side(fight.seat)} against {creature or side(fight.opponent)}; rounds fought: {fight.rounds}"


def _encounter(room: pb.RoomView) -> str:
    card = room.encounter
    scores = f" (SKILL {card.skill}, STAMINA {card.stamina})" if card.stamina else ""
    return f"{card.title}{scores} in {plain_name(room.id)}"


def _lying(tables: Tables, view: pb.View) -> Iterator[str]:
    for item in view.items:
        card = tables.treasures[item.card.id].called if item.HasField("card") else "a card"
        grave = f" (grave of player {item.owner})" if item.owner else ""
        yield f"{card} in {plain_name(item.place)}{grave}"
