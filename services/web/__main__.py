"""Run the page: settings from the environment."""

from ludolog.hosting import run
from services.web.service import bind

if __name__ == "__main__":
    run("web", bind, log=False)
