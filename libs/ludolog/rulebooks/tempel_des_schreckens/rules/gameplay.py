"""Gameplay 1, Playing a Round: the Key Player opens a fellow player's chamber. Rulings T1, T2, T3, T10, T12."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Events, Refusal, Seat, TimedOut
from ludolog.rulebooks.tempel_des_schreckens.evolve import evolve
from ludolog.rulebooks.tempel_des_schreckens.rules.more_gameplay import what_follows
from ludolog.rulebooks.tempel_des_schreckens.state import Game, Row

SECTION = "Gameplay 1"


def open_chamber(game: Game, seat: Seat, command: pb.OpenChamber, chance: Chance) -> Events:
    """The Key Player alone decides which chamber of another player is opened (P2).

    Refuses: NOT_KEY_PLAYER, OWN_CHAMBER, NO_SUCH_CHAMBER, NO_CHAMBERS_LEFT, ALREADY_OPENED.
    """
    if seat != game.key_player:
        raise Refusal("NOT_KEY_PLAYER", SECTION, key_player=game.key_player)
    if command.owner == seat:
        raise Refusal("OWN_CHAMBER", SECTION, ruling="T1")
    require_closed(game, command.owner, command.slot)
    return _open(game, command.owner, command.slot, chance, at_random=False)


def open_by_default(game: Game, cause: TimedOut, chance: Chance) -> Events:
    """RULINGS L2: a Key Player whose time is up opens a chamber at random. Draw: "default opening"."""
    return open_at_random(game, chance)


def open_at_random(game: Game, chance: Chance) -> Events:
    """Any legal opening with equal chances. Draw: "default opening", choices by owner and slot."""
    owner, slot = chance.choose("default opening", list(openable(game)))
    return _open(game, owner, slot, chance, at_random=True)


def openable(game: Game) -> list[tuple[int, int]]:
    """Owner and slot of every chamber that the Key Player may open; never empty while the game is on (T3)."""
    return [
        (owner, slot)
        for owner, row in enumerate(game.rows, 1)
        if owner != game.key_player
        for slot in row.closed_slots()
    ]


def require_row(game: Game, owner: int) -> Row:
    """The row of a seat with chambers left to open. Refuses: NO_SUCH_CHAMBER, NO_CHAMBERS_LEFT."""
    if not 1 <= owner <= game.seats:
        raise Refusal("NO_SUCH_CHAMBER", SECTION, owner=owner, seats=game.seats)
    row = game.row(owner)
    if not row.closed:
        raise Refusal("NO_CHAMBERS_LEFT", SECTION, owner=owner, ruling="T3")
    return row


def require_closed(game: Game, owner: int, slot: int) -> None:
    """A chamber that is face down. Refuses: NO_SUCH_CHAMBER, NO_CHAMBERS_LEFT, ALREADY_OPENED."""
    row = require_row(game, owner)
    if not 1 <= slot <= len(row.chambers):
        raise Refusal("NO_SUCH_CHAMBER", SECTION, owner=owner, slot=slot, slots=len(row.chambers))
    if slot in row.opened:
        raise Refusal("ALREADY_OPENED", SECTION, owner=owner, slot=slot)


def _open(game: Game, owner: int, slot: int, chance: Chance, *, at_random: bool) -> Events:
    """The owner turns the chamber up (P3) and becomes Key Player (P4); then what follows by itself.

    That is the end, a redeal, and an opening at random where the new Key Player has resigned.
    """
    chamber = game.row(owner).chambers[slot - 1]
    opened = pb.ChamberOpened(
        by=game.key_player, owner=owner, slot=slot, chamber=pb.Chamber.ValueType(chamber), at_random=at_random
    )
    events = (opened, *what_follows(game, game.opened.plus(chamber), chance))
    if owner not in game.resigned:
        return events
    for event in events:
        game = evolve(game, event)
    return events if game.ending else (*events, *open_at_random(game, chance))
