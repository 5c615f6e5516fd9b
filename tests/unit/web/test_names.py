"""Texts of the rules call players by seat; the page calls them by name."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.tidy.tree import ROOT

NODE = shutil.which("node")
PAGE = ROOT / "services" / "web" / "page"


def named(entry: dict[str, Any], names: dict[int, str]) -> Any:
    """What the page's `named` makes of a legal command."""
    if NODE is None:
        pytest.skip("node isn't installed: the browser suite shows names in Chromium")
    source = json.dumps((PAGE / "dom.js").as_uri())
    call = f"named({json.dumps(entry)}, {json.dumps(names)})"
    script = f"import {{named}} from {source}; process.stdout.write(JSON.stringify({call}))"
    done = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def choice(key: str, text: str) -> dict[str, Any]:
    return {"id": key, "label": {"text": text}}


def test_a_label_and_what_is_chosen_from_name_the_players() -> None:
    amount = {"path": "tell.amount", "range": {"maximum": 9}}
    whose = {
        "path": "tell.owner",
        "choices": {"maximum": 1, "choices": [choice("0", "the chest"), choice("3", "player 3")]},
    }
    entry = {"label": {"key": "tell", "text": "Tell player 2 who has it"}, "parameters": [amount, whose]}
    shown = named(entry, {2: "Bob", 3: "Cleo"})
    assert shown["label"] == {"key": "tell", "text": "Tell Bob who has it"}
    assert shown["parameters"][0] == amount
    assert shown["parameters"][1]["choices"]["choices"] == [choice("0", "the chest"), choice("3", "Cleo")]
    assert shown["parameters"][1]["choices"]["maximum"] == 1


def test_who_has_no_name_is_called_by_seat() -> None:
    entry = {"label": {"text": "Tell player 4 who has it"}}
    assert named(entry, {2: "Bob"}) == entry
