"""Simulate.

    python -m tests.simulation --seeds N [--seed FIRST] [--jobs J] [--mutant RULE]

Plays N histories, objects to the first violation of each, and says in its last line how many seeds and what was found.
Exit code 0: nothing (or, with --mutant: the mutant was caught). A failing seed prints the command that replays it.
"""

from __future__ import annotations

import sys

from tests.simulation.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
