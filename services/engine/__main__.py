"""`python -m services.engine`: one engine process; LUDOLOG_RULEBOOK names its rulebook."""

from ludolog.hosting import run
from services.engine.service import bind

if __name__ == "__main__":
    run("engine", bind)
