"""`python -m bench [--quick] [NAME…]`: a table, and bench.json. See README.md beside this file.

`{"<name>": {"value", "unit", "against", "ratio"}}`: ratios are of one run; absolute figures are for information.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from bench import cluster, embedded, finished, parked, rules
from bench.figures import Figure
from bench.plan import Scale, Section, chosen

TARGET = Path("bench.json")
SECTIONS = (
    Section(rules.names, rules.measure),
    Section(embedded.names, embedded.measure),
    Section(cluster.names, cluster.measure),
    Section(parked.names, parked.measure),
    Section(finished.names, finished.measure),
)


def names() -> list[str]:
    """All names that there are, in the table's order."""
    return [name for section in SECTIONS for name in section.names()]


def main(arguments: list[str]) -> int:
    """Measure what is asked for, print it, and put it into bench.json beside what was measured before."""
    scale = Scale(quick="--quick" in arguments)
    asked = [argument for argument in arguments if argument != "--quick"]
    if unknown := [part for part in asked if not any(chosen(name, [part]) for name in names())]:
        print(f"bench: no {', '.join(unknown)}. There are: {', '.join(names())}", file=sys.stderr)
        return 2
    began = time.perf_counter()
    figures: list[Figure] = []
    for section in SECTIONS:
        if section.wanted(asked):
            for figure in section.measure(scale):
                if chosen(figure.name, asked):
                    print(figure.line(), flush=True)
                    figures.append(figure)
    save(figures)
    print(f"written: {TARGET} ({time.perf_counter() - began:.0f} s)")
    return 0


def save(figures: Iterable[Figure]) -> None:
    """Put figures into bench.json; what was measured before under other names stays there."""
    found = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    found |= {figure.name: figure.entry() for figure in figures}
    TARGET.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
