"""Everybody is killed, in a row, under load: nothing acknowledged is lost or doubled, all see the same."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from deploy.dev.process import Missing
from tests.chaos.campaign import Campaign
from tests.chaos.measure import table
from tests.chaos.site import standing
from tests.infra.provide import not_here

KILLS = 20
SEED = 1
CREWS = 10
QUIET_S = 3.0


def test_twenty_kills(servers_folder: Path, record_testsuite_property: Callable[[str, object], None]) -> None:
    said: list[str] = []
    folder = servers_folder / "chaos"
    folder.mkdir(mode=0o711)
    try:
        with standing(folder) as site:
            outcome = asyncio.run(Campaign(site, SEED, CREWS, said.append).run(KILLS, "", QUIET_S, folder))
    except Missing as missing:
        not_here("Kafka, Redis or PostgreSQL", missing)
    for kind, found in table(outcome.times).items():
        record_testsuite_property(f"first reply after {kind}", found)
    for figure in ("quiet_s", "false_takeovers"):
        record_testsuite_property(figure, outcome.figures[figure])
    again = f"make chaos KILLS={KILLS} SEED={SEED}"
    assert not outcome.violations, "\n".join([again, *said, *map(str, outcome.violations)])
    assert outcome.figures["acknowledged"] > KILLS * CREWS, "there was no load to speak of"
