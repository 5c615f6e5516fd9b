"""Read queries.yml, show it in docs/operate.md and as a dashboard: `python -m deploy.prometheus.queries`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
DASHBOARD = FOLDER.parent / "grafana" / "ludolog.json"
COLUMNS, WIDTH, HEIGHT = 3, 8, 7


@dataclass(frozen=True, slots=True)
class Query:
    """What one wants to know, and the PromQL for it."""

    about: str
    query: str


def queries() -> list[Query]:
    """All, in the order of the file."""
    return [Query(**entry) for entry in yaml.safe_load((FOLDER / "queries.yml").read_text())]


def table(found: Sequence[Query]) -> str:
    """As a Markdown table."""
    rows = [f"| {one.about} | `{one.query.replace('|', chr(92) + '|')}` |" for one in found]
    return "\n".join(["| to know | ask |", "|---|---|", *rows])


def dashboard(found: Sequence[Query]) -> dict[str, Any]:
    """As a Grafana dashboard (schema 39): one panel for each query, over the data source that is chosen on top."""
    source = {"type": "prometheus", "uid": "${source}"}
    panels = [
        {
            "id": number + 1,
            "type": "timeseries",
            "title": one.about,
            "datasource": source,
            "gridPos": {
                "x": number % COLUMNS * WIDTH,
                "y": number // COLUMNS * HEIGHT,
                "w": WIDTH,
                "h": HEIGHT,
            },
            "targets": [{"refId": "A", "expr": one.query, "datasource": source}],
        }
        for number, one in enumerate(found)
    ]
    chosen = {"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    return {
        "uid": "ludolog",
        "title": "Ludolog",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [chosen]},
        "panels": panels,
    }


if __name__ == "__main__":
    DASHBOARD.write_text(json.dumps(dashboard(queries()), indent=1) + "\n")
    sys.stdout.write(table(queries()) + "\n")
