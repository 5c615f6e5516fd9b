"""The measurements work: every name is there, every ratio is a number. What they come to isn't a test's business."""

import json
import math
from pathlib import Path

import pytest

from bench import __main__ as program
from bench import openings, rules
from bench.figures import Beside, Figure, beside, percentile
from bench.plan import Scale, chosen
from ludolog.kernel import Seat
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of


def test_every_figure_of_the_rules_is_measured() -> None:
    found = {figure.name: figure for figure in rules.measure(Scale(quick=True))}
    assert tuple(found) == rules.names()
    for figure in found.values():
        assert figure.value > 0, figure
        assert math.isfinite(figure.ratio), figure
        assert figure.ratio > 0, figure
        assert figure.against, figure


def test_names_are_stable_and_explained() -> None:
    readme = (Path(program.__file__).parent / "README.md").read_text()
    names = program.names()
    assert len(set(names)) == len(names)
    for name in names:
        rulebook = next((known for known in catalogue.names() if f".{known}." in name), "")
        assert f"`{name.replace(rulebook, '<rulebook>') if rulebook else name}`" in readme, name


def test_what_isnt_measured_keeps_its_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "TARGET", tmp_path / "bench.json")
    program.save([Figure("a", 1.0, "s", "x", 1.0), Figure("b", 2.0, "s", "x", 1.0)])
    program.save([Figure("b", 3.0, "s", "x", 2.0)])
    assert json.loads((tmp_path / "bench.json").read_text()) == {
        "a": {"value": 1.0, "unit": "s", "against": "x", "ratio": 1.0},
        "b": {"value": 3.0, "unit": "s", "against": "x", "ratio": 2.0},
    }


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["no_such_figure"]) == 2
    assert "no_such_figure" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        ("rules.a.fold", [], True),
        ("rules.a.fold", ["rules"], True),
        ("rules.a.fold", ["rules.a"], True),
        ("rules.a.fold", ["rules.a.fold"], True),
        ("rules.ab.fold", ["rules.a"], False),
        ("engine.stream", ["rules", "engine"], True),
    ],
)
def test_names_are_asked_for_by_what_they_begin_with(name: str, asked: list[str], *, expected: bool) -> None:
    assert chosen(name, asked) is expected


def test_rates_are_measured_in_turns() -> None:
    order: list[str] = []

    def work(name: str, steps: int) -> int:
        order.append(name)
        return sum(1 for _ in range(steps))

    found = beside(lambda: work("ours", 1000), lambda: work("other", 1000), 3)
    assert order == ["ours", "other"] * 3
    assert isinstance(found, Beside)
    assert found.ratio > 0


def test_percentiles() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert (percentile(values, 50), percentile(values, 99), percentile([7.0], 99)) == (51.0, 100.0, 7.0)


@pytest.mark.parametrize("number", range(20))
def test_the_openings_are_legal_to_the_end(number: int) -> None:
    rulebook = catalogue.load(openings.RULEBOOK)
    match_id = match_id_of(rulebook.name, "openings", number)
    table = Table(rulebook, Setting(match_id, openings.SEATS, openings.OPTIONS, digest_of("openings")))
    for seat, packed in openings.commands():
        command = rulebook.command_type()
        assert packed.Unpack(command)
        payload = rulebook.commands.unwrap(command)
        assert payload is not None
        table.command(Seat(seat), payload)
        if table.match.outcome is not None:
            break
    assert table.match.outcome is not None
