"""`make bench`: the rules, then the log; a table, and bench.json.

`{"<name>": {"value", "unit", "against", "ratio"}}`: ratios are of one run; absolute figures are for information.
"""

import json
from dataclasses import asdict
from pathlib import Path

from bench import log, rules

TARGET = Path("bench.json")


def main() -> None:
    """Measure and print."""
    figures = rules.measure()
    for figure in figures:
        beside = f"{figure.ratio:6.2f} × {figure.against}" if figure.against else ""
        print(f"{figure.name:<36}{figure.value:>12,.0f} {figure.unit:<12} {beside}")
    found = {figure.name: {key: value for key, value in asdict(figure).items() if key != "name"} for figure in figures}
    TARGET.write_text(json.dumps(found, indent=2) + "\n")
    print(f"written: {TARGET}; now the log, one JSON object a line", flush=True)
    log.main(["sqlite", "kafka"])


if __name__ == "__main__":
    main()
