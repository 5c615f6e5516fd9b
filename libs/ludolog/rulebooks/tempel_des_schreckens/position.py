"""The whole state as a message and back: for scenarios and debugging. What a position leaves out is filled in."""

from __future__ import annotations

from collections import Counter

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Seat
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import (
    ROUNDS,
    TALKS,
    Chamber,
    Claim,
    Counts,
    EndReason,
    Game,
    Opening,
    Point,
    Role,
    RolePack,
    Row,
    hand_size,
)
from ludolog.rulebooks.tempel_des_schreckens.tables import Tables
from ludolog.rulebooks.tempel_des_schreckens.words import from_message


def position(game: Game) -> pb.Position:
    """The whole state; the options aren't part of it."""
    return pb.Position(
        round=game.round,
        key_player=game.key_player,
        roles=words.roles(game.roles),
        leftover=words.role(game.leftover),
        rows=words.rows(game.rows),
        stacks=words.counts(game.stacks()),
        openings=[words.opening(opening) for opening in game.openings],
        claims=[words.claim(claim) for claim in game.claims],
        points=[words.point(point) for point in game.points],
        talks=game.talks,
        resigned=game.resigned,
        ending=pb.EndReason.ValueType(game.ending or 0),
    )


def from_position(tables: Tables, message: pb.Position, seats: int, options: pb.Options) -> Game:
    """A state from a position, filled in as the proto says. ValueError for one that can't come about."""
    round_number = message.round or 1
    if seats not in tables.chambers or not 1 <= round_number <= ROUNDS:
        raise ValueError(f"no round {round_number} for {seats} players")
    stacks = from_message(Counts, message.stacks)
    if stacks.total != seats * (round_number - 1):
        raise ValueError(f"round {round_number} begins with {seats * (round_number - 1)} chambers in the stacks")
    chambers = tables.chambers[seats]
    face_down = chambers.minus(stacks)
    if min(face_down.empty, face_down.gold, face_down.fire) < 0:
        raise ValueError(f"the stacks hold more cards than there are: {stacks}")
    faces = _rows(message, seats, hand_size(round_number), face_down)
    openings = tuple(_opening(opening, round_number, faces) for opening in message.openings)
    now = tuple(opening for opening in openings if opening.round == round_number)
    roles, leftover = _roles(message, tables.roles[seats], seats)
    starter = now[-1].owner if now else options.starting_player or 1
    game = Game(
        memory_mode=options.memory_mode,
        role_pack=tables.roles[seats],
        chambers=chambers,
        roles=roles,
        leftover=leftover,
        round=round_number,
        key_player=Seat(message.key_player or starter),
        rows=tuple(Row(row, tuple(o.slot for o in now if o.owner == seat)) for seat, row in enumerate(faces, 1)),
        opened=_opened(stacks, now),
        openings=openings,
        claims=tuple(from_message(Claim, claim) for claim in message.claims),
        points=tuple(from_message(Point, point) for point in message.points),
        talks=tuple(message.talks) or (0,) * seats,
        resigned=tuple(Seat(seat) for seat in message.resigned),
        ending=EndReason(message.ending) if message.ending else None,
    )
    _check(game, seats, now)
    return game


def _rows(message: pb.Position, seats: int, each: int, on_table: Counts) -> list[tuple[Chamber, ...]]:
    given = {row.seat: tuple(Chamber(chamber) for chamber in row.chambers) for row in message.rows}
    if len(given) != len(message.rows) or any(
        not 1 <= seat <= seats or len(row) != each for seat, row in given.items()
    ):
        raise ValueError(f"rows: one of {each} chambers for each seat, 1 to {seats}")
    rest = Counter(on_table.cards())
    rest.subtract(chamber for row in given.values() for chamber in row)
    if min(rest.values()) < 0:
        raise ValueError(f"rows and stacks hold more cards than there are: {dict(rest)}")
    deck = iter(sorted(rest.elements()))
    return [given.get(seat) or tuple(next(deck) for _ in range(each)) for seat in range(1, seats + 1)]


def _roles(message: pb.Position, pack: RolePack, seats: int) -> tuple[tuple[Role, ...], Role | None]:
    roles = tuple(Role(role) for role in message.roles) or pack.cards()[:seats]
    rest = Counter(pack.cards())
    rest.subtract(roles)
    if len(roles) != seats or min(rest.values()) < 0:
        raise ValueError(f"roles: {seats} of {pack}")
    leftover = next(rest.elements(), None)
    if message.leftover and words.role(leftover) != message.leftover:
        raise ValueError(f"leftover: {leftover!r} is what the roles leave over")
    return roles, leftover


def _opening(message: pb.Opening, round_number: int, faces: list[tuple[Chamber, ...]]) -> Opening:
    filled = pb.Opening()
    filled.CopyFrom(message)
    if filled.round == round_number:
        if not 1 <= filled.owner <= len(faces) or not 1 <= filled.slot <= len(faces[0]) or filled.by == filled.owner:
            raise ValueError(f"openings: nobody can have opened {message}")
        face = faces[filled.owner - 1][filled.slot - 1]
        if filled.chamber not in {0, face}:
            raise ValueError(f"openings: the row has {face!r} there, not {message}")
        filled.chamber = pb.Chamber.ValueType(face)
    return from_message(Opening, filled)


def _opened(stacks: Counts, now: tuple[Opening, ...]) -> Counts:
    for opening in now:
        stacks = stacks.plus(opening.chamber)
    return stacks


def _check(game: Game, seats: int, now: tuple[Opening, ...]) -> None:
    people = (game.key_player, *game.resigned, *(claim.seat for claim in game.claims), *(p.seat for p in game.points))
    if any(not 1 <= seat <= seats for seat in people):
        raise ValueError(f"key_player, resigned, claims, points: seats are 1 to {seats}")
    if len(game.talks) != seats or any(not 0 <= talks <= TALKS for talks in game.talks):
        raise ValueError(f"talks: one number for each seat, 0 to {TALKS}")
    if now and (now[-1].owner != game.key_player or game.openings[-len(now) :] != now):
        raise ValueError("openings: in order, and the key is with the owner of the last one")
    if len({(opening.owner, opening.slot) for opening in now}) != len(now):
        raise ValueError("openings: a chamber is opened twice")
    left = game.chambers.minus(game.opened)
    over = len(now) >= seats or left.gold == 0 or left.fire == 0
    if over and game.ending is None:
        raise ValueError("the round, or the game, would be over")
