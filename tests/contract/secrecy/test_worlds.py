"""Worlds that a viewer can't tell apart stay so on every path through the real services (issue 4, section 2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ludolog.rulebooks import catalogue
from tests.contract.matches import CASES, everywhere
from tests.contract.secrecy.harness import judge
from tests.contract.secrecy.pairs import pairs_of

PAIRS = {"tempel_des_schreckens": 5_000}
OTHERS = 300
"""Pairs of a rulebook that isn't named above."""
AT_ONCE = 500
"""Pairs of one platform."""
SHARDS = [
    pytest.param(name, shard, id=f"{name}-{shard}")
    for name in catalogue.names()
    for shard in range(-(-PAIRS.get(name, OTHERS) // AT_ONCE))
]


@pytest.mark.parametrize(("name", "shard"), SHARDS)
async def test_a_viewer_cant_tell_them_apart(
    name: str, shard: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    number = min(AT_ONCE, PAIRS.get(name, OTHERS) - shard * AT_ONCE)
    pairs = pairs_of(catalogue.load(name), number, f"shard {shard}")
    if not pairs:
        assert not hides_anything(name)
        return
    assert len(pairs) == number, "hardly any state leaves something to imagine"
    assert any(pair.steps for pair in pairs), "nothing can happen that keeps two worlds alike"
    record_property("messages", await judge(tmp_path, catalogue.load(name), pairs))


def hides_anything(name: str) -> bool:
    """Whether some viewer of some state has secrets kept from it."""
    rulebook = catalogue.load(name)
    cases = [case for case in CASES if case.name == name]
    moments = [(case, match) for case in cases for _, match in everywhere(case, 6)]
    return any(rulebook.secrets(match.game, viewer) for case, match in moments for viewer in case.audiences)
