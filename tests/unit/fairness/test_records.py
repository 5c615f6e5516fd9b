"""Records of whole matches hold for a verifier that shares no code with ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludolog.rulebooks import catalogue
from ludolog.testkit.simulate import Plan, simulate
from tests.unit.fairness import independent


@pytest.mark.parametrize("name", catalogue.names())
def test_an_independent_verifier_draws_the_same(name: str, tmp_path: Path) -> None:
    list(simulate(Plan(name, tuple(catalogue.load(name).seats), 10, "independent", records=tmp_path)))
    drawn = [independent.check(path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    assert len(drawn) == 10
    assert all(drawn), "a match without a draw"


def test_it_finds_another_draw(tmp_path: Path) -> None:
    list(
        simulate(Plan(catalogue.names()[0], (catalogue.load(catalogue.names()[0]).seats[0],), 1, "x", records=tmp_path))
    )
    (path,) = tmp_path.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    other = lines[-2].replace(b'"seed":"', b'"seed":"0', 1)[:-4] + b'"}\n'
    with pytest.raises(AssertionError):
        independent.check(b"".join([*lines[:-2], other, lines[-1]]))
