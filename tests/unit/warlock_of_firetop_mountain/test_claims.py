"""What is said about keys: told to one, hidden from all others, kept by both, and no proof (12.4, 12.5, W14)."""

from __future__ import annotations

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import OMNISCIENT, SPECTATOR, Commanded, Seat, Seated, Viewer, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.board_text import draw
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import chest_triples
from ludolog.rulebooks.warlock_of_firetop_mountain.notebook import Notebook
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.chance import SeededChance
from tests.unit.drawn import drawn

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
TABLES = read_tables(RULEBOOK.content)
NAMES = {1: "Ann", 2: "Bob", 3: "Cleo <b>"}
SAID = [
    pb.MakeClaim(to=2, number=9, owner=1, holds=True),
    pb.MakeClaim(to=2, number=9, owner=1),
    pb.MakeClaim(to=2, number=1, holds=True),
    pb.MakeClaim(to=2, number=5, owner=3, holds=True),
]
"""What seat 1 might say to seat 2: a lie, the truth, something that it can't know, something about a third player."""
OUTSIDE: list[Viewer] = [Seated(Seat(3)), Seated(Seat(4)), SPECTATOR]
"""Seat 3 stands on the same space, seat 4 elsewhere."""


def table() -> Game:
    """Seats 1 to 3 on one space, seat 4 elsewhere; seat 1 is on turn."""
    players = [{"seat": 1, "key_cards": [4, 5]}, {"seat": 4, "adventurer": {"place": "c12_3"}}]
    game = RULEBOOK.from_position(json_format.ParseDict({"players": players}, pb.Position()), 4, pb.Options())
    assert isinstance(game, Game)
    return game


def say(game: Game, claim: pb.MakeClaim) -> tuple[Message, Game]:
    """The event, and the game after it."""
    (event,) = judge(RULEBOOK, game, Commanded(Seat(1), claim), 4, BlockChance(None))
    after = RULEBOOK.evolve(game, event)
    assert isinstance(after, Game)
    return event, after


def sent(viewer: Viewer, claim: pb.MakeClaim) -> tuple[bytes, ...]:
    """Everything that a viewer is sent because of a claim."""
    before = table()
    event, after = say(before, claim)
    messages = [RULEBOOK.view(after, viewer), *RULEBOOK.feed(before, event, after, viewer)]
    if isinstance(viewer, Seated):
        messages += [entry.command for entry in RULEBOOK.legal_commands(after, viewer.seat)]
    return tuple(message.SerializeToString(deterministic=True) for message in messages)


@pytest.mark.parametrize("viewer", OUTSIDE, ids=str)
def test_others_cant_tell_what_was_said(viewer: Viewer) -> None:
    assert len({sent(viewer, claim) for claim in SAID}) == 1


@pytest.mark.parametrize("viewer", [Seated(Seat(1)), Seated(Seat(2)), OMNISCIENT], ids=str)
def test_the_two_know_what_was_said(viewer: Viewer) -> None:
    assert len({sent(viewer, claim) for claim in SAID}) == len(SAID)


def test_a_claim_changes_notebooks_and_the_count_of_talk_alone() -> None:
    before = table()
    _, after = say(before, SAID[0])
    told, heard = after.players[0].notebook.told, after.players[1].notebook.heard
    assert [(one.seat, one.number, one.owner, one.holds, one.turn) for one in told] == [(2, 9, 1, True, 1)]
    assert [(one.seat, one.number, one.owner, one.holds, one.turn) for one in heard] == [(1, 9, 1, True, 1)]
    assert after.talks == (1, 0, 0, 0)
    players = tuple(replace(player, notebook=Notebook()) for player in after.players)
    assert replace(after, players=players, talks=before.talks) == before


@pytest.mark.parametrize("seat", [1, 2])
def test_an_imagined_world_keeps_what_was_said(seat: int) -> None:
    _, game = say(table(), SAID[2])
    viewer = Seated(Seat(seat))
    imagined = RULEBOOK.determinize(RULEBOOK.view(game, viewer), viewer, SeededChance("claims"))
    assert isinstance(imagined, Game)
    assert imagined.player(seat).notebook == game.player(seat).notebook


def test_house_players_believe_nothing() -> None:
    before = table()
    _, after = say(before, SAID[2])
    viewer = Seated(Seat(2))
    was, now = RULEBOOK.view(before, viewer), RULEBOOK.view(after, viewer)
    assert isinstance(was, pb.View)
    assert isinstance(now, pb.View)
    assert now.own.notebook.heard
    assert chest_triples(now) == chest_triples(was)


def test_a_notebook_doesnt_grow_without_end() -> None:
    """Whatever is said again takes the place of what was said before."""
    game = table()
    for turn in range(3):
        for claim in SAID:
            event = pb.ClaimMade(seat=1, to=2, number=claim.number, owner=claim.owner, holds=claim.holds)
            after = RULEBOOK.evolve(game, event)
            assert isinstance(after, Game)
            game = after
        assert len(game.player(2).notebook.heard) == len(SAID), turn


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (pb.ClaimMade(seat=1, to=2), "Ann talks to Bob."),
        (pb.ClaimMade(seat=1, to=2, number=9, owner=1, holds=True), "Ann tells Bob: key 9 is with Ann."),
        (pb.ClaimMade(seat=1, to=2, number=9, owner=4), "Ann tells Bob: key 9 is not with player 4."),
        (pb.ClaimMade(seat=1, to=2, number=9, holds=True), "Ann tells Bob: key 9 is in the chest."),
    ],
)
def test_a_claim_is_told_in_a_line(event: pb.ClaimMade, line: str) -> None:
    assert RULEBOOK.tell is not None
    assert RULEBOOK.tell(event, NAMES, pb.View()) == line


def heard_by_bob() -> pb.View:
    seen = RULEBOOK.view(say(table(), SAID[3])[1], Seated(Seat(2)))
    assert isinstance(seen, pb.View)
    return seen


def test_the_terminal_says_that_nothing_is_proven() -> None:
    drawing = draw(TABLES, heard_by_bob(), 80)
    assert "Said by player 1, not proven: key 5 is with player 3 (turn 1)" in drawing
    assert "Your Key Cards: " in drawing


def test_the_page_says_so_too_and_leaves_the_grid_alone() -> None:
    view = heard_by_bob()
    page = drawn(RULEBOOK.name, view, seat=2, names=NAMES)
    line = "Said by Ann, not proven: key 5 is with Cleo &#60;b&#62; (turn 1)"
    assert line in page
    del view.own.notebook.heard[:]
    without = drawn(RULEBOOK.name, view, seat=2, names=NAMES)
    before, _, rest = page.partition('<ul aria-label="Said about keys, not proven"')
    _, _, after = rest.partition("</ul>")
    assert before + after == without
