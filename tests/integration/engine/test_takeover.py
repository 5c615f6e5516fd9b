"""Two engines on one log: partitions move between them, nothing is lost or done twice, clocks begin anew."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service, Settings
from ludolog.hosting.retries import repeated
from ludolog.record.commits import Head, continues, next_head
from ludolog.record.file import write_record
from ludolog.record.verify import verify
from ludolog.sessions.memory import MemoryCache
from services.engine import service as engine
from services.engine import timers
from services.engine.engine import GROUP
from services.rng import service as rng
from tests.infra.asking import SimulatedClock, refused
from tests.integration.engine.house import RULEBOOK, TOPIC, Table, after_commits, running

T = TypeVar("T")
ENGINE = f"engine/{RULEBOOK}"


class House:
    """Two processes on one log and cache, each with an engine and an rng of its own."""

    def __init__(self, log: SqliteLog, clock: SimulatedClock, platforms: list[Platform]) -> None:
        self.log, self.clock, self.platforms = log, clock, platforms

    async def ask(self, table: Table, call: Callable[[], Awaitable[T]]) -> T:
        """Ask one engine after the other, as a gateway does, until there is an answer."""

        async def attempt(_left_s: float) -> T:
            self.platforms.reverse()
            table.platform = self.platforms[0]
            return await call()

        return await repeated(attempt, 5)

    async def view(self, table: Table) -> match_pb2.Update:
        """What seat 1 sees; leaves the table at the engine that serves it."""
        return await self.ask(table, lambda: table.view(1))

    async def drain(self, table: Table) -> Platform:
        """Have the engine that serves the table leave in order; return its process."""
        await self.view(table)
        former = table.platform
        await former.hosts[ENGINE].drain()
        return former


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(timers, "LOOK_AGAIN_S", 0.005)
    log, cache, clock = SqliteLog(tmp_path), MemoryCache(), SimulatedClock()
    async with AsyncExitStack() as stack:
        platforms = []
        for _ in range(2):
            made = await Platform.create(Settings(data=tmp_path), clock=clock, log=log, cache=cache)
            platforms.append(await stack.enter_async_context(made))
            await made.add(Service("rng", rng.bind))
            await made.add(Service("engine", engine.bind, rulebook=RULEBOOK))
        for platform in platforms:
            await platform.health.wait_serving()
        yield House(log, clock, platforms)


async def founded(house: House, decision_time_s: int = 0) -> Table:
    table = Table(house.platforms[0], decision_time_s=decision_time_s)
    await table.prepare()
    await house.ask(table, table.create)
    return table


async def whole(table: Table) -> list[str]:
    """Command ids of the match's counted commits, which must be one chain."""
    head = Head()
    commits = await table.commits()
    for counted in commits:
        assert continues(head, counted.commit)
        head = next_head(counted.value, counted.commit)
    return [counted.commit.cause.command_id for counted in commits]


@pytest.mark.parametrize("lost", [False, True])
async def test_a_match_whose_partition_is_taken_away_again_and_again_is_played_to_its_end(
    house: House, lost: bool
) -> None:
    table = await founded(house)
    partition = partition_of(table.match_id, await house.log.partitions(TOPIC))
    moves: list[tuple[int, play_pb2.SubmitCommandRequest]] = []
    while not (await house.view(table)).HasField("outcome"):
        move = await table.some_move(f"move-{len(moves)}")
        moves.append(move)
        receipt = await table.submit(*move)
        await house.log.reassign(TOPIC, GROUP, {partition}, lost=lost)
        assert await house.ask(table, partial(table.submit, *move)) == receipt
    assert await whole(table) == [f"create:{table.match_id}", *(f"move-{number}" for number in range(len(moves)))]
    record = write_record([counted.value for counted in await table.commits()], await table.seed())
    assert verify(record).holds


async def test_an_engine_that_left_knows_nothing_and_the_next_one_goes_on(house: House) -> None:
    table = await founded(house)
    before = await house.view(table)
    former = await house.drain(table)
    assert await house.view(table) == before
    assert table.platform is not former
    await table.play_on()
    ids = await whole(table)
    table.platform = former
    gone = await refused(table.view(1))
    assert gone.reason == "NOT_OWNER"
    assert await whole(table) == ids


async def test_after_a_takeover_a_running_decision_gets_its_full_time_and_its_default_once(house: House) -> None:
    table = await founded(house, decision_time_s=60)
    house.clock.seconds += 59
    await house.drain(table)
    [waiting] = (await house.view(table)).awaiting
    began_ms = house.clock.now_ms()

    async def look() -> bool | None:
        """The next owner has looked at the match, though nobody has asked it to."""
        return True if (await table.view(1)).awaiting[0].HasField("deadline") else None

    await after_commits(table.platform, look)
    assert (await table.view(1)).awaiting[0].deadline.ToMilliseconds() == began_ms + 60_000
    house.clock.seconds += 59
    assert len(await whole(table)) == 1
    house.clock.seconds += 1

    async def decided() -> bool | None:
        return True if (await table.view(1)).sequence == 2 else None

    await after_commits(table.platform, decided)
    assert await whole(table) == [f"create:{table.match_id}", f"timeout:1:{waiting.decision_id}"]


async def test_a_flushed_cache_costs_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        await table.found()
        seat, request = await table.some_move("before")
        receipt = await table.submit(seat, request)
        assert isinstance(platform.cache, MemoryCache)
        platform.cache.flush()
        assert await table.submit(seat, request) == receipt
        assert (await table.play_on()).HasField("outcome")
