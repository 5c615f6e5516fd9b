"""The files of the checkout, as the tidy tests look at them."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ROOT / "libs" / "ludolog" / "rulebooks"
SERVICES = ROOT / "services"


@cache
def files() -> tuple[Path, ...]:
    """Every file that is committed, or would be by `git add .`, relative to the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(path for name in listed.split("\0") if name and (ROOT / (path := Path(name))).is_file())


def python_files(*folders: str) -> list[Path]:
    """The Python files, of these top folders or of all, relative to the root."""
    return [path for path in files() if path.suffix == ".py" and (not folders or path.parts[0] in folders)]


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse((ROOT / path).read_text(), filename=str(path))


def packages(folder: Path) -> list[str]:
    """The names of the packages in a folder; none if it isn't there."""
    return sorted(path.parent.name for path in folder.glob("*/__init__.py"))
