"""Members of a group that die or stand still, and how soon the others have their partitions."""

import asyncio
import json
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog
from tests.contract.ports.worlds import PATIENCE_S, Recorder, new_topic
from tests.integration.ports.test_eventlog_kafka import SETTINGS

GROUP = "engines"
# On top of the session timeout: noticing, and giving out anew.
GRACE_S = 4

Start = Callable[[str], Awaitable[Process]]


@pytest.fixture
async def log(kafka: Kafka) -> AsyncIterator[KafkaLog]:
    log = KafkaLog(kafka.bootstrap, SETTINGS)
    yield log
    await log.close()


@pytest.fixture
async def start_member(kafka: Kafka) -> AsyncIterator[Start]:
    """Starts members in processes of their own; they end with the test."""
    members: list[Process] = []

    async def start(topic: str) -> Process:
        command = ["-m", "tests.integration.ports.member", kafka.bootstrap, topic, GROUP]
        members.append(await asyncio.create_subprocess_exec(sys.executable, *command, stdout=PIPE))
        return members[-1]

    yield start
    for member in members:
        if member.returncode is None:
            member.kill()
        await member.communicate()


async def said(member: Process) -> tuple[str, frozenset[int]]:
    """The next callback that it was given."""
    assert member.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        what, partitions = json.loads(await member.stdout.readline())
    return what, frozenset(partitions)


async def test_a_killed_members_partitions_are_taken_over_within_the_session_timeout(
    log: KafkaLog, start_member: Start
) -> None:
    topic = await new_topic(log, 8)
    mine = Recorder()
    await log.join(topic, GROUP, "survivor", mine.listener)
    await mine.until(lambda: len(mine.mine) == 8)
    member = await start_member(topic)
    assert (await said(member))[0] == "assigned"
    await mine.until(lambda: len(mine.mine) == 4)
    assert mine.names == ["assigned", "revoked"]
    began = time.monotonic()
    member.kill()
    await mine.until(lambda: len(mine.mine) == 8)
    assert time.monotonic() - began < SETTINGS.session_timeout_ms / 1000 + GRACE_S
    assert mine.names == ["assigned", "revoked", "assigned"]
    assert not mine.overlapped


async def test_a_frozen_member_learns_that_it_has_lost_its_partitions(log: KafkaLog, start_member: Start) -> None:
    topic = await new_topic(log, 8)
    member = await start_member(topic)
    assert await said(member) == ("assigned", frozenset(range(8)))
    mine = Recorder()
    await log.join(topic, GROUP, "survivor", mine.listener)
    assert (await said(member))[0] == "revoked"
    await mine.until(lambda: len(mine.mine) == 4)
    theirs = frozenset(range(8)) - mine.mine
    member.send_signal(signal.SIGSTOP)
    await mine.until(lambda: len(mine.mine) == 8)
    member.send_signal(signal.SIGCONT)
    assert await said(member) == ("lost", theirs)
    what, partitions = await said(member)
    assert what == "assigned"
    await mine.until(lambda: mine.mine == frozenset(range(8)) - partitions)


def be_busy(seconds: float) -> None:
    """Let nobody else on the event loop run."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


async def test_a_busy_event_loop_misses_no_heartbeat(log: KafkaLog, start_member: Start) -> None:
    topic = await new_topic(log, 4)
    mine = Recorder()
    membership = await log.join(topic, GROUP, "busy", mine.listener)
    await mine.until(lambda: len(mine.mine) == 4)
    member = await start_member(topic)
    assert (await said(member))[0] == "assigned"
    await mine.until(lambda: len(mine.mine) == 2)
    be_busy(1.5 * SETTINGS.session_timeout_ms / 1000)
    # Whoever joins now is given a share by a group that has heard of us all the time.
    third = await start_member(topic)
    assert (await said(third))[0] == "assigned"
    assert "lost" not in mine.names
    assert membership.assigned() == mine.mine


async def test_a_slow_revocation_does_not_cost_the_membership(log: KafkaLog, start_member: Start) -> None:
    topic = await new_topic(log, 4)
    mine = Recorder()
    membership = await log.join(topic, GROUP, "slow", mine.listener)
    await mine.until(lambda: len(mine.mine) == 4)
    mine.hold = asyncio.Event()
    member = await start_member(topic)
    await mine.until(lambda: "revoked" in mine.names)
    giving_up = mine.calls[-1][1]
    # Longer than the session timeout: heartbeats go on meanwhile.
    other = asyncio.create_task(said(member))
    await asyncio.wait([other], timeout=SETTINGS.session_timeout_ms / 1000 + 1)
    assert not other.done()
    assert membership.assigned() == frozenset(range(4))
    mine.hold.set()
    assert await other == ("assigned", giving_up)
    assert mine.names == ["assigned", "revoked"]


async def test_members_come_and_go_all_the_time(kafka: Kafka, log: KafkaLog) -> None:
    topic = await new_topic(log, 16)
    steady = Recorder()
    await log.join(topic, GROUP, "steady", steady.listener)
    await steady.until(lambda: len(steady.mine) == 16)
    for number in range(4):
        guest, second = Recorder(), Recorder()
        one = await log.join(topic, GROUP, f"guest-{number}", guest.listener)
        two = await log.join(topic, GROUP, f"second-{number}", second.listener)
        await guest.until(lambda guest=guest: len(guest.mine) >= 5)  # type: ignore[misc]
        await second.until(lambda second=second: len(second.mine) >= 5)  # type: ignore[misc]
        await asyncio.gather(one.leave(), two.leave())
        await steady.until(lambda: len(steady.mine) == 16)
        assert guest.names[-1] == "revoked"
        assert not guest.mine | second.mine
    assert "lost" not in steady.names
    assert not steady.overlapped
