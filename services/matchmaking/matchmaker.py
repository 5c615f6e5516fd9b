"""What the owner of a partition does by itself: make matches, open formed tables, fill queues, close forgotten tables.

Every command id is fixed by its cause, so that repeats, two owners and a crash in between are one command
(docs/protocol.md, "From table to match").
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TypeAlias

import grpc

from ludolog.api.engine.v1 import engine_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.partitioning import partition_of
from ludolog.hosting import Clock
from ludolog.hosting.errors import told
from services.matchmaking import requests
from services.matchmaking.aggregate import QUEUES, State
from services.matchmaking.commanding import Commander, is_definite
from services.matchmaking.jobs import Jobs
from services.matchmaking.queues import Formed, Queue
from services.matchmaking.tables import Phase, Table

CreateMatch: TypeAlias = Callable[[engine_pb2.CreateMatchRequest], Awaitable[object]]
"""What an engine does. AioRpcError."""
Look: TypeAlias = Callable[[str], Awaitable[State]]
"""Stream → confirmed state."""
LOOK_S = 0.25
NOBODY_CAME = "nobody came"
logger = logging.getLogger(__name__)


class Matchmaker:
    """`fill_ms` is None where house players never fill a queue's table."""

    def __init__(
        self,
        *,
        partitions: int,
        clock: Clock,
        commander: Commander,
        create_match: CreateMatch,
        look: Look,
        fill_ms: int | None,
        idle_s: float,
        jobs: Jobs | None = None,
    ) -> None:
        self.jobs = jobs or Jobs()
        self._partitions, self._clock, self._commander = partitions, clock, commander
        self._create_match, self._look = create_match, look
        self._fill_ms, self._idle_s = fill_ms, idle_s
        self._served: dict[int, dict[str, Queue]] = {}
        self._seen_s: dict[str, dict[str, float]] = {}
        """When each ticket of a queue was first seen to wait. A new owner begins anew: wall clocks may jump."""
        self._open: OrderedDict[str, float] = OrderedDict()

    def queues(self) -> list[tuple[str, Queue]]:
        """(rulebook, queue) of each queue in a partition that is served here. Other threads may ask, too."""
        served = [item for queues in list(self._served.values()) for item in list(queues.items())]
        return [(stream_id.removeprefix(QUEUES), queue) for stream_id, queue in served]

    # ---- what the owner tells

    def began(self, partition: int, streams: Iterable[str]) -> None:
        """A partition is taken over, with these streams unfinished: look at each for what is to be done."""
        self.ended(partition)
        self._served[partition] = {}
        for stream_id in streams:
            self.jobs.start(("look", stream_id), partition, partial(self._look_at, stream_id))

    def ended(self, partition: int) -> None:
        """The partition is somebody else's business."""
        self.jobs.drop(partition)
        for stream_id in self._served.pop(partition, {}):
            self._seen_s.pop(stream_id, None)
        for table_id in [one for one in self._open if partition_of(one, self._partitions) == partition]:
            del self._open[table_id]

    def see(self, stream_id: str, state: State) -> None:
        """A stream as it stands, in a partition that is served."""
        partition = partition_of(stream_id, self._partitions)
        if partition not in self._served:
            return
        if isinstance(state, Queue):
            self._served[partition][stream_id] = state
            seen_s, now_s = self._seen_s.get(stream_id, {}), self._clock.monotonic()
            self._seen_s[stream_id] = {t.ticket_id: seen_s.get(t.ticket_id, now_s) for t in state.waiting}
            for formed in state.formed.values():
                work = partial(self._open_formed, stream_id, formed)
                self.jobs.start(("opening", formed.table_id), partition, work)
            return
        self._open.pop(stream_id, None)
        if state.phase is Phase.OPEN:
            self._open[stream_id] = self._clock.monotonic()
        elif state.phase is Phase.STARTED:
            self.jobs.start(("match", stream_id), partition, partial(self._make_match, stream_id, state))

    # ---- what time brings

    async def run(self) -> None:
        """Look at the clock, for ever."""
        while True:
            self.tick()
            await asyncio.sleep(LOOK_S)

    def tick(self) -> None:
        """Begin what is due now."""
        for partition, queues in self._served.items():
            for stream_id, queue in queues.items():
                self._fill(partition, stream_id, queue)
        before_s = self._clock.monotonic() - self._idle_s
        while self._open and (oldest := next(iter(self._open.items())))[1] <= before_s:
            self._close(oldest[0])

    def _fill(self, partition: int, stream_id: str, queue: Queue) -> None:
        if self._fill_ms is None:
            return
        before_s = self._clock.monotonic() - self._fill_ms / 1000
        for table_id, seats in queue.due(self._seen_s[stream_id], before_s):
            command = pb.FormTable(table_id=table_id, seat_count=seats)
            work = partial(self._settle, stream_id, f"fill:{table_id}", command)
            self.jobs.start(("filling", table_id), partition, work)

    def _close(self, table_id: str) -> None:
        since_s = self._open.pop(table_id)
        command = pb.CloseTable(reason=NOBODY_CAME)
        work = partial(self._settle, table_id, f"close:{since_s:.3f}", command)
        self.jobs.start(("closing", table_id), partition_of(table_id, self._partitions), work)

    # ---- work

    async def _settle(self, stream_id: str, command_id: str, command: pb.FormTable | pb.CloseTable) -> None:
        await self._commander.settle(stream_id, command_id, command)

    async def _look_at(self, stream_id: str) -> None:
        self.see(stream_id, await self._look(stream_id))

    async def _make_match(self, table_id: str, table: Table) -> None:
        """Ask for the match until the engine says yes or no; then note which."""
        founding = log_pb2.CreateMatch.FromString(table.founding)
        request = engine_pb2.CreateMatchRequest(name=f"matches/{table_id}", founding=founding)
        try:
            await self._create_match(request)
        except grpc.aio.AioRpcError as error:
            if not is_definite(error):
                raise
            answer = told(error)
            logger.warning("a match can't be played", extra={"match": table_id, "reason": answer.reason})
            void = pb.VoidTable(reason=f"{answer.reason}: {answer.message}")
            await self._commander.settle(table_id, f"void:{table_id}", void)
        else:
            await self._commander.settle(table_id, f"confirm:{table_id}", pb.ConfirmMatch())

    async def _open_formed(self, queue_id: str, formed: Formed) -> None:
        """Give a formed table its own stream; then note that it has it."""
        table = requests.formed_table(queue_id.removeprefix(QUEUES), formed.seat_count, formed.commitment)
        seats = [
            pb.SeatTaken(seat=seat, player_id=ticket.player_id, entropy=ticket.entropy)
            for seat, ticket in enumerate(formed.tickets, 1)
        ]
        command = pb.OpenFormedTable(table=table, seats=seats, bots=formed.bots)
        refused = await self._commander.settle(formed.table_id, f"open:{formed.table_id}", command)
        if refused:
            logger.error("a formed table was refused", extra={"match": formed.table_id, "reason": refused})
        done = pb.ConfirmTable(table_id=formed.table_id)
        await self._commander.settle(queue_id, f"opened:{formed.table_id}", done)
