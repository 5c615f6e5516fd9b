"""A tenure's side to callers: sessions, lanes, judging, answers. Protocol sections 4 and 5."""

from __future__ import annotations

import asyncio
import logging
from itertools import islice
from typing import Generic, TypeVar

from ludolog.eventlog.answers import BrokenStream, Confirmed, LogAway, NotOwner, Receipt, Stale, Unavailable
from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.book import Session
from ludolog.eventlog.lanes import Call, Lanes
from ludolog.eventlog.loading import load_session
from ludolog.eventlog.port import RecordTooLarge
from ludolog.eventlog.ports import Ports
from ludolog.eventlog.saver import Saver
from ludolog.eventlog.tenure import End, Tenure
from ludolog.kernel import Refusal
from ludolog.record.commits import Proposal, commit_record
from ludolog.sessions.port import CacheUnavailable

S = TypeVar("S")
log = logging.getLogger(__name__)
MOST_UNLOADED_AT_ONCE = 16


class Desk(Generic[S]):
    """Serves one partition for as long as its tenure lasts."""

    def __init__(self, ports: Ports[S], appenders: Appenders, tenure: Tenure[S]) -> None:
        """Open. From now on commands are taken."""
        self.tenure = tenure
        self.capacity = ports.limits.sessions
        self.leaving = False
        self._ports = ports
        self._appenders = appenders
        self._book = tenure.book
        self._lanes = Lanes(self._serve, ports.limits.lane)
        self._loading: dict[str, asyncio.Task[Session[S]]] = {}
        self._saver = Saver(ports, tenure.partition, tenure.book)
        self._tasks = [asyncio.create_task(self._look_for_ever()), asyncio.create_task(self._saver.save_for_ever())]

    # ---- what callers ask

    async def submit(self, stream_id: str, call: Call) -> Receipt:
        """Queue a command and wait for its answer."""
        if self.leaving:
            raise NotOwner(f"partition {self.tenure.partition} is being handed over")
        if self.tenure.waits_since(call.since_s - self._ports.limits.slow_s):
            raise LogAway
        self._lanes.put(stream_id, call)
        return await call.answer

    async def confirmed(self, stream_id: str, minimum_sequence: int) -> Confirmed[S]:
        """The stream's confirmed state. Unavailable where it is older than asked for, or can't be loaded now."""
        session = await self.session(stream_id)
        if session.head.sequence < minimum_sequence:
            raise Unavailable(f"{stream_id} is at {session.head.sequence} here")
        return Confirmed(session.state, session.head)

    @property
    def waiting(self) -> int:
        """Commands whose turn hasn't come."""
        return self._lanes.waiting

    # ---- a command whose turn it is

    async def _serve(self, stream_id: str, call: Call) -> Receipt:
        self._ports.tally.took("queue", self._ports.clock.monotonic() - call.since_s)
        while True:
            session = await self.session(stream_id)
            receipt = session.receipt(call.cause)
            if receipt is not None:
                self._ports.tally.add("repeats")
                return receipt
            if call.only_at_sequence not in (None, session.head.sequence):
                raise Stale(f"{stream_id} is at {session.head.sequence}, not at {call.only_at_sequence}")
            head = session.head
            try:
                proposal = await self._decide(session, call)
            except Refusal as refusal:
                if call.only_at_sequence is not None:
                    raise Stale(str(refusal)) from refusal
                await self.tenure.barrier()
                if session.head == head:
                    self._ports.tally.add("refused")
                    raise
            else:
                return await self._commit(session, call, proposal)

    async def _decide(self, session: Session[S], call: Call) -> Proposal:
        decide = self._ports.aggregate.decide
        try:
            if not call.traceparent:
                return await decide(session.stream_id, session.state, call.cause)
            # The lane's task is whoever's began it: the command's own trace is made current.
            with self._ports.spans.span("decide", call.traceparent):
                return await decide(session.stream_id, session.state, call.cause)
        except Refusal:
            raise
        except Exception as error:
            about = {"match": session.stream_id, "sequence": session.head.sequence + 1}
            log.warning("a command can't be decided now: %r", error, extra=about)
            self._ports.tally.add("undecided")
            raise Unavailable("the command can't be decided now") from error

    async def _commit(self, session: Session[S], call: Call, proposal: Proposal) -> Receipt:
        if not call.traceparent:
            return await self._append(session, call, proposal, "")
        about: dict[str, str | int] = {"stream": session.stream_id, "sequence": session.head.sequence + 1}
        with self._ports.spans.span("append", call.traceparent, **about) as traceparent:
            return await self._append(session, call, proposal, traceparent or call.traceparent)

    async def _append(self, session: Session[S], call: Call, proposal: Proposal, traceparent: str) -> Receipt:
        sequence = session.head.sequence + 1
        value = commit_record(
            takeover_offset=self.tenure.takeover,
            stream_id=session.stream_id,
            head=session.head,
            cause=call.cause,
            proposal=proposal,
            time_ms=self._ports.clock.now_ms(),
            traceparent=traceparent,
        )
        try:
            await self.tenure.append(session.stream_id, value)
        except RecordTooLarge:
            await self.tenure.barrier()  # a refusal, like any other
            raise
        return Receipt(sequence)

    # ---- sessions

    async def session(self, stream_id: str) -> Session[S]:
        """The stream's session, loaded if need be. Unavailable where it can't be now; BrokenStream."""
        if not self.tenure.alive:
            raise self.tenure.over()  # the book goes on without this desk: a session loaded now would miss commits
        session = self._book.sessions.get(stream_id)
        if session is None:
            task = self._loading.get(stream_id)
            if task is None:
                task = self._loading[stream_id] = asyncio.create_task(self._load(stream_id))
                task.add_done_callback(_heard)
            await asyncio.wait((task,))
            if task.cancelled():
                raise self.tenure.over()
            session = task.result()
        else:
            self._book.sessions.move_to_end(stream_id)
        session.used_s = self._ports.clock.monotonic()
        return session

    async def _load(self, stream_id: str) -> Session[S]:
        try:
            session = await load_session(self._ports, self.tenure.partition, self._book, stream_id)
        except Exception as error:
            log.warning("it can't be loaded: %r", error, extra={"match": stream_id})
            self._ports.tally.add("broken_streams" if isinstance(error, BrokenStream) else "loads_failed")
            if isinstance(error, BrokenStream):
                if self._book.from_cache:
                    self.tenure.end(End.MISLED)
                    raise self.tenure.over() from error
                if stream_id in self._book.broken:
                    raise
            raise Unavailable("the stream can't be loaded now", 1000) from error
        finally:
            del self._loading[stream_id]
        session.used_s = self._ports.clock.monotonic()
        self._book.sessions[stream_id] = session
        self._make_room()
        return session

    def _make_room(self) -> None:
        """Unload streams that nobody needs, if there are too many; the longest unused ones first."""
        surplus = len(self._book.sessions) - self.capacity
        for stream_id in list(islice(self._book.sessions, max(0, min(surplus, MOST_UNLOADED_AT_ONCE)))):
            self._unload(stream_id)

    def _unload(self, stream_id: str) -> None:
        if self._lanes.busy(stream_id):
            self._book.sessions[stream_id].used_s = self._ports.clock.monotonic()
            self._book.sessions.move_to_end(stream_id)
        else:
            self._saver.keep(self._book.sessions.pop(stream_id))
            self._ports.tally.add("unloaded")

    # ---- looking after it

    async def _look_for_ever(self) -> None:
        """Learn of a displacement without being asked; give up appends that nobody answers; unload what is idle."""
        read = self._book.known
        while True:
            await asyncio.sleep(self._ports.limits.look_s)
            now = self._ports.clock.monotonic()
            self._give_up(now - self._ports.limits.append_s)
            self._unload_unused(now - self._ports.limits.idle_s)
            if self._book.known == read:
                try:
                    await self.tenure.barrier()
                except Unavailable:
                    return
            read = self._book.known

    def _give_up(self, since_s: float) -> None:
        for pending in list(self.tenure.pending.values()):
            if pending.since_s < since_s:
                self._ports.tally.add("outcomes_unknown")
                self._appenders.fail(pending.appender)
                return

    def _unload_unused(self, since_s: float) -> None:
        sessions = self._book.sessions
        while sessions and sessions[stream_id := next(iter(sessions))].used_s < since_s:
            self._unload(stream_id)

    # ---- the end

    def close(self, why: End) -> None:
        """Answer everybody at once; called when the tenure has ended."""
        self.leaving = True
        gone = why in (End.REVOKED, End.LOST)
        self._lanes.close(lambda: NotOwner(why.value) if gone else self.tenure.over())
        current = asyncio.current_task()
        for task in (*self._tasks, *self._loading.values()):
            if task is not current:
                task.cancel()

    async def leave(self) -> None:
        """Give up in order: take nothing more, wait for what is under way, write what the next owner can use."""
        self.leaving = True
        self._lanes.refuse_waiting(lambda: NotOwner("the partition is being handed over"))
        limit_s = self._ports.limits.leave_s
        try:
            async with asyncio.timeout(limit_s):
                await self._lanes.empty()
            async with asyncio.timeout(limit_s):
                await self._saver.save_all()
        except TimeoutError:
            log.warning("%s/%d: given up before everything was written", self._ports.topic, self.tenure.partition)
        except CacheUnavailable as error:
            log.info("the cache doesn't answer: %s", error)
        except Exception:  # giving up comes first: what isn't written is looked for in the log
            log.exception("%s/%d: given up before everything was written", self._ports.topic, self.tenure.partition)


def _heard(task: asyncio.Task[Session[S]]) -> None:
    if not task.cancelled():
        task.exception()  # whoever waited may be gone
