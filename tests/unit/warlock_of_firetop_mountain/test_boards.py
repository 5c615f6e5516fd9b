"""Players see what isn't from the box, on the page and in the terminal."""

from __future__ import annotations

import re

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Seat, Seated
from ludolog.rulebooks import catalogue
from tests.unit.drawn import drawn

NAME = "warlock_of_firetop_mountain"
CONTENT = catalogue.read_content(NAME)
NOTE = "Reconstructed, not as printed in the box: "
PARTS = ["board", "Encounter Cards", "Treasure Cards", "Escape Table, bridge and prices"]
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def owned(*files: str) -> dict[str, bytes]:
    """Content in which nothing of these files is a reconstruction."""
    return {
        name: data.replace(b'"reconstruction"', b'"rulebook"') if name in files else data
        for name, data in CONTENT.items()
    }


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (CONTENT, PARTS),
        (owned("board.toml"), PARTS),
        (owned("board.toml", "two_hour.toml", "wide.toml"), PARTS[1:]),
        (owned("encounters.toml", "tables.toml"), ["board", "Treasure Cards"]),
        (owned(*CONTENT), []),
    ],
)
def test_reconstructions_are_shown(content: dict[str, bytes], parts: list[str]) -> None:
    rulebook = catalogue.build(NAME, content)
    assert rulebook.printed is not None
    printed = json_format.MessageToDict(rulebook.printed, preserving_proto_field_name=True)
    assert printed.get("reconstructed", []) == parts
    view = rulebook.view(rulebook.from_position(pb.Position(), 2, pb.Options()), Seated(Seat(1)))
    page = drawn(NAME, view, seat=1, printed=printed)
    text = " ".join(ANSI.sub("", rulebook.board_text(view, 80)).split())
    note = f"{NOTE}{'; '.join(parts)}." if parts else ""
    for shown in (page, text):
        assert note in shown
        assert (NOTE in shown) == bool(parts)
