"""`python -m services.bots`: the house players of one process."""

from ludolog.hosting import run
from services.bots.service import bind

if __name__ == "__main__":
    run("bots", bind, log=False)
