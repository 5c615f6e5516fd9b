"""`ludolog scenario FILE...`: play rule scenarios."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ludolog.cli.program import FAILED, OK, UsageError
from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario import Result
from ludolog.testkit.scenario import run as play
from ludolog.testkit.scenario_file import ScenarioError, read_file


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="scenario files, or folders of them")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", "-q", action="store_true", help="print what failed only")


def run(options: argparse.Namespace) -> int:
    """Play all files. 0 if every scenario passes, 1 if one fails or isn't a scenario, 2 for a file that isn't there."""
    results: list[Result] = []
    broken: list[str] = []
    for path in _files(options.files):
        try:
            results += [play(scenario, catalogue.load) for scenario in read_file(path)]
        except ScenarioError as error:
            broken.append(str(error))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
    passed = sum(result.passed for result in results)
    failed = len(results) - passed + len(broken)
    if options.json:
        _print_json(results, broken, passed, failed)
    else:
        _print_text(results, broken, quiet=options.quiet)
        print(f"{passed} passed, {failed} failed")
    return FAILED if failed else OK


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(item for item in path.rglob("*.y*ml") if item.suffix in {".yaml", ".yml"})
            if not found:
                raise UsageError(f"{path}: holds no scenario files")
            yield from found
        else:
            yield path


def _print_json(results: list[Result], broken: list[str], passed: int, failed: int) -> None:
    scenarios = [
        {
            "file": str(result.scenario.path),
            "line": result.scenario.line,
            "rulebook": result.scenario.rulebook,
            "title": result.scenario.title,
            "section": result.scenario.section,
            "rules": list(result.scenario.rules),
            "passed": result.passed,
            "problems": list(result.problems),
        }
        for result in results
    ]
    print(json.dumps({"passed": passed, "failed": failed, "unreadable": broken, "scenarios": scenarios}))


def _print_text(results: list[Result], broken: list[str], *, quiet: bool) -> None:
    for result in results:
        scenario = result.scenario
        if result.passed:
            if not quiet:
                print(f"ok    {scenario.path}: {scenario.title}")
            continue
        print(f"FAIL  {scenario.path}:{scenario.line}: {scenario.title} [{scenario.section}]")
        for problem in result.problems:
            print("      " + problem.replace("\n", "\n      "))
    for problem in broken:
        print(f"FAIL  {problem}", file=sys.stdout)
