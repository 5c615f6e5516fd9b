"""python -m services.spectator: the spectator service as a process of its own."""

from ludolog.hosting import run
from services.spectator.service import bind

if __name__ == "__main__":
    run("spectator", bind)
