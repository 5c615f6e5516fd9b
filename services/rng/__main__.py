"""`python -m services.rng`: one rng process."""

from ludolog.hosting import run
from services.rng.service import bind

if __name__ == "__main__":
    run("rng", bind)
