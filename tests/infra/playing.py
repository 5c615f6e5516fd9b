"""A player who acts at random through the SDK and writes down what was acknowledged; and the look into the log."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.client import Client, Refused
from ludolog.client.playing import new_command_id
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import EventLog
from ludolog.eventlog.takeovers import Checkpoint, Counted, Fence

RULEBOOK = "tempel_des_schreckens"
TOPIC = f"ludolog.{RULEBOOK}.log"
MOVE = match_pb2.CommandKind.COMMAND_KIND_MOVE
BATCH = 500
OVERTAKEN = frozenset({"STALE_DECISION", "GAME_OVER", "NOT_KEY_PLAYER"})
"""Refusals of a move that a clock was quicker with."""


@dataclass
class Journal:
    """What one seat was told: command id → sequence number of its receipt; and the numbers of its updates."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    seen: list[int] = field(default_factory=list)
    ended: str = ""


async def new_table(host: Client, seats: int, bots: int, *, decision_time_s: float | None = None) -> tables_pb2.Table:
    """A table with the host at seat 1 and house players wanted."""
    table = await host.tables.create(RULEBOOK, seats, decision_time_s=decision_time_s)
    table = await host.tables.join(table)
    return await host.tables.add_bots(table, bots) if bots else table


async def match_of(host: Client, table: tables_pb2.Table) -> str:
    """Wait for the others, start, and return the match's name."""
    await host.tables.until_full(table)
    await host.tables.start(table)
    return (await host.tables.until_playing(table)).match


async def play(
    client: Client, match: str, seat: int, meanwhile: Callable[[int], Awaitable[None]] | None = None
) -> Journal:
    """Play a seat to the end. `meanwhile(n)` is awaited after the n-th acknowledged move."""
    journal = Journal()
    chance = random.Random(seat)
    async with client.play(match, seat) as playing:
        async for update in playing:
            journal.seen.append(update.sequence)
            journal.ended = update.outcome.reason
            moves = [entry for entry in update.legal_commands if entry.kind == MOVE]
            if not moves:
                continue
            command_id = new_command_id()
            try:
                receipt = await playing.submit(chance.choice(moves), command_id=command_id, timeout_s=60)
            except Refused as refused:
                if refused.reason not in OVERTAKEN:
                    raise
                continue
            journal.acknowledged[command_id] = receipt.sequence
            if meanwhile is not None:
                await meanwhile(len(journal.acknowledged))
    return journal


async def counted_of(log: EventLog, match: str, topic: str = TOPIC) -> list[Counted]:
    """Every commit of a match, or of another topic's stream, that counts, as the log has it."""
    match_id = match.removeprefix("matches/")
    partition = partition_of(match_id, await log.partitions(topic))
    fence, found = Fence(Checkpoint()), []
    while batch := await log.read(topic, partition, fence.position, BATCH):
        found += [counted for counted in fence.count(batch) if counted.commit.stream_id == match_id]
    return found


async def commits_of(log: EventLog, match: str) -> list[tuple[int, str, str]]:
    """(sequence, actor, command id) of every commit of a match that counts, as the log has them."""
    causes = [(one.commit.sequence, one.commit.cause) for one in await counted_of(log, match)]
    return [(sequence, cause.actor, cause.command_id) for sequence, cause in causes]


async def assert_log_keeps(log: EventLog, match: str, journals: dict[int, Journal]) -> None:
    """Every acknowledged command is in the log once, at its number; numbers have no gaps; no seat missed an update."""
    commits = await commits_of(log, match)
    assert [sequence for sequence, _, _ in commits] == list(range(1, len(commits) + 1))
    times = Counter((actor, command_id) for _, actor, command_id in commits)
    assert max(times.values()) == 1, times.most_common(3)
    at = {(actor, command_id): sequence for sequence, actor, command_id in commits}
    for seat, journal in journals.items():
        for command_id, sequence in journal.acknowledged.items():
            assert at.get((f"seats/{seat}", command_id)) == sequence, f"seat {seat}: {command_id} isn't at {sequence}"
        assert journal.seen == list(range(journal.seen[0], len(commits) + 1)), "an update was missed or came twice"
        assert journal.ended
