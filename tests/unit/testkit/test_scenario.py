"""The scenario runner fails where it should, and says where and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludolog.kernel import Rulebook
from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario import happenings, run
from ludolog.testkit.scenario_file import ScenarioError, read_file

GOOD = """
rulebook: tempel_des_schreckens
title: The key goes to the owner of the opened chamber
section: "Gameplay 1: Playing a Round"
rules: [P2, P3, P4]
given:
  seats: 4
  options: {}
  position:
    key_player: 1
    rows:
      - {seat: 3, chambers: [CHAMBER_GOLD, CHAMBER_EMPTY, CHAMBER_GOLD, CHAMBER_FIRE, CHAMBER_EMPTY]}
  draws: {}
when:
  - seat: 1
    command: {open_chamber: {owner: 3, slot: 2}}
    events: [{chamber_opened: {by: 1, owner: 3, slot: 2, chamber: CHAMBER_EMPTY}}]
  - seat: 1
    command: {open_chamber: {owner: 4, slot: 1}}
    refused: NOT_KEY_PLAYER
then:
  views: {3: {key_player: 3}, spectator: {opened: {empty: 1}}, omniscient: {keyPlayer: 3}}
  hidden: {2: [CHAMBER_GOLD]}
  awaiting: [{seat: 3}]
  legal: {1: [], 3: [{open_chamber: {}}]}
  outcome: null
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    """What the runner finds wrong with each scenario of a file, in one text each."""
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    return ["\n".join(run(scenario, catalogue.load).problems) for scenario in read_file(path)]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_a_scenario_passes(tmp_path: Path) -> None:
    assert problems(tmp_path, f"{GOOD}\n---\n{GOOD}") == ["", ""]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # another event, too many, too few, in mid-match, with a difference to read
        ("slot: 2, chamber: CHAMBER_EMPTY", "slot: 2, chamber: CHAMBER_GOLD", '-  "chamber": "CHAMBER_GOLD"'),
        ("chamber: CHAMBER_EMPTY}}]", "chamber: CHAMBER_EMPTY}}, {key_taken: {seat: 3}}]", "step 1 (seat 1: open_"),
        ("events: [{chamber_opened: {by: 1, owner: 3, slot: 2, chamber: CHAMBER_EMPTY}}]", "events: []", "+++ found"),
        # refusals
        ("refused: NOT_KEY_PLAYER", "refused: OWN_CHAMBER", "step 2 (seat 1: open_chamber): another refusal"),
        ("refused: NOT_KEY_PLAYER", "events: []", "step 2 (seat 1: open_chamber): refused: NOT_KEY_PLAYER"),
        ("refused: NOT_KEY_PLAYER", "refused: NOT_KEY_PLAYER\n    section: Elsewhere", "section: expected 'Elsewhere'"),
        (
            "refused: NOT_KEY_PLAYER",
            "refused: NOT_KEY_PLAYER\n    facts: {key_player: 2}",
            "fact key_player: expected 2",
        ),
        ("    events: [{", "    refused: NO_WAY\n    # [{", "expected the refusal NO_WAY, but it was accepted"),
        # the end
        ("3: {key_player: 3}", "3: {key_player: 2}", "view of seat 3: key_player: expected 2, found 3"),
        ("opened: {empty: 1}", "opened: {empty: 2}", "view of spectator: opened.empty: expected 2, found 1"),
        ("2: [CHAMBER_GOLD]", "2: [CHAMBER_EMPTY]", "hidden from seat 2: CHAMBER_EMPTY stands in its view"),
        ("awaiting: [{seat: 3}]", "awaiting: [{seat: 2}]", "awaiting: expected"),
        ("awaiting: [{seat: 3}]", "awaiting: []", "awaiting: expected"),
        ("awaiting: [{seat: 3}]", "awaiting: [{seat: 3}, {seat: 3}]", "awaiting: expected"),
        ("legal: {1: [], 3:", "legal: {3: [], 1:", "legal for seat 3: expected none"),
        ("3: [{open_chamber: {}}]", "3: [{open_chamber: {owner: 3}}]", "legal for seat 3: nothing fits"),
        ("outcome: null", "outcome: ALL_GOLD", "outcome: expected ALL_GOLD, found none"),
        # chance
        ("draws: {}", "draws: {chambers: [[1, 2]]}", "given.draws: left over: {'chambers': [[1, 2]]}"),
        # names that the rulebook doesn't know
        ("seat: 3, chambers: [CHAMBER_GOLD,", "seat: 3, chambers: [GOLD,", "given.position: "),
        ("opened: {empty: 1}", "opened: {water: 1}", "has no field 'water' (it has empty, gold, fire)"),
        ("2: [CHAMBER_GOLD]", "2: [CHAMBER_GOLDEN]", "CHAMBER_GOLDEN isn't one of"),
        ("options: {}", "options: {expansion: true}", "given.options: "),
        ("{owner: 4, slot: 1}", "{owner: 4, slot: 1, gently: true}", "step 2 (seat 1: open_chamber)"),
        ("rulebook: tempel_des_schreckens", "rulebook: chess", "'chess' isn't a rulebook here"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    (found,) = problems(tmp_path, changed(old, new))
    assert said in found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title:", "titel:", "title is missing"),
        ("given:\n", "given:\n  seeds: 1\n", "given: unknown: seeds"),
        ("  outcome: null", "  outcome: null\n  outcome: null", "'outcome' stands twice"),
        ("seats: 4", "seats: four", "given.seats: must be a whole number"),
        ("refused: NOT_KEY_PLAYER", "section: Gameplay", "section and facts belong to a refusal"),
        ("refused: NOT_KEY_PLAYER", "refused: NOT_KEY_PLAYER\n    events: []", "a refusal has no events"),
        ("3: {key_player: 3}", "three: {key_player: 3}", "is neither a seat (from 1) nor spectator nor omniscient"),
        ("    refused: NOT_KEY_PLAYER", "    resigned: 1", "step 2: needs exactly one of"),
        ("when:\n", "when:\n  - setup: {}\n", "set-up comes first, and only without a position"),
    ],
)
def test_what_isnt_a_scenario_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ScenarioError) as found:
        problems(tmp_path, changed(old, new))
    assert said in str(found.value)
    assert "scenario.yaml" in str(found.value)


