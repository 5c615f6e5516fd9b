"""`python -m services.local`: the whole platform in one process; what `make run` runs."""

import sys

from ludolog.hosting import load_or_exit, run_services
from services.local.service import announce, services

if __name__ == "__main__":
    sys.exit(run_services(load_or_exit(), services(), announce))
