"""What the metrics page of the embedded platform says during a match, and what it never says."""

from __future__ import annotations

import re
from pathlib import Path

from prometheus_client import generate_latest

from deploy.prometheus.queries import queries
from ludolog.hosting import Platform
from ludolog.hosting.metrics import table
from ludolog.rulebooks import catalogue
from tests.infra.playing import TOPIC
from tests.integration.observed.conftest import play_one

MANUAL = (Path(__file__).resolve().parents[3] / "docs" / "operate.md").read_text()
LABELS = {
    "code",
    "event",
    "grpc",
    "kind",
    "le",
    "method",
    "operation",
    "projection",
    "python",
    "reason",
    "result",
    "rulebook",
    "service",
    "topic",
    "version",
}
UNITS = [
    "_seconds",
    "_bytes",
    "_records",
    "_commits",
    "_commands",
    "_takeovers",
    "_partitions",
    "_streams",
    "_matches",
    "_tickets",
    "_tables",
    "_jobs",
    "_draws",
    "_blocks",
    "_calls",
    "_requests",
    "_refusals",
    "_reveals",
    "_failures",
    "_restarts",
    "_repeats",
    "_resyncs",
    "_timeouts",
    "_deadlines",
    "_events",
    "_watchers",
    "_clients",
    "_feeds",
    "_seats",
    "_dropped",
    "_computed",
    "_info",
    "_serving",
    "_draining",
]
"""Seconds, bytes, or what is counted; info and the states that are 0 or 1."""


async def test_the_manual_has_the_table_of_what_is_declared(platform: Platform) -> None:
    assert table(platform.metrics.declared) in MANUAL, "docs/operate.md: put there what metrics.table gives"


async def test_queries_ask_for_what_is_declared(platform: Platform) -> None:
    declared = {one.name for one in platform.metrics.declared}
    asked = {name for one in queries() for name in re.findall(r"ludolog_\w+", one.query)}
    assert {name.removesuffix("_bucket") for name in asked} <= declared


async def test_names_have_units_and_no_label_names_a_match_or_a_player(platform: Platform) -> None:
    played = await play_one(platform)
    page = generate_latest(platform.metrics.registry).decode()
    for one in platform.metrics.declared:
        assert one.name.removesuffix("_total").endswith(tuple(UNITS)), one.name
        assert set(one.labels) <= LABELS, one
    assert not catalogue.MATCH_ID.search(page)
    assert not re.search(r"p-[a-z2-7]{26}", page)
    for secret in (*played.secrets, "Zyxwvu", "eyJ"):
        assert secret not in page


async def test_a_match_is_in_the_numbers(platform: Platform) -> None:
    played = await play_one(platform, watchers=3)
    value = platform.metrics.registry.get_sample_value
    assert played.match

    def of(name: str, **labels: str) -> float:
        found = value(f"ludolog_{name}", labels)
        assert found is not None, name
        return found

    rulebook = {"rulebook": "tempel_des_schreckens"}
    commits = of("commits_total", topic=TOPIC)
    assert of("engine_commands_total", kind="create", result="ok", **rulebook) == 1
    assert of("engine_commands_total", kind="command", result="ok", **rulebook) == commits - 1
    assert of("log_append_seconds_count", topic=TOPIC) >= commits
    assert of("queue_seconds_count", topic=TOPIC) >= commits
    assert of("engine_draws_total", **rulebook) >= 1
    assert of("takeovers_total", topic=TOPIC) == platform.settings.topic_partitions
    assert of("owned_partitions", topic=TOPIC) == platform.settings.topic_partitions
    assert of("rng_reveals_total") == 1
    assert of("live_matches", **rulebook) == 0
    assert of("gateway_watchers") == 0
    assert of("serving") == 1
    assert of("draining") == 0
    for projection in ("engine", "spectator", "replay", "rng", "endings"):
        assert of("projection_catch_up_seconds", projection=projection, topic=TOPIC) >= 0
        assert of("void_commits_total", projection=projection, topic=TOPIC) == 0
