"""The import contracts catch what they are there for: each is broken on purpose in a small tree of the same shape."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT

LIBRARIES = "api kernel fairness rulebooks record eventlog sessions hosting client testkit cli"
MODULES = {
    "libs/ludolog/kernel/fold.py": "",
    "libs/ludolog/rulebooks/catalogue.py": "from ludolog.rulebooks.{a,b} import rulebook",
    "libs/ludolog/rulebooks/{a,b}/__init__.py": "",
    "libs/ludolog/rulebooks/{a,b}/rulebook.py": "from ludolog.rulebooks.{a,b} import bot, evolve, rules, view",
    "libs/ludolog/rulebooks/{a,b}/rules/__init__.py": "from ludolog.rulebooks.{a,b}.rules import chapter",
    "libs/ludolog/rulebooks/{a,b}/rules/chapter.py": "import ludolog.kernel.fold, ludolog.rulebooks.{a,b}.evolve",
    "libs/ludolog/rulebooks/{a,b}/bot.py": "import random",
    "libs/ludolog/rulebooks/{a,b}/view.py": "",
    "libs/ludolog/rulebooks/{a,b}/evolve.py": "from ludolog.rulebooks.{a,b} import state",
    "libs/ludolog/rulebooks/{a,b}/state.py": "",
    "services/__init__.py": "",
    "services/{engine,gateway,local}/__init__.py": "",
    "services/{engine,gateway}/service.py": "import ludolog.hosting",
    "services/local/__main__.py": "import services.engine.service\nimport services.gateway.service",
}
# The contract, and the line in a module that breaks it.
VIOLATIONS = {
    "Services stand on the libraries": ("libs/ludolog/hosting/__init__.py", "import services.engine"),
    "The libraries, downhill": ("libs/ludolog/kernel/__init__.py", "import ludolog.eventlog"),
    "The SDK needs the generated API only": ("libs/ludolog/client/__init__.py", "import ludolog.fairness"),
    "Services don't know each other": ("services/engine/service.py", "import services.gateway.service"),
    "Rulebooks don't know each other": ("libs/ludolog/rulebooks/a/bot.py", "import ludolog.rulebooks.b.state"),
    "Inside a room": ("libs/ludolog/rulebooks/b/state.py", "import ludolog.rulebooks.b.rules"),
    "Rules are pure": ("libs/ludolog/rulebooks/b/rules/chapter.py", "import time"),
}


def expanded(text: str) -> list[tuple[str, str]]:
    """The words of a {choice} in the text, each with the mark that it replaces."""
    mark = text[text.index("{") : text.index("}") + 1] if "{" in text else ""
    return [(mark, word) for word in mark.strip("{}").split(",")]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout in miniature that keeps every contract."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ["", *LIBRARIES.split()]:
        write(tmp_path / "libs" / "ludolog" / package / "__init__.py", "")
    for name, text in MODULES.items():
        for mark, word in expanded(name):
            write(tmp_path / name.replace(mark, word), text.replace("{a,b}", word if word in {"a", "b"} else "a"))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(f"{text}\n")


def check(tree: Path) -> tuple[int, str]:
    """Run the check there. Returns its exit code and what it printed."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'libs'}{os.pathsep}{tree}"}
    command = [sys.executable, "-m", "tools.directions"]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_tree_of_our_shape_keeps_all_contracts(tree: Path) -> None:
    assert check(tree)[0] == 0, check(tree)[1]


def test_each_contract_is_broken_by_what_it_forbids(tree: Path) -> None:
    for path, line in VIOLATIONS.values():
        write(tree / path, line)
    code, report = check(tree)
    assert code != 0
    broken = [line for line in report.splitlines() if " BROKEN" in line]
    assert not [name for name in VIOLATIONS if not any(line.startswith(name) for line in broken)], report
    assert len(VIOLATIONS) == len(contracts()), "a contract without a violation here"


def test_a_package_without_a_place_is_refused(tree: Path) -> None:
    write(tree / "libs" / "ludolog" / "utils" / "__init__.py", "")
    code, report = check(tree)
    assert code != 0
    assert "ludolog.utils" in report


def contracts() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]]
