"""The owner of its share of a topic's partitions: joins the group, takes over, serves, gives up. See docs/protocol.md.

What counts is decided by the log alone. The group, the cache and clocks only say who should try, and how soon.
"""

from __future__ import annotations

import asyncio
import logging
import random as randomness
from dataclasses import dataclass
from typing import Generic, TypeVar

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.aggregate import Aggregate
from ludolog.eventlog.answers import CommandIdReused, Confirmed, LogAway, NotOwner, Receipt, Stale, Unavailable
from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.archive import Archive, ArchivedCommits
from ludolog.eventlog.book import Book
from ludolog.eventlog.desk import Desk
from ludolog.eventlog.lanes import Call
from ludolog.eventlog.outage import Outage
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import Appender, EventLog, Listener, LogError, Membership
from ludolog.eventlog.ports import Clock, Hooks, Load, NoSpans, OwnerLimits, Ports, Spans, Tally
from ludolog.eventlog.taking import take_over
from ludolog.eventlog.tenure import End, Tenure
from ludolog.record.commits import UnreadableRecord
from ludolog.sessions.port import SessionCache

S = TypeVar("S")
log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Share(Generic[S]):
    """What this instance has of one partition."""

    desk: Desk[S] | None = None
    taking: asyncio.Task[None] | None = None
    kept: Book[S] | None = None
    misled: bool = False
    """Whether what was found in the cache contradicted the log: the partition is read from its beginning."""
    leaving: bool = False
    rounds: int = 0
    """Rounds of taking over since the last tenure that lasted: they make the pause longer."""


