"""`python -m services.rng.new_key FILE`: make a master key, in a new file that its owner alone can read.

Put FILE in front of LUDOLOG_RNG_KEY_FILES, keep the old files behind it, and restart the rng. Back FILE up.
"""

from __future__ import annotations

import sys
from pathlib import Path

from services.rng.keys import BadKeys, make_key_file


def main(arguments: list[str]) -> int:
    """Do it; return the exit code: 0 done, 2 it can't be done."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        key_id = make_key_file(Path(arguments[0]))
    except BadKeys as error:
        sys.stderr.write(f"new_key: {error}\n")
        return 2
    sys.stdout.write(f"key {key_id} is in {arguments[0]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
