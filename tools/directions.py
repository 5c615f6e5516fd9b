"""Check which way imports go: import-linter with the contracts of pyproject.toml.

Contracts name the packages of the final layout. Of those, the ones that aren't written yet are left out and named.
"""

import sys
import tomllib
from configparser import ConfigParser
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent
PLACES = {"ludolog": ROOT / "libs" / "ludolog", "services": ROOT / "services"}
CONFIG = ROOT / ".build" / "importlinter.ini"
MODULE_LISTS = ("root_packages", "source_modules", "forbidden_modules")


def main() -> int:
    """Check the contracts for what exists. Returns import-linter's exit code."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = settings.pop("contracts")
    config = ConfigParser()
    missing: set[str] = set()
    config["importlinter"] = section(settings, missing)
    if not config["importlinter"]["root_packages"]:
        print("directions: no package to check yet", file=sys.stderr)
        return 0
    for number, contract in enumerate(contracts, 1):
        if all(contract.get(key, True) for key in MODULE_LISTS):
            config[f"importlinter:contract:{number}"] = section(contract, missing)
    if missing:
        print(f"directions: not written yet: {', '.join(sorted(missing))}", file=sys.stderr)
    CONFIG.parent.mkdir(exist_ok=True)
    with CONFIG.open("w") as file:
        config.write(file)
    with redirect_stdout(StringIO()) as report:
        code = int(lint_imports(config_filename=str(CONFIG), cache_dir=str(ROOT / ".import_linter_cache")))
    if code:
        print(report.getvalue(), file=sys.stderr)
    else:
        print(f"directions: {len(contracts)} contracts kept")
    return code


def section(settings: dict[str, Any], missing: set[str]) -> dict[str, str]:
    """Settings as import-linter reads them from an ini file; modules that don't exist go to `missing` instead."""
    kept = dict(settings)
    for key in MODULE_LISTS:
        if key in kept:
            kept[key] = [module for module in kept[key] if exists(module)]
            missing |= set(settings[key]) - set(kept[key])
    return {key: "\n".join(["", *value]) if isinstance(value, list) else str(value) for key, value in kept.items()}


def exists(module: str) -> bool:
    """Whether a first-party module is there; patterns and other people's modules always are."""
    root, *rest = module.split(".")
    if root not in PLACES or "*" in module:
        return True
    path = PLACES[root].joinpath(*rest)
    return (path / "__init__.py").is_file() or (bool(rest) and path.with_suffix(".py").is_file())


if __name__ == "__main__":
    sys.exit(main())