class Owner(Generic[S]):
    """One instance's share of one topic."""

    def __init__(  # noqa: PLR0913 - what it stands on, each thing by name
        self,
        *,
        log: EventLog,
        cache: SessionCache,
        topic: str,
        group: str,
        instance: str,
        aggregate: Aggregate[S],
        clock: Clock,
        address: str,
        hooks: Hooks[S],
        archive: Archive | None = None,
        limits: OwnerLimits | None = None,
        tally: Tally | None = None,
        random: randomness.Random | None = None,
        spans: Spans | None = None,
    ) -> None:
        """`instance` is unique for each process start; `address` ("host:port") is published while serving."""
        self.tally = tally or Tally()
        self._ports = Ports(
            log,
            cache,
            topic,
            aggregate,
            clock,
            hooks,
            instance,
            address,
            archive,
            limits or OwnerLimits(),
            self.tally,
            random or randomness.SystemRandom(),
            spans or NoSpans(),
        )
        self._group = group
        self._appenders = Appenders(log, self._appender_failed)
        self._shares: dict[int, _Share[S]] = {}
        self._outage: Outage[S] = Outage()
        self._partitions = 0
        self._membership: Membership | None = None
        self._supervisor: asyncio.Task[None] | None = None

    # ---- life

    async def start(self) -> None:
        """Join the group; partitions are taken over as they are assigned. LogError where the log doesn't answer."""
        self._partitions = await self._ports.log.partitions(self._ports.topic)
        listener = Listener(self._assigned, self._revoked, self._lost)
        topic, instance = self._ports.topic, self._ports.instance
        self._membership = await self._ports.log.join(topic, self._group, instance, listener)
        self._supervisor = asyncio.create_task(self._supervise())

    async def drain(self) -> None:
        """Stop in order: finish what is under way, write snapshots, leave the group."""
        if self._supervisor is not None:
            self._supervisor.cancel()
        if self._membership is not None:
            membership, self._membership = self._membership, None
            await membership.leave()
        await self._revoked(frozenset(self._shares))
        await self._appenders.close()

    # ---- what services ask

    def serves(self, stream_id: str) -> bool:
        """True if commands for this stream are taken here now."""
        share = self._shares.get(partition_of(stream_id, self._partitions)) if self._partitions else None
        return share is not None and share.desk is not None and not share.desk.leaving

    @property
    def log_away(self) -> bool:
        """True while the log doesn't answer: nothing is taken here, and what is shown may be old."""
        return self._outage.on

    def serving(self) -> frozenset[int]:
        """Partitions that are served here now."""
        return frozenset(p for p, share in self._shares.items() if share.desk is not None and not share.desk.leaving)

    def positions(self) -> dict[int, int]:
        """The offset of the next record to be read, for each partition that is served here now."""
        return {p: share.desk.tenure.book.known + 1 for p, share in self._shares.items() if share.desk is not None}

    def load(self) -> Load:
        """What is in its hands now. Other threads may ask, too."""
        desks = [share.desk for share in list(self._shares.values()) if share.desk is not None]
        books = [desk.tenure.book for desk in desks]
        return Load(
            owned_partitions=len(desks),
            open_streams=sum(len(book.heads) for book in books),
            loaded_streams=sum(len(book.sessions) for book in books),
            queued_commands=sum(desk.waiting for desk in desks),
        )

    def assigned(self) -> frozenset[int]:
        """Partitions that the group gives to this instance now."""
        return self._membership.assigned() if self._membership is not None else frozenset()

    def awaited(self) -> frozenset[int] | None:
        """Partitions of this instance's share that it doesn't serve yet; None while the group gives out no shares.

        Empty: it is ready, perhaps with nothing to do.
        """
        share = self._membership.share() if self._membership is not None else None
        return None if share is None else (share | self.assigned()) - self.serving()

    async def submit(
        self,
        stream_id: str,
        cause: log_pb2.Cause,
        *,
        only_at_sequence: int | None = None,
        traceparent: str = "",
    ) -> Receipt:
        """Have a command judged and committed; return its receipt once the commit is known to count.

        A repeat (same actor and command id) gets the first receipt. `only_at_sequence` is for timers: the head that the
        deadline belongs to. Cancelling the call takes nothing back that has left the queue.
        Raises Refusal or BadInput (of this moment: everything that was in the log when it was judged is considered);
        RecordTooLarge; CommandIdReused; LogOverloaded (nothing happened); Stale (timers only); NotOwner and Unavailable
        (unknown: repeat with the same id).
        """
        future: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        call = Call(cause, future, only_at_sequence, traceparent, self._ports.clock.monotonic())
        return await self._desk(stream_id).submit(stream_id, call)

    async def confirmed(self, stream_id: str, minimum_sequence: int = 0) -> Confirmed[S]:
        """The state as far as this owner knows; sequence 0: nothing there that it knows of.

        While the log is away, of the streams that were in memory too. NotOwner; Unavailable where it is older than
        `minimum_sequence` or can't be loaded now.
        """
        try:
            desk = self._desk(stream_id)
        except LogAway:
            partition = partition_of(stream_id, self._partitions)
            share = self._shares.get(partition)
            kept = share.kept if share is not None else None
            found = self._outage.confirmed(partition, kept, stream_id, minimum_sequence)
            if found is None:
                raise
            return found
        return await desk.confirmed(stream_id, minimum_sequence)

    async def settled(self, stream_id: str) -> Confirmed[S]:
        """The state after a barrier: what isn't there wasn't there when this was called. NotOwner, Unavailable."""
        desk = self._desk(stream_id)
        await desk.tenure.barrier()
        return await desk.confirmed(stream_id, 0)

    def _desk(self, stream_id: str) -> Desk[S]:
        partition = partition_of(stream_id, self._partitions) if self._partitions else -1
        share = self._shares.get(partition)
        if self._outage.on and self._partitions and (share is None or share.desk is None):
            raise LogAway
        if share is None:
            raise NotOwner(f"partition {partition} isn't served here")
        if share.desk is None:
            raise Unavailable(f"partition {partition} is being taken over")
        return share.desk

    # ---- what the group says

    async def _assigned(self, partitions: frozenset[int]) -> None:
        self._say("assigned", partitions)
        for partition in sorted(partitions):
            self._begin(partition)

    async def _revoked(self, partitions: frozenset[int]) -> None:
        self._say("given up", partitions)
        await asyncio.gather(*(self._give_up(partition) for partition in sorted(partitions)))

    async def _lost(self, partitions: frozenset[int]) -> None:
        self._say("lost", partitions)
        for partition in sorted(partitions):
            self._drop(partition, End.LOST)

    def _say(self, what: str, partitions: frozenset[int]) -> None:
        if partitions:
            log.info("partitions %s", what, extra={"topic": self._ports.topic, "partitions": sorted(partitions)})

    async def _give_up(self, partition: int) -> None:
        share = self._shares.get(partition)
        if share is None:
            return
        share.leaving = True
        try:
            if share.desk is not None:
                await share.desk.leave()
        finally:
            if self._shares.get(partition) is share:
                self._drop(partition, End.REVOKED)

    def _drop(self, partition: int, why: End) -> None:
        share = self._shares.pop(partition, None)
        if share is None:
            return
        if why is End.LOST:
            self._outage.leave(partition, share.kept)
        if share.taking is not None:
            share.taking.cancel()
        if share.desk is not None:
            share.desk.tenure.end(why)
        self._share_out()

    async def _supervise(self) -> None:
        """Ask the group, don't remember: whatever was missed between its callbacks and ours is mended here."""
        while True:
            await asyncio.sleep(self._ports.limits.look_s)
            assigned = self.assigned()
            if not assigned and self._membership is not None and self._membership.share() is not None:
                self._outage.end()  # the group answers, and gives nothing to this instance
            for partition in assigned:
                self._begin(partition)
            for partition in self._shares.keys() - assigned:
                if not self._shares[partition].leaving:
                    self._drop(partition, End.LOST)

    # ---- taking over

    def _begin(self, partition: int) -> None:
        share = self._shares.get(partition)
        if share is None:
            share = self._shares[partition] = _Share(kept=self._outage.back(partition))
        if share.desk is None and share.taking is None and not share.leaving:
            share.taking = asyncio.create_task(self._take_over(partition, share))

    async def _take_over(self, partition: int, share: _Share[S]) -> None:
        while self._shares.get(partition) is share and self._may_take(partition):
            await asyncio.sleep(self._pause_s(share))
            share.rounds += 1
            began_s = self._ports.clock.monotonic()
            try:
                book = await take_over(self._ports, self._appenders, partition, share.kept, cached=not share.misled)
            except (LogError, UnreadableRecord) as error:
                if isinstance(error, LogError):
                    self._outage.begin()
                self.tally.add("takeovers_failed")
                log.warning("%s/%d isn't taken over yet: %s", self._ports.topic, partition, error)
                continue
            except Exception:
                log.exception("%s/%d isn't taken over yet", self._ports.topic, partition)
                continue
            share.taking = None
            self._outage.end()
            self.tally.took("takeover", self._ports.clock.monotonic() - began_s)
            self._serve(partition, share, book)
            return
        share.taking = None
        if self._shares.get(partition) is share:
            self._drop(partition, End.LOST)

    def _may_take(self, partition: int) -> bool:
        """Ask the group, don't remember. While joining, its callbacks come before the membership does."""
        return self._membership is None or partition in self._membership.assigned()

    def _pause_s(self, share: _Share[S]) -> float:
        """None before the first round; then at random, doubling: two who both think they are assigned mustn't duel."""
        if share.rounds == 0:
            return 0.0
        first, last = self._ports.limits.backoff_s
        return self._ports.random.uniform(first / 2, min(last, first * 2.0 ** min(share.rounds - 1, 16)))

    def _serve(self, partition: int, share: _Share[S], book: Book[S]) -> None:
        tenure = Tenure(self._ports, self._appenders, partition, book)
        share.kept, share.misled = book, False
        share.desk = Desk(self._ports, self._appenders, tenure)
        tenure.on_end = lambda why: self._ended(partition, share, tenure, why)
        self._share_out()
        self._tell_began(partition, book)

    def _tell_began(self, partition: int, book: Book[S]) -> None:
        try:
            heads = {
                stream_id: head
                for stream_id in sorted(book.attended)
                if (head := book.heads.get(stream_id)) is not None
            }
            self._ports.hooks.began(partition, heads)
        except Exception:
            log.exception("a hook failed")
            self.tally.add("hook_errors")

    def _ended(self, partition: int, share: _Share[S], tenure: Tenure[S], why: End) -> None:
        desk, share.desk = share.desk, None
        if why is End.MISLED:
            share.kept, share.misled = None, True
        if why in (End.LOG_AWAY, End.UNKNOWN_OUTCOME):
            self._outage.begin()
        if desk is not None:
            desk.close(why)
        try:
            self._ports.hooks.ended(partition)
        except Exception:
            log.exception("a hook failed")
            self.tally.add("hook_errors")
        lasted_s = self._ports.clock.monotonic() - tenure.began_s
        if why is not End.DISPLACED or lasted_s >= self._ports.limits.settled_s:
            share.rounds = 0
        if self._shares.get(partition) is share:
            self._begin(partition)

    def _appender_failed(self, appender: Appender) -> None:
        for share in list(self._shares.values()):
            if share.desk is not None and share.desk.tenure.has_appends_on(appender):
                share.desk.tenure.end(End.UNKNOWN_OUTCOME)

    def _share_out(self) -> None:
        desks = [share.desk for share in self._shares.values() if share.desk is not None]
        for desk in desks:
            desk.capacity = max(1, self._ports.limits.sessions // len(desks))


__all__ = [
    "Archive",
    "ArchivedCommits",
    "Clock",
    "CommandIdReused",
    "Confirmed",
    "Hooks",
    "Load",
    "NotOwner",
    "Owner",
    "OwnerLimits",
    "Receipt",
    "Stale",
    "Tally",
    "Unavailable",
]
