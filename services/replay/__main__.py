"""python -m services.replay: the archive as a process of its own."""

from ludolog.hosting import run
from services.replay.service import bind

if __name__ == "__main__":
    run("replay", bind)
