"""Which services the one process holds, and what it says once they serve."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ludolog.hosting import Platform, Service
from ludolog.hosting.settings import Settings, variable
from ludolog.rulebooks import catalogue
from services.bots.service import bind as bots
from services.engine.service import bind as engine
from services.gateway.service import bind as gateway
from services.matchmaking.service import bind as matchmaking
from services.replay.service import bind as replay
from services.rng.service import bind as rng
from services.spectator.service import bind as spectator
from services.web.service import bind as web

EXAMPLE = "tempel_des_schreckens"
DRAIN_S = 2.0


def services() -> list[Service]:
    """Every service, those that others call first."""
    return [
        Service("rng", rng),
        Service("replay", replay),
        Service("spectator", spectator),
        *(Service("engine", engine, rulebook=name) for name in catalogue.names()),
        Service("matchmaking", matchmaking),
        Service("gateway", gateway),
        Service("bots", bots),
        Service("web", web),
    ]


def impatient(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """Open streams get `DRAIN_S` seconds at the stop, unless the environment says otherwise.

    A person waits at the terminal, and no other instance is there to take the streams over meanwhile.
    """
    return settings if variable("drain_s") in environ else dataclasses.replace(settings, drain_s=DRAIN_S)


def announce(platform: Platform) -> None:
    """Print where everything is, as soon as everything serves."""
    _ = platform.hosts["web"].spawn("announce", _announce(platform))


async def _announce(platform: Platform) -> None:
    await platform.health.wait_serving()
    settings, ports = platform.settings, platform.ports
    gateway = f"{settings.host}:{ports['gateway_port']}"
    address = "" if ports["gateway_port"] == type(settings)().gateway_port else f" --address {gateway}"
    print(  # noqa: T201 - this is for the person at the terminal
        f"""
Ludolog is running. Data: {settings.data}

  page      http://{settings.host}:{ports["web_port"]}
  gateway   {gateway} (gRPC)

  play      .venv/bin/ludolog play {EXAMPLE} --bots 4{address}
  watch     .venv/bin/ludolog watch{address}
  stop      Ctrl-C (matches go on where they were at the next start)
""",
        flush=True,
    )
