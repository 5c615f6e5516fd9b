"""Two instances on one log, over sockets: a call may come to either, and one may leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from deploy.dev.keys import public_half
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service, Settings, SystemClock
from ludolog.hosting.identity import load_keyring
from ludolog.sessions.memory import MemoryCache
from tests.integration.matchmaking.house import BINDS, PATIENCE_S, RULEBOOK, Person, full_table, parts_of

RNG_KEY = "k1 " + "5a" * 32 + "\n"


def cluster(folder: Path, **changes: Any) -> Settings:
    """Settings of a process of its own; nobody answers for names."""
    key_file, seeds = folder / "identity.pem", folder / "rng.keys"
    load_keyring(key_file, SystemClock(), embedded=True)
    trusted = folder / "trusted"
    trusted.mkdir(exist_ok=True)
    for signer in ("gateway", *BINDS):
        (trusted / f"{signer}.pub").write_bytes(public_half(key_file))
    if not seeds.exists():
        seeds.touch(mode=0o600)
        seeds.write_text(RNG_KEY)
    return Settings(
        mode="cluster",
        data=folder,
        identity_key_file=key_file,
        trusted_keys=trusted,
        rng_key_files=(seeds,),
        players_address="127.0.0.1:9",
        replay_address="127.0.0.1:9",
        partitions=8,
        **changes,
    )


@asynccontextmanager
async def two_instances(folder: Path) -> AsyncIterator[tuple[Platform, Platform]]:
    """Rng and engine in one process, matchmaking in two more; log and cache are shared."""
    log, cache = SqliteLog(folder), MemoryCache()
    async with AsyncExitStack() as stack:

        async def process(settings: Settings, *services: str) -> Platform:
            made = await stack.enter_async_context(await Platform.create(settings, log=log, cache=cache))
            for name in services:
                await made.add(Service(name, BINDS[name], rulebook=RULEBOOK if name == "engine" else ""))
            return made

        rng = await process(cluster(folder), "rng")
        address = rng.hosts["rng"].address
        engine = await process(cluster(folder, rng_address=address, rulebook=RULEBOOK), "engine")
        first = await process(cluster(folder, rng_address=address), "matchmaking")
        second = await process(cluster(folder, rng_address=address), "matchmaking")
        for made in (first, second):
            made.settings = cluster(folder, matchmaking_address=made.hosts["matchmaking"].address)
        async with asyncio.timeout(PATIENCE_S):
            for made in (rng, engine, first, second):
                await made.health.wait_serving()
        yield first, second


async def test_every_call_may_come_to_either_instance_and_one_may_leave(tmp_path: Path) -> None:
    async with two_instances(tmp_path) as (first, second):
        owners = [parts_of(made).owner for made in (first, second)]
        async with asyncio.timeout(PATIENCE_S):
            while any(len(owner.serving()) != 4 for owner in owners):  # noqa: ASYNC110 - the group doesn't say
                await asyncio.sleep(0.01)
        here, there = [Person(first, letter) for letter in "abc"], [Person(second, letter) for letter in "abc"]
        tables = [await full_table([here[0], there[1], here[2]]) for _ in range(6)]
        assert any(owners[0].serves(table.name.removeprefix("tables/")) for table in tables)
        assert any(owners[1].serves(table.name.removeprefix("tables/")) for table in tables)
        for table in tables:
            await there[0].start(table.name)
            playing = await here[0].playing(table.name)
            assert await there[0].playing(table.name) == playing
        tickets = [await one.queue() for one in (here[0], there[1], here[2])]

        async def matched() -> bool:
            return bool((await there[0].ticket(tickets[0].name)).table)

        async with asyncio.timeout(PATIENCE_S):
            while not await matched():  # noqa: ASYNC110 - nobody says when the answer changes
                await asyncio.sleep(0.01)
        left = await full_table([there[0], here[1], there[2]])
        await first.hosts["matchmaking"].drain()
        await there[0].start(left.name)
        assert (await there[0].playing(left.name)).match
