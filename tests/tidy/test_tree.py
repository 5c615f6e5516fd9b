"""Nothing in the tree depends on one machine, and nothing in it is too long to be read."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import SUITES, TESTS
from tests.tidy.tree import ROOT, files, parsed, python_files

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 40

SKIPS = {
    "pytest.skip",
    "pytest.xfail",
    "pytest.importorskip",
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "pytest.mark.xfail",
}

# Path (and function) → why it may be longer.
LONGER_FILES: dict[str, str] = {}
LONGER_FUNCTIONS: dict[str, str] = {}

# Written as patterns that don't match themselves, since this file is looked at too.
FORBIDDEN = [
    r"(?<![\w.~/-])/(?:root|home|Users|work)/[\w.]",
    r"pypi[.]org",
    r"pythonhosted[.]org",
    r"registry[.](?:npmjs|yarnpkg)",
    r"repo1?[.]maven",
    r"proxy[.]golang",
    r"crates[.]io",
    r"deb[.]debian|debian[.]org/debian",
    r"index[-]url|extra[-]index|trusted[-]host",
    r'"resolved"[:] "http|<repositor[y]>|GOPROX[Y]',
    r"registry[ ]host",
]


def test_nothing_names_a_machine_path_or_a_registry() -> None:
    pattern = re.compile(
        "|".join([*FORBIDDEN, re.escape(f"{ROOT}/"), re.escape(f"{Path.home()}/")]).encode(), re.IGNORECASE
    )
    found = {str(path): match.group() for path in files() if (match := pattern.search((ROOT / path).read_bytes()))}
    assert not found, "the project must work on any machine, with any registry"


def test_lock_files_hold_no_address() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert "://" not in (ROOT / lock).read_text(), f"{lock} holds an address: rewrite it with make lock"


def test_files_are_short() -> None:
    long = {str(path) for path in python_files() if len((ROOT / path).read_text().splitlines()) > MOST_LINES}
    assert long == set(LONGER_FILES), f"over {MOST_LINES} lines, or no longer over it but still excused"


def test_functions_are_short() -> None:
    long = {
        f"{path}:{function.name}"
        for path in python_files("libs", "services", "deploy", "tools")
        if "migrations" not in path.parts  # lists of columns, written once
        for function in ast.walk(parsed(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and too_long(function)
    }
    assert long == set(LONGER_FUNCTIONS), f"over {MOST_LINES_OF_A_FUNCTION} lines, or excused without need"


def too_long(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function's body, without its docstring, has too many lines."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
    return lines > MOST_LINES_OF_A_FUNCTION


def test_skips_and_expected_failures_say_why() -> None:
    silent = [f"{path}:{line}" for path in python_files("tests") for line in without_reason(parsed(path))]
    assert not silent, "a skip or an expected failure without a reason"


def without_reason(tree: ast.Module) -> Iterator[int]:
    """The lines of skips and expected failures that don't say why."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            named = any(keyword.arg == "reason" for keyword in node.keywords)
            in_a_test = name in {"pytest.skip", "pytest.xfail"} and (named or node.args)
            if name in SKIPS and not named and not in_a_test:
                yield node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from (mark.lineno for mark in node.decorator_list if ast.unparse(mark) in SKIPS)


def test_every_suite_is_run_by_make_test() -> None:
    suites = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
    makefile = (ROOT / "Makefile").read_text()
    assert suites <= set(SUITES), "a suite without a place in tests/conftest.py"
    assert not [suite for suite in suites if f"tests/{suite}" not in makefile], "a suite that make test doesn't run"


def test_excluded_lints_have_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    ignored = tomllib.loads(text)["tool"]["ruff"]["lint"]["ignore"]
    without = [code for code in ignored if not re.search(rf'"{code}", +# .', text)]
    assert not without, f"ruff rules excluded without a reason: {without}"
