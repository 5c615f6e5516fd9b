"""`python -m services.matchmaking`: one matchmaking process."""

from ludolog.hosting import run
from services.matchmaking.service import bind

if __name__ == "__main__":
    run("matchmaking", bind)
