"""Queries, dashboard and alerts belong together, and the manual shows them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.dev.process import Missing, find_program
from deploy.prometheus.queries import DASHBOARD, FOLDER, dashboard, queries, table
from tests.infra.provide import not_here

MANUAL = (Path(__file__).resolve().parents[3] / "docs" / "operate.md").read_text()
ALERTS = [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]


def test_the_manual_shows_the_queries() -> None:
    assert table(queries()) in MANUAL, "docs/operate.md: put there what python -m deploy.prometheus.queries prints"


def test_the_dashboard_asks_every_query_and_nothing_else() -> None:
    assert json.loads(DASHBOARD.read_text()) == dashboard(queries()), "run python -m deploy.prometheus.queries"


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_is_a_query_with_a_threshold_and_the_manual_says_what_to_do(rule: dict[str, str]) -> None:
    parts = re.fullmatch(r"\((?P<query>.*)\) > [\d.]+", rule["expr"])
    assert parts, rule["expr"]
    assert parts["query"] in {one.query for one in queries()}
    assert re.search(rf"^\| `{rule['alert']}` \| (page|ticket) \| .{{10,}} \| .{{10,}} \|$", MANUAL, re.MULTILINE)


@pytest.mark.parametrize("arguments", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")])
def test_promtool_finds_nothing_wrong(arguments: tuple[str, ...]) -> None:
    try:
        promtool = find_program("promtool", package="prometheus")
    except Missing as missing:
        not_here("promtool", missing)
    done = subprocess.run([promtool, *arguments], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
