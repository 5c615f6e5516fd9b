"""Make `.venv` and install a lock file into it. Runs on a bare Python 3.11+, with nothing installed yet.

    python3 tools/bootstrap.py run      what `make run` needs        (requirements.lock)
    python3 tools/bootstrap.py dev      what working on it needs     (requirements-dev.lock, a superset)

Doing it again is free: a stamp in the venv holds the digest of the lock file that was installed.
"""

from __future__ import annotations  # so that an older Python gets as far as the message that it is too old

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCKS = {"run": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}
OLDEST = (3, 11)

# By way of sh, as pip does it: a "#!" line can't hold a long path, nor one with spaces.
CONSOLE_SCRIPT = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys
from ludolog.cli import main
if __name__ == '__main__':
    sys.exit(main())
"""


def main(arguments: list[str]) -> int:
    """Bring the venv up to what `arguments` asks for ("run" or "dev"). Returns the exit code."""
    if len(arguments) != 1 or arguments[0] not in LOCKS:
        print(__doc__, file=sys.stderr)
        return 2
    if complaint := missing_from_this_python():
        print(f"ludolog: {complaint}", file=sys.stderr)
        return 1
    kind = arguments[0]
    if not is_installed(kind):
        make_venv()
        install(kind)
    return 0


def missing_from_this_python() -> str | None:
    """What keeps this Python from making a venv, said to a person; None if nothing does."""
    if sys.version_info < OLDEST:
        return (
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, this is {sys.version.split()[0]}. "
            "Name another one with: make PYTHON=/path/to/python3.11 ..."
        )
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        return (
            f"this Python ({sys.executable}) has no venv module. On Debian and Ubuntu: apt-get install python3-venv; "
            "elsewhere install Python from python.org or your package manager."
        )
    return None


def is_installed(kind: str) -> bool:
    """Whether the venv holds that lock file, or the larger one."""
    return any(stamp(larger).is_file() and stamp(larger).read_text() == digest(larger) for larger in {kind, "dev"})


def make_venv() -> None:
    """Create `.venv` if it isn't there, and make it see the checkout."""
    if not (VENV / "bin" / "python").exists():
        print(f"ludolog: making {VENV.name} with Python {sys.version.split()[0]}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    # Both roots by a .pth file: an editable install over two roots hides packages from mypy.
    site = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(VENV), "platbase": str(VENV)}))
    (site / "ludolog-checkout.pth").write_text(f"{ROOT / 'libs'}\n{ROOT}\n")
    script = VENV / "bin" / "ludolog"
    script.write_text(CONSOLE_SCRIPT.format(python=VENV / "bin" / "python"))
    script.chmod(0o755)


def install(kind: str) -> None:
    """Install the lock file of that kind, every download checked against its hash."""
    lock = LOCKS[kind]
    print(f"ludolog: installing {lock.name}", file=sys.stderr)
    # The lock is complete (--no-deps), and only wheels and sources whose hash it names are accepted.
    command = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    quiet = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
    subprocess.run([*command, "--no-deps", "--require-hashes", "-r", str(lock)], check=True, env=quiet)
    for other in LOCKS:
        stamp(other).unlink(missing_ok=True)
    stamp(kind).write_text(digest(kind))


def stamp(kind: str) -> Path:
    """The file that remembers which version of the lock is installed."""
    return VENV / f".installed-{kind}"


def digest(kind: str) -> str:
    """A digest of the lock file and of this script, which writes into the venv too."""
    return hashlib.sha256(LOCKS[kind].read_bytes() + Path(__file__).read_bytes()).hexdigest()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as failed:
        sys.exit(f"ludolog: {' '.join(failed.cmd[:5])} ... failed with exit code {failed.returncode}")
