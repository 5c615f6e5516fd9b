"""Hostile input gets a typed answer and changes nothing (issue 4, section 4)."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from ludolog.client import Client
from ludolog.client.errors import ApiError
from tests.contract.api.shooting import PAGE, SOCKET, Gun, loaded, make
from tests.contract.api.target import SEATS, Target, play_out, renewed, running, seated_match
from tests.contract.api.valid import METHODS, VALID

SHOTS = 100_000
"""In all, over all shards."""
SHARDS = 4
QUIET = 4_000
"""Of those, shots between which the log is looked at."""
AT_ONCE = 32
BATCH = 10
RENEW_EVERY = 1_000
SETTLE_S = 0.3
OURS = ("ludolog", "services", "aiohttp")
OF_THE_HOST = {"TableService/StartTable", "TableService/AddBots"}
"""Accepted of one of many players, in one state of a table: now and then."""
NEVER_ACCEPTED = {"PlayerService/SignInHousePlayer", "PlayerService/DeletePlayer", "PlayService/Resign"}
"""The secret isn't guessed, who would erase somebody else's profile may not, and what is resigned is over."""
SOCKET_EVERY, PAGE_EVERY = 20, 25
EXPORT_TRIES = 300


def test_there_is_a_valid_request_for_every_public_method() -> None:
    assert set(VALID) == set(METHODS)


def way_of(number: int) -> str:
    """Most shots go in-process; a share over the port, a share to the page."""
    if number % SOCKET_EVERY == 0:
        return SOCKET
    return PAGE if number % PAGE_EVERY == 1 else ""


@pytest.mark.parametrize("shard", range(SHARDS))
async def test_requests_that_nobody_would_send(
    shard: int, tmp_path: Path, caplog: pytest.LogCaptureFixture, record_property: Callable[[str, object], None]
) -> None:
    shots = (SHOTS - QUIET) // SHARDS
    caplog.set_level(logging.ERROR)
    async with running(tmp_path) as target, loaded(target) as gun, bystanders(target) as bystanding:
        numbers = iter(range(shots))

        async def shoot() -> None:
            for number in numbers:
                if number % RENEW_EVERY == 0:
                    await renewed(target)
                await gun.fire(make(target, f"{shard}/{number}"), way_of(number))

        await asyncio.gather(*(shoot() for _ in range(AT_ONCE)))
        assert not target.platform.failed.done(), "a service has failed"
        bystanding.set()
    logged = [record for record in caplog.records if record.name.startswith(OURS)]
    assert not logged, "an error was logged"
    assert set(gun.tally.methods) == set(METHODS)
    assert {name for name in METHODS if not gun.tally.accepted[name]} <= NEVER_ACCEPTED | OF_THE_HOST
    record_property("codes", dict(gun.tally.codes))
    record_property("reasons", {f"{code} {reason}": count for (code, reason), count in gun.tally.reasons.items()})


@asynccontextmanager
async def bystanders(target: Target) -> AsyncIterator[asyncio.Event]:
    """People who play meanwhile, match after match until the event is set; in the end every record verifies."""
    enough = asyncio.Event()
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(target.client()) for _ in range(SEATS)]
        for number, person in enumerate(people):
            await person.sign_in_guest(f"Bystander {number}")
        playing = asyncio.create_task(_play_on(people, enough))
        try:
            yield enough
            matches = await playing
        finally:
            playing.cancel()
        assert matches
        for match in matches:
            await _verify(people[0], match)


async def _play_on(people: list[Client], enough: asyncio.Event) -> list[str]:
    matches = []
    while not enough.is_set():
        matches.append(await seated_match(people))
        await play_out(people, matches[-1])
    return matches


async def _verify(person: Client, match: str) -> None:
    for tries in itertools.count():
        try:
            assert (await person.replays.verify(match)).holds
        except ApiError:  # the seed is revealed a moment after the end
            assert tries < EXPORT_TRIES
            await asyncio.sleep(0.1)
        else:
            return


async def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    """While only refused requests come, no partition of any log grows."""
    async with running(tmp_path) as target, loaded(target) as gun:
        quiet = await _quiet_batches(target, gun)
    assert quiet > QUIET // BATCH // 10, "hardly any batch was refused whole"


async def _quiet_batches(target: Target, gun: Gun) -> int:
    quiet, before = 0, await target.end_offsets()
    for first in range(0, QUIET, BATCH):
        changed = gun.tally.changed
        shots = [make(target, f"quiet/{number}", patient=True) for number in range(first, first + BATCH)]
        # What a Play stream that was left has submitted may still come: its commands are the same as SubmitCommand's.
        await asyncio.gather(*(gun.fire(shot) for shot in shots if not shot.method.client_streaming))
        if gun.tally.changed == changed:
            assert await target.end_offsets() == before, "\n".join(map(str, shots))
            quiet += 1
        else:
            before = await _settled(target)
    return quiet


async def _settled(target: Target) -> dict[tuple[str, int], int]:
    """The ends of the logs, once nothing comes any more: a table that is started becomes a match a little later."""
    last: dict[tuple[str, int], int] = {}
    while (now := await target.end_offsets()) != last:
        last = now
        await asyncio.sleep(SETTLE_S)
    return now
