"""A sixth game is its room, its proto, its scenarios, one catalogue line; nothing else has to change."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from ludolog.testkit.new_rulebook import CantMake, make
from tests.contract.new_room import NAME, Checkout, with_new_room
from tests.tidy.test_tree import too_long
from tests.tidy.tree import parsed


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return with_new_room(tmp_path_factory.mktemp("checkout"))


def test_only_the_catalogue_is_changed(checkout: Checkout) -> None:
    changed = [path for path, data in checkout.copied.items() if (checkout.root / path).read_bytes() != data]
    assert changed == [Path("libs/ludolog/rulebooks/catalogue.py")]


def test_its_scenarios_pass(checkout: Checkout) -> None:
    done = checkout.python("-m", "ludolog.cli", "scenario", f"tests/scenarios/{NAME}", "--json")
    assert json.loads(done.stdout)["passed"] == 9


def test_it_keeps_the_contract(checkout: Checkout) -> None:
    suites = ["tests/contract", "tests/scenarios", "tests/golden", "tests/tidy"]
    checkout.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *suites, "-k", f"{NAME} and not new_rulebook")


def test_it_can_be_simulated_and_every_record_holds(checkout: Checkout) -> None:
    arguments = ["simulate", "--rulebook", NAME, "--seats", "2-4", "--matches", "30", "--seed", "1", "--json"]
    figures = json.loads(checkout.python("-m", "ludolog.cli", *arguments, "--records", "records").stdout)
    assert figures["faults"] == 0
    assert figures["endings"] == {"MOST_TRICKS": 30}
    records = sorted(str(path) for path in (checkout.root / "records").iterdir())
    assert json.loads(checkout.python("-m", "ludolog.cli", "verify", "--json", *records).stdout)["holds"]


def test_its_code_is_clean(checkout: Checkout) -> None:
    room = f"libs/ludolog/rulebooks/{NAME}"
    checkout.python("-m", "ruff", "check", "--no-cache", room)
    checkout.python("-m", "ruff", "format", "--no-cache", "--check", room)
    checkout.python("-m", "mypy", "--cache-dir", "mypy-cache", room)
    checkout.python("-m", "tools.protos", "lint")
    for file in (checkout.root / room).rglob("*.py"):
        long = [one.name for one in ast.walk(parsed(file)) if isinstance(one, ast.FunctionDef) and too_long(one)]
        assert not long, file.name


def test_nothing_is_overwritten(checkout: Checkout) -> None:
    with pytest.raises(CantMake, match="stands in the catalogue already"):
        make(NAME, checkout.root)
    with pytest.raises(CantMake, match="lower_snake"):
        make("Not-A-Name", checkout.root)
    with pytest.raises(CantMake, match="isn't a checkout"):
        make("another", checkout.root / "libs")
