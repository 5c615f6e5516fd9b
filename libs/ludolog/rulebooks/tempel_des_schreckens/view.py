"""What a seat, a spectator and an omniscient reader may see (digest 4.3). Built from nothing.

A seat knows its own role and how many chambers of each kind it was dealt, never where one lies; nobody else knows more
than what was opened. Rulings T5, T6, T7, T10, T14.
"""

from __future__ import annotations

from functools import lru_cache

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Omniscient, Seat, Seated, Viewer
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import ROUNDS, TALKS, Chamber, Game, Role, Row, hand_size

REMEMBERED = 64
"""Tables that are kept while one audience after the other looks at them."""
FACE_DOWN = pb.CHAMBER_UNSPECIFIED


def view(game: Game, viewer: Viewer) -> pb.View:
    """The table as this viewer sees it: what everybody sees, then what only this viewer does."""
    seen = pb.View()
    seen.CopyFrom(_table(game))
    if isinstance(viewer, Seated) and 1 <= viewer.seat <= len(game.roles):
        seen.players[viewer.seat - 1].role = words.role(game.roles[viewer.seat - 1])
        seen.own.CopyFrom(_own(game, viewer.seat))
    elif isinstance(viewer, Omniscient):
        for player, role in zip(seen.players, game.roles, strict=False):
            player.role = words.role(role)
        seen.hidden.CopyFrom(_hidden(game))
    return seen


@lru_cache(REMEMBERED)
def _table(game: Game) -> pb.View:
    """What everybody sees: made once for all who look. It is copied, never changed."""
    seen = pb.View(
        seats=game.seats,
        round=game.round,
        rounds=ROUNDS,
        chambers_each=hand_size(game.round) if game.round else 0,
        key_player=game.key_player,
        openings_left=game.seats - game.opened_this_round if game.round and not game.ending else 0,
        opened=words.counts(game.opened),
        stacks=words.counts(game.stacks()),
        chambers=words.counts(game.chambers),
        roles=words.role_pack(game.role_pack),
        role_set_aside=game.role_pack.total > game.seats,
        memory_mode=game.memory_mode,
        players=[_player(game, Seat(seat)) for seat in range(1, game.seats + 1)],
        openings=[words.opening(opening) for opening in game.openings],
        claims=[words.claim(claim) for claim in game.claims],
        points=[words.point(point) for point in game.points],
    )
    if game.ending:
        seen.ending = pb.EndReason.ValueType(game.ending)
        seen.winner = pb.Team.ValueType(game.ending.winner)
    return seen


def _player(game: Game, seat: Seat) -> pb.View.Player:
    """A player as everybody knows it: roles are shown after the end (G4), before that each its own (T6)."""
    row = game.row(seat) if game.rows else Row(())
    return pb.View.Player(
        seat=seat,
        closed=row.closed,
        row=[
            pb.Chamber.ValueType(chamber) if slot in row.opened else FACE_DOWN
            for slot, chamber in enumerate(row.chambers, 1)
        ],
        role=words.role(game.roles[seat - 1]) if game.ending and game.roles else pb.ROLE_UNSPECIFIED,
        resigned=seat in game.resigned,
        talks_left=TALKS - game.talks[seat - 1],
    )


def _own(game: Game, seat: Seat) -> pb.View.Own:
    own = pb.View.Own(seat=seat, role=words.role(game.roles[seat - 1]))
    if game.rows and shows_own_counts(game):
        own.dealt.CopyFrom(words.counts(game.row(seat).dealt()))
        own.closed.CopyFrom(words.counts(game.row(seat).face_down()))
    return own


def shows_own_counts(game: Game) -> bool:
    """T5: all the time; in memory mode only from the deal to the round's first opening."""
    return not game.memory_mode or game.opened_this_round == 0


def _hidden(game: Game) -> pb.View.Hidden:
    return pb.View.Hidden(roles=words.roles(game.roles), leftover=words.role(game.leftover), rows=words.rows(game.rows))


def may_recall(game: Game, viewer: Viewer) -> bool:
    """In memory mode a seat isn't shown again what it was dealt, until the match is over."""
    return not (game.memory_mode and game.ending is None and isinstance(viewer, Seated))


def secrets(game: Game, viewer: Viewer) -> tuple[str, ...]:
    """Faces that this viewer has never seen: their names would tell where one lies or who somebody is.

    The name of a role stands nowhere but on a card whose face is known, that of a chamber nowhere but on an opened one.
    """
    if isinstance(viewer, Omniscient):
        return ()
    opened = {opening.chamber for opening in game.openings}
    hidden = [f"CHAMBER_{chamber.name}" for chamber in Chamber if chamber not in opened]
    known = set(game.roles) if game.ending else set()
    if isinstance(viewer, Seated) and game.roles:
        known.add(game.roles[viewer.seat - 1])
    return (*hidden, *(f"ROLE_{role.name}" for role in Role if role not in known))
