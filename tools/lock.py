"""Resolve pyproject.toml into the two lock files, with hashes, for every platform, and without a registry's address.

python tools/lock.py               keep what still fits, add what is missing
python tools/lock.py --upgrade     take the newest versions that pyproject.toml allows
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(options: list[str]) -> int:
    """Rewrite both lock files; `options` go to `uv pip compile`. Returns the first exit code that isn't 0."""
    return resolve("requirements.lock", "--group=protos", *options) or resolve(
        # Constrained by the first, so that what runs is what was tested.
        "requirements-dev.lock",
        "--group=dev",
        "--constraints=requirements.lock",
        *options,
    )


def resolve(lock: str, *options: str) -> int:
    """Write one lock file. Returns uv's exit code; its complaints go to stderr."""
    uv = Path(sys.executable).parent / "uv"
    always = ("--quiet", "--universal", "--generate-hashes", "--no-annotate", "--python-version=3.11", "--extra=server")
    command = [str(uv), "pip", "compile", *always, *options, "pyproject.toml", f"--output-file={lock}"]
    # uv writes into the file's head how it was made: name our command instead of one with paths of this machine.
    environment = {**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make lock"}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
