"""What the mutants put in place of the real code: each function or class here lacks one safeguard."""

# ruff: noqa: SLF001 - safeguards live inside
from __future__ import annotations

import asyncio
import contextvars
from typing import Any

from msgspec.structs import replace

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog import snapshots, takeovers
from ludolog.eventlog.answers import Receipt
from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.book import Book, Session
from ludolog.eventlog.desk import Desk
from ludolog.eventlog.lanes import Call, Lanes
from ludolog.eventlog.owner import Owner
from ludolog.eventlog.port import UNKNOWN_OFFSET, EventLog, Stored
from ludolog.eventlog.receipts import Receipts
from ludolog.eventlog.takeovers import Checkpoint, Counted, Fence, Seen
from ludolog.eventlog.tenure import End, Pending, Tenure
from ludolog.record.commits import Head, parse_record, record_hash
from tests.simulation.callers import Command, creation
from tests.simulation.engines import Engine
from tests.simulation.game import Board, Game, Order
from tests.simulation.readers import Projection, Rater
from tests.simulation.store import SimLog, SimReader
from tests.simulation.weather import Weather
from tests.simulation.world import World

# ---- which commits count

_see = Fence.see


def see_without_fence(self: Fence, stored: Stored) -> Seen:
    seen = _see(self, stored)
    commit = seen.record is not None and seen.record.HasField("commit")
    return replace(seen, counts=True) if commit else seen


_tenure_see = Tenure._see


def see_my_instance(self: Tenure[Board], stored: Stored) -> bool:
    record = parse_record(stored.value) if stored.value is not None else None
    if record is not None and record.HasField("takeover") and record.takeover.instance == self._ports.instance:
        self.book.fence.see(stored)
        self.book.fence.in_force = self.takeover
        return True
    return _tenure_see(self, stored)


async def resume_without_bookmark(log: EventLog, topic: str, partition: int, checkpoint: Checkpoint) -> Fence:
    return Fence(checkpoint)


