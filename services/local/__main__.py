"""`python -m services.local`: the whole platform in one process; what `make run` runs."""

import os
import sys

from ludolog.hosting import load_or_exit, run_services
from services.local.service import announce, impatient, services

if __name__ == "__main__":
    sys.exit(run_services(impatient(load_or_exit(), os.environ), services(), announce))