def test_files_without_a_scenario_are_refused(tmp_path: Path) -> None:
    for text in ("", "---\n", "a: [", "- 1\n", "text\n"):
        with pytest.raises(ScenarioError):
            problems(tmp_path, text)


def test_an_error_names_the_line_of_its_scenario(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"scenario\.yaml:28: .*key goes to the owner.*: then: unknown: winner"):
        problems(tmp_path, f"{GOOD}---{changed('outcome: null', 'winner: 1')}")


SET_UP = """
rulebook: tempel_des_schreckens
title: Set-up is played with the draws
section: Set Up
given: {seats: 5, draws: {DRAWS}}
when:
  - setup: {}
"""


def test_missing_draws_fail_and_say_what_is_drawn(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, SET_UP.replace("DRAWS", ""))
    assert "no value is left in given.draws for" in found
    assert "a shuffle of 5: ROLE_ADVENTURER" in found


def test_a_number_of_players_is_refused_at_set_up(tmp_path: Path) -> None:
    refused = SET_UP.replace("DRAWS", "").replace("seats: 5", "seats: 11") + "    refused: WRONG_PLAYER_COUNT\n"
    assert problems(tmp_path, refused) == [""]


def test_what_happened_can_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(GOOD)
    ((before, event, after),) = happenings(read_file(path)[0], catalogue.load)
    assert event.DESCRIPTOR.name == "ChamberOpened"
    assert before != after


def test_a_fault_of_one_scenario_leaves_the_others_to_be_played(tmp_path: Path) -> None:
    """Also where a room raises something else than it should, in reading a position or in its views."""

    def load(name: str) -> Rulebook[Any]:
        rulebook = catalogue.load(name)

        def faulty(position: Any, seats: int, options: Any) -> Any:
            if position.key_player == 2:
                raise TypeError("Missing required argument 'held'")
            game = rulebook.from_position(position, seats, options)
            return None if position.key_player == 3 else game

        return replace(rulebook, from_position=faulty)

    path = tmp_path / "scenario.yaml"
    path.write_text("\n---\n".join(changed("key_player: 1", f"key_player: {seat}") for seat in (2, 3, 1)))
    found = ["\n".join(run(scenario, load).problems) for scenario in read_file(path)]
    assert "given.position: the room failed to read it" in found[0]
    assert "Missing required argument 'held'" in found[0]
    assert found[1]
    assert found[2] == ""
