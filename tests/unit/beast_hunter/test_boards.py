"""Players see what isn't from the printed sheet, on the page and in the terminal."""

from __future__ import annotations

import pytest

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Seat, Seated
from ludolog.rulebooks import catalogue
from tests.unit.drawn import drawn

NAME = "beast_hunter"
CONTENT = catalogue.read_content(NAME)
OWNED = {**CONTENT, "sheet.toml": CONTENT["sheet.toml"].replace(b'"reconstruction"', b'"rulebook"')}


@pytest.mark.parametrize(("content", "shown"), [(CONTENT, True), (OWNED, False)], ids=["ours", "an owner's"])
def test_a_reconstruction_is_shown(content: dict[str, bytes], shown: bool) -> None:
    rulebook = catalogue.build(NAME, content)
    view = rulebook.view(rulebook.from_position(pb.Position(), 1, pb.Options()), Seated(Seat(1)))
    assert ("a reconstruction" in drawn(NAME, view)) == shown
    assert ("4 circles of each: a reconstruction" in rulebook.board_text(view, 100)) == shown
