"""What a rulebook says about itself."""

from __future__ import annotations

import enum
import importlib
import re
import tomllib
from fnmatch import fnmatch
from importlib import resources
from pkgutil import walk_packages
from typing import Any

import jsonschema
import msgspec
import pytest
from google.protobuf import json_format

from ludolog.kernel import Refusal, Rulebook
from ludolog.rulebooks import catalogue
from ludolog.testkit.matching import as_json
from tests.contract.matches import Case, option_sets, seated
from tests.tidy.tree import ROOT

HOW_TO_PLAY_BYTES = 8 * 1024
RULEBOOKS = [catalogue.load(name) for name in catalogue.names()]
every_rulebook = pytest.mark.parametrize("rulebook", RULEBOOKS, ids=lambda rulebook: rulebook.name)


@every_rulebook
def test_its_name_is_that_of_its_room(rulebook: Rulebook[Any]) -> None:
    assert rulebook.name in catalogue.names()
    package = f"ludolog.api.games.{rulebook.name}.v1"
    for message in (rulebook.command_type, rulebook.event_type, rulebook.view_type, rulebook.options_type):
        assert message.DESCRIPTOR.file.package == package


@every_rulebook
def test_options_are_described(rulebook: Rulebook[Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(rulebook.options_schema)
    fields = {field.name for field in rulebook.options_type.DESCRIPTOR.fields}
    assert set(rulebook.options_schema.get("properties", {})) == fields
    for options in option_sets(rulebook):
        jsonschema.validate(as_json(options), rulebook.options_schema)
        assert json_format.ParseDict(as_json(options), rulebook.options_type()) == options


@every_rulebook
@pytest.mark.parametrize("beyond", [-1, 1])
def test_other_numbers_of_seats_are_refused(rulebook: Rulebook[Any], beyond: int) -> None:
    seats = rulebook.seats[-1] + 1 if beyond > 0 else rulebook.seats[0] - 1
    with pytest.raises(Refusal, match="WRONG_PLAYER_COUNT"):
        seated(Case(rulebook.name, seats), rulebook.options_type(), "beyond")


@every_rulebook
def test_its_words_are_well_formed(rulebook: Rulebook[Any]) -> None:
    assert rulebook.title
    assert rulebook.summary
    assert rulebook.rules_version
    assert rulebook.longest_match > 0
    assert rulebook.endings
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", reason) for reason in rulebook.endings)
    assert all(component.count > 0 and component.source for component in rulebook.components)


@every_rulebook
def test_it_says_how_it_is_played(rulebook: Rulebook[Any]) -> None:
    text = rulebook.how_to_play
    assert text.startswith("# ")
    assert len(text.encode()) <= HOW_TO_PLAY_BYTES
    assert len(re.findall(r"^- ", text, re.MULTILINE)) > 0
    for line in text.splitlines():
        assert re.match(r"#{1,2} \w|- \w|\w|$", line), f"no heading, list or paragraph: {line}"
        assert not re.search(r"[<>`*_|\[\]]|://", line), f"markup that pages show as it stands: {line}"


@every_rulebook
def test_package_data_hold_how_it_is_played(rulebook: Rulebook[Any]) -> None:
    room = resources.files(f"ludolog.rulebooks.{rulebook.name}")
    assert (room / catalogue.HOW_TO_PLAY).read_text(encoding="utf-8") == rulebook.how_to_play
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["*"]
    assert any(fnmatch(catalogue.HOW_TO_PLAY, pattern) for pattern in packaged)


@every_rulebook
def test_a_room_without_it_isnt_built(rulebook: Rulebook[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "HOW_TO_PLAY", "missing.md")
    with pytest.raises(ValueError, match=f"{rulebook.name} has no missing.md"):
        catalogue.build(rulebook.name, rulebook.content)


@every_rulebook
def test_it_has_a_random_player_and_a_better_one_first(rulebook: Rulebook[Any]) -> None:
    assert "random" in rulebook.bots
    assert next(iter(rulebook.bots)) != "random"


@every_rulebook
def test_its_state_is_made_of_frozen_values(rulebook: Rulebook[Any]) -> None:
    assert issubclass(rulebook.state_type, msgspec.Struct)
    assert rulebook.state_type.__struct_config__.frozen
    assert isinstance(rulebook.blank, rulebook.state_type)


@every_rulebook
def test_enums_of_the_state_have_names_and_numbers_of_the_proto(rulebook: Rulebook[Any]) -> None:
    room = importlib.import_module(f"ludolog.rulebooks.{rulebook.name}")
    modules = [importlib.import_module(found.name) for found in walk_packages(room.__path__, f"{room.__name__}.")]
    ours: set[type[enum.Enum]] = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, enum.Enum)
    }
    contract = rulebook.command_type.DESCRIPTOR.file.enum_types_by_name
    for kind in (kind for kind in ours if kind.__module__.startswith(room.__name__) and kind.__name__ in contract):
        prefix = re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).upper()
        named = {value.name.removeprefix(f"{prefix}_"): value.number for value in contract[kind.__name__].values}
        members = {name: member.value for name, member in kind.__members__.items() if member.value}
        assert members == {name: number for name, number in named.items() if number}, kind


@every_rulebook
def test_its_content_is_stamped(rulebook: Rulebook[Any]) -> None:
    assert rulebook.content_digest == catalogue.digest(rulebook.content)
