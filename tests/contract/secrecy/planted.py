"""`python -m tests.contract.secrecy.planted services.NAME`: a service's process with planting rulebooks.

Its clock stands still, so that two worlds have the same times.
"""

from __future__ import annotations

import runpy
import sys

from ludolog.hosting import platform
from tests.contract.secrecy.planting import planting_services
from tests.contract.secrecy.worlds import StandingClock

if __name__ == "__main__":
    vars(platform)["SystemClock"] = StandingClock
    with planting_services():
        runpy.run_module(sys.argv[1], run_name="__main__", alter_sys=True)
