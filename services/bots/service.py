"""The house players of this process, put together."""

from __future__ import annotations

import asyncio

from ludolog.hosting import Host
from ludolog.rulebooks import catalogue
from services.bots.crew import Crew, house_name
from services.bots.playing import Manner


async def bind(host: Host) -> None:
    """Sign the house players in, and have them play. With LUDOLOG_BOTS=0 there are none."""
    settings = host.settings
    if not settings.bots:
        return
    commands = host.metrics.counter("ludolog_bots_commands", "Commands of house players.", ("result",))
    names = [house_name(settings.bots_first + number) for number in range(settings.bots)]
    manner = Manner(settings.bot_delay_ms / 1000, acted=lambda result: commands.labels(result).inc())
    rulebooks = catalogue.build_all(settings.content_dir)
    crew = Crew(host.channel("gateway"), names, host.house_secret(), manner, settings.bot_seats, rulebooks)
    host.metrics.gauge("ludolog_bots_seats", "Seats that house players play or take.").set_function(
        lambda: crew.at_work
    )
    host.serving("house players", ok=False, why="not signed in yet")
    running = host.spawn("house players", _run(host, crew))

    async def stop() -> None:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    host.on_drain(stop)


async def _run(host: Host, crew: Crew) -> None:
    await crew.sign_in()
    host.serving("house players", ok=True)
    await crew.run()
