"""Callers: they send commands to any engine, give up waiting, and repeat, whatever they were told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from ludolog.api.log.v1 import log_pb2
from tests.simulation.game import Order

if TYPE_CHECKING:
    from tests.simulation.world import World

DEADLINE_S = (0.05, 4.0)


@dataclass(eq=False)
class Command:
    """A command and what its caller was told in the end."""

    stream_id: str
    actor: str
    command_id: str
    order: Order
    result: str = ""

    def cause(self) -> log_pb2.Cause:
        return log_pb2.Cause(actor=self.actor, command_id=self.command_id, body=msgspec.json.encode(self.order))


async def attempt(world: World, command: Command, process: int, cause: log_pb2.Cause | None = None) -> str:
    """Send a command to an engine and wait for a while. UNKNOWN where no answer came, or it was lost."""
    engine = world.engines.get(process)
    if engine is None:
        return "UNKNOWN"
    call = world.loop.start(engine.serve(command.stream_id, cause or command.cause()), process)
    await asyncio.wait((call,), timeout=world.rng.uniform(*DEADLINE_S))
    if not call.done():
        if world.rng.random() < world.weather.cancels:
            call.cancel()
            world.eye.stats["calls cancelled"] += 1
        return "UNKNOWN"
    if call.cancelled() or (not world.store.calm and world.rng.random() < 0.05):
        return "UNKNOWN"
    return call.result()


async def play(world: World, command: Command) -> None:
    """One caller's attempts while there are faults."""
    rng = world.rng
    await asyncio.sleep(rng.uniform(0, world.weather.seconds))
    if command.order.expects is not None:
        command.order = msgspec.structs.replace(command.order, expects=len(world.eye.entries(command.stream_id)))
    for _ in range(rng.randint(1, 4)):
        process = world.some_engine(command.stream_id)
        if rng.random() < world.weather.reuse and command.order.expects is None:
            world.loop.spawn(_reuse(world, command, process))
        elif rng.random() < world.weather.doubled:
            world.loop.spawn(_remember(world, command, world.some_engine(command.stream_id)))
        await _remember(world, command, process)
        if command.order.kind == "new" and command.result:
            return
        await asyncio.sleep(rng.expovariate(2))


async def _remember(world: World, command: Command, process: int) -> None:
    epoch = world.store.epoch
    result = await attempt(world, command, process)
    if result in ("OK", "REFUSED") and epoch == world.store.epoch:
        command.result = command.result or result


async def _reuse(world: World, command: Command, process: int) -> None:
    """The same id with another body: a fault of the client."""
    other = msgspec.structs.replace(command.order, salt=command.order.salt + 1, kind="any")
    cause = log_pb2.Cause(actor=command.actor, command_id=command.command_id, body=msgspec.json.encode(other))
    await attempt(world, command, process, cause)


async def insist(world: World, command: Command) -> None:
    """When the faults have stopped: repeat until there is an answer."""
    while not command.result:
        epoch = world.store.epoch
        result = await attempt(world, command, world.owner_of(command.stream_id))
        if result != "UNKNOWN" and epoch == world.store.epoch:
            command.result = result
        await asyncio.sleep(0.1)


def creation(stream_id: str, attempt_number: int) -> Command:
    """What founds a match: always the same command."""
    return Command(stream_id, "matchmaking", f"create:{stream_id}", Order("new", draw=True))


async def open_table(world: World, stream_id: str) -> None:
    """The job that sends CreateMatch until it has a definite answer; it starts again with its process."""
    await asyncio.sleep(world.rng.uniform(0, world.weather.seconds / 3))
    tries = 0
    while world.tables.get(stream_id) is None:
        epoch, tries = world.store.epoch, tries + 1
        command = world.creation(stream_id, tries)
        result = await attempt(world, command, world.some_engine(stream_id))
        if epoch != world.store.epoch:
            continue
        if result == "OK":
            world.tables[stream_id] = "opened"
        elif result == "REFUSED" or (result == "UNKNOWN" and tries >= world.give_up_after):
            world.tables[stream_id] = "voided"
            world.eye.void_table(stream_id)
        await asyncio.sleep(world.rng.expovariate(5))