class ForgetfulFence(Fence):
    """Doesn't know the takeover in force at its checkpoint: believes the first commit that it sees."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint)
        self._forgot = checkpoint.position > 0

    def see(self, stored: Stored) -> Seen:
        record = parse_record(stored.value) if stored.value is not None else None
        if record is not None and self._forgot:
            self._forgot = False
            if record.HasField("commit"):
                self.in_force = record.commit.takeover_offset
        return super().see(stored)


_resume = takeovers.resume


async def resume_forgetful(log: EventLog, topic: str, partition: int, checkpoint: Checkpoint) -> Fence:
    await _resume(log, topic, partition, checkpoint)
    return ForgetfulFence(checkpoint)


# ---- a tenure

_acknowledged = Tenure._acknowledged


def believe_any_offset(self: Tenure[Board], pending: Pending, offset: int) -> None:
    if not pending.confirmed and self.alive and offset > self.book.known:
        self.book.fence.position = offset
    _acknowledged(self, pending, offset)


def believe_no_offset(self: Tenure[Board], pending: Pending, offset: int) -> None:
    _acknowledged(self, pending, self.book.known + 1 if offset == UNKNOWN_OFFSET else offset)


_ended = Owner._ended


def stay_displaced(self: Owner[Board], partition: int, share: Any, tenure: Tenure[Board], why: End) -> None:
    share.leaving = share.leaving or why is End.DISPLACED
    _ended(self, partition, share, tenure, why)


async def no_barrier(self: Tenure[Board]) -> None:
    pass


async def absorb_by_count(self: Tenure[Board], target: int) -> None:
    while self.alive and self.book.known < target:
        position = self.book.fence.position
        batch = await self._ports.log.read(self._ports.topic, self.partition, position, 4)
        for number, stored in enumerate(batch, 1):
            if not self._see(stored):
                return
            self.book.fence.position = position + number


EARLY: contextvars.ContextVar[int] = contextvars.ContextVar("EARLY")
_serve, _submit, _barrier = Desk._serve, Desk.submit, Tenure.barrier
_ends: dict[int, int] = {}


async def submit_asking_end(self: Desk[Board], stream_id: str, call: Call) -> Receipt:
    _ends[id(call)] = await self._ports.log.end_offset(self._ports.topic, self.tenure.partition)
    return await _submit(self, stream_id, call)


async def serve_with_early_end(self: Desk[Board], stream_id: str, call: Call) -> Receipt:
    EARLY.set(_ends.pop(id(call)))
    return await _serve(self, stream_id, call)


async def barrier_to_early_end(self: Tenure[Board]) -> None:
    if self.book.known < EARLY.get(self.book.known + 2) - 1:
        await _barrier(self)


def keep_failed(self: Appenders, appender: Any) -> None:
    pass


def nobody_minds(self: Owner[Board], appender: Any) -> None:
    pass


# ---- lanes and sessions


def put_at_once(self: Lanes, stream_id: str, call: Call) -> None:
    task = asyncio.get_running_loop().create_task(self._answer(stream_id, call))
    call.answer.add_done_callback(lambda _: task)


_put = Lanes.put


def put_freeing(self: Lanes, stream_id: str, call: Call) -> None:
    _put(self, stream_id, call)
    lane = self._lanes[stream_id]

    def free(answer: asyncio.Future[Receipt]) -> None:
        if answer.cancelled() and lane.serving is call and lane.task is not None:
            lane.task.cancel()
            if self._lanes.get(stream_id) is lane and lane.queue:
                lane.task = asyncio.get_running_loop().create_task(self._run(stream_id, lane))

    call.answer.add_done_callback(free)


_commit = Desk._commit


async def commit_answered_early(self: Desk[Board], session: Session[Board], call: Call, proposal: Any) -> Receipt:
    if not call.answer.done():
        call.answer.set_result(Receipt(session.head.sequence + 1))
    return await _commit(self, session, call, proposal)


_append, _apply, _receipt = Tenure.append, Session.apply, Session.receipt


async def append_applied_before(self: Tenure[Board], stream_id: str, value: bytes) -> None:
    commit = parse_record(value).commit
    session = self.book.sessions[stream_id]
    _apply(session, self.book.aggregate, commit, Head(commit.sequence, record_hash(value)))
    await _append(self, stream_id, value)


def apply_once(self: Session[Board], aggregate: Any, commit: log_pb2.Commit, head: Head) -> None:
    if commit.sequence > self.head.sequence:
        _apply(self, aggregate, commit, head)


async def give_up_after_saving(self: Owner[Board], partition: int) -> None:
    share = self._shares.get(partition)
    if share is not None and share.desk is not None:
        share.leaving = share.desk.leaving = True
        await share.desk._saver.save_all()
    self._drop(partition, End.REVOKED)


def no_receipt(self: Session[Board], cause: log_pb2.Cause) -> None:
    return None


async def submit_looking_up(self: Desk[Board], stream_id: str, call: Call) -> Receipt:
    receipt = _receipt(await self.session(stream_id), call.cause)
    return receipt or await _submit(self, stream_id, call)


def id_without_seat(self: Receipts, cause: log_pb2.Cause) -> bytes:
    return self._hash(cause.command_id.encode())


_restored = snapshots._restored


def restored_without_receipts(book: Book[Board], snapshot: Any) -> Session[Board] | None:
    session = _restored(book, snapshot)
    if session is not None:
        session.receipts = Receipts()
    return session


def believe_snapshot(book: Book[Board], stream_id: str, data: bytes) -> Session[Board] | None:
    session = _restored(book, snapshots._session_decoder.decode(data))
    if session is not None:
        for counted in book.tail.get(stream_id, ()):
            if counted.commit.sequence > session.head.sequence:
                head = Head(counted.commit.sequence, record_hash(counted.value))
                session.apply(book.aggregate, counted.commit, head)
        session.head = book.head(stream_id) or session.head
    return session


async def draw_then_judge(self: Game, stream_id: str, state: Board, order: Order, drawn: list[int]) -> list[int]:
    if order.draw:
        drawn = [await self.draw(stream_id, state.drawn + 1)]
    self_refuses = await _judge(self, stream_id, state, replace_draw(order), drawn)
    return drawn or self_refuses


def replace_draw(order: Order) -> Order:
    return Order(order.kind, order.expects, order.target, draw=False, salt=order.salt)


_judge = Game.judge


# ---- consumers and the job between the logs


class TornRater(Rater):
    """Effect and position in two transactions, with a crash between them now and then."""

    def transact(self, start: Checkpoint, after: Checkpoint, counted: list[Counted]) -> bool:
        if self.may_move(start) and self.world.rng.random() < 0.1:
            self.rate(counted)
            return False
        return super().transact(start, after, counted)


class BoldRater(Rater):
    """Moves the position, whoever moved it meanwhile."""

    def may_move(self, start: Checkpoint) -> bool:
        return True


class TwoTransactions(Projection):
    """Gives its rows, and then its position."""

    async def rows(self, stream_id: str) -> tuple[list[Counted], Checkpoint]:
        commits = list(self.stored.commits.get(stream_id, []))
        await asyncio.sleep(self.world.rng.expovariate(4))
        return commits, self.stored.checkpoint


class CommittedOnly(SimLog):
    """A client with isolation level read_committed."""

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> list[Stored]:
        return await self._store.read(partition, offset, limit, hidden=True)

    async def reader(self, topic: str, partition: int, offset: int) -> SimReader:
        return SimReader(self._store, partition, offset, hidden=True)


class CommittedReaders(World):
    """Readers are read_committed, engines aren't."""

    def __init__(self, seed: int, weather: Weather) -> None:
        super().__init__(seed, weather)
        self.reader_log = CommittedOnly(self.store)


_time_out = Engine._time_out
_owner_submit = Owner.submit


async def submit_whenever(self: Owner[Board], stream_id: str, cause: Any, **options: Any) -> Receipt:
    return await _owner_submit(self, stream_id, cause)


def new_id_each_time(stream_id: str, attempt_number: int) -> Command:
    command = creation(stream_id, attempt_number)
    command.command_id += f"/{attempt_number}"
    return command
