"""Run the gateway: settings from the environment."""

from ludolog.hosting import run
from services.gateway.service import bind

if __name__ == "__main__":
    run("gateway", bind, log=False)
