"""Full states made from a view: worlds that its viewer can't tell from the real one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Seat, Viewer
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import (
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
)
from ludolog.rulebooks.tempel_des_schreckens.words import from_message


def determinize(seen: pb.View, viewer: Viewer, chance: Chance) -> Game:
    """A state drawn evenly from all that show this viewer this view. Draws: "hidden roles", "hidden chambers"."""
    pack = RolePack(seen.roles.adventurers, seen.roles.guardians)
    roles, leftover = _roles(seen, pack, chance)
    ending = EndReason(seen.ending) if seen.ending else None
    return Game(
        memory_mode=seen.memory_mode,
        role_pack=pack,
        chambers=from_message(Counts, seen.chambers),
        roles=roles,
        leftover=leftover,
        round=seen.round,
        key_player=Seat(seen.key_player),
        rows=_rows(seen, chance),
        opened=from_message(Counts, seen.opened),
        openings=tuple(from_message(Opening, opening) for opening in seen.openings),
        claims=tuple(from_message(Claim, claim) for claim in seen.claims),
        points=tuple(from_message(Point, point) for point in seen.points),
        talks=tuple(TALKS - player.talks_left for player in seen.players),
        resigned=tuple(Seat(player.seat) for player in seen.players if player.resigned),
        ending=ending,
    )


def _roles(seen: pb.View, pack: RolePack, chance: Chance) -> tuple[tuple[Role, ...], Role | None]:
    """Known roles stay; the rest of the pack is shuffled over the others and the card that was set aside."""
    known = [words.role_from(player.role) for player in seen.players]
    rest = list((Counter(pack.cards()) - Counter(role for role in known if role)).elements())
    if seen.hidden.leftover:
        return tuple(Role(role) for role in seen.hidden.roles), words.role_from(seen.hidden.leftover)
    dealt = list(chance.shuffle("hidden roles", sorted(rest))) if rest else []
    roles = tuple([role or dealt.pop() for role in known])
    return roles, dealt.pop() if dealt else None


def _rows(seen: pb.View, chance: Chance) -> tuple[Row, ...]:
    """Opened chambers stay; what is face down is shuffled over the closed slots, the viewer's own share apart."""
    if seen.HasField("hidden"):
        faces = {row.seat: [Chamber(chamber) for chamber in row.chambers] for row in seen.hidden.rows}
        return tuple(_row(seen, player.seat, faces[player.seat]) for player in seen.players)
    face_down = from_message(Counts, seen.chambers).minus(from_message(Counts, seen.opened))
    own: list[Chamber] = []
    if seen.own.HasField("closed"):
        closed = from_message(Counts, seen.own.closed)
        face_down = face_down.minus(closed)
        own = list(chance.shuffle("hidden chambers", closed.cards()))
    others = list(chance.shuffle("hidden chambers", face_down.cards()))
    rows = []
    for player in seen.players:
        deck = own if seen.own.HasField("closed") and player.seat == seen.own.seat else others
        rows.append(_row(seen, player.seat, [Chamber(face) if face else deck.pop() for face in player.row]))
    return tuple(rows)


def _row(seen: pb.View, seat: int, faces: Sequence[Chamber]) -> Row:
    """The slots of this round's openings, in the order in which they were opened."""
    opened_now = seen.opened.empty + seen.opened.gold + seen.opened.fire
    opened_now -= seen.stacks.empty + seen.stacks.gold + seen.stacks.fire
    recent = seen.openings[len(seen.openings) - opened_now :]
    return Row(tuple(faces), tuple(opening.slot for opening in recent if opening.owner == seat))
