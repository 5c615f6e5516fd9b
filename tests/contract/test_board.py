"""What the page asks of a room's drawing: `draw` and `tell` as exports, and nothing from elsewhere."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from ludolog.rulebooks import catalogue


@pytest.mark.parametrize("name", catalogue.names())
def test_a_board_draws_and_tells_and_loads_nothing(name: str) -> None:
    script = (resources.files(f"ludolog.rulebooks.{name}") / "board.js").read_text(encoding="utf-8")
    exported = set(re.findall(r"^export (?:const|function) (\w+)", script, re.MULTILINE))
    assert exported >= {"draw", "tell"}
    code = re.sub(r"^\s*//.*$", "", script, flags=re.MULTILINE)
    assert not re.search(r"\bimport\b|\bfetch\(|\beval\(|innerHTML|document\.|window\.", code)
    addresses = set(re.findall(r"https?://[^\"'`\s]*", code))
    assert addresses <= {"http://www.w3.org/2000/svg"}
