"""Every rule scenario of every rulebook, one test each. Played alone: `ludolog scenario tests/scenarios`."""

from pathlib import Path

import pytest

from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario import run
from ludolog.testkit.scenario_file import Scenario, read_file

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.yaml"))
SCENARIOS = [scenario for path in FILES for scenario in read_file(path)]


def name(scenario: Scenario) -> str:
    return f"{scenario.path.relative_to(HERE)}:{scenario.line}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name)
def test_scenario(scenario: Scenario) -> None:
    result = run(scenario, catalogue.load)
    assert result.passed, "\n".join([f"{scenario.title} [{scenario.section}]", *result.problems])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HERE)))
def test_a_file_stands_in_the_folder_of_its_rulebook(path: Path) -> None:
    assert {scenario.rulebook for scenario in read_file(path)} == {path.relative_to(HERE).parts[0]}
