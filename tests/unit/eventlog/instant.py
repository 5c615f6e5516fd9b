"""A log, a cache and an aggregate that do everything at once and nothing wrong: for looking at the owner alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.owner import Owner, OwnerLimits
from ludolog.eventlog.port import Appender, Listener, Membership, OutOfRange, Reader, Stored
from ludolog.kernel import Refusal
from ludolog.record.commits import Head, Proposal
from tests.infra.caches import DictCache

TOPIC = "ludolog.toy.log"


class InstantLog:
    """An EventLog of lists. Everybody who joins is assigned everything."""

    def __init__(self, partitions: int = 1) -> None:
        self.rows: list[list[tuple[bytes | None, bytes | None]]] = [[] for _ in range(partitions)]
        self.members: list[InstantMembership] = []
        self.fail_next: BaseException | None = None
        self.fail_end: BaseException | None = None
        self.answer_next: int | None = None
        self.hold: asyncio.Event | None = None
        self.end_queries = 0
        self.more = asyncio.Event()

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        pass

    async def partitions(self, topic: str) -> int:
        return len(self.rows)

    async def appender(self) -> Appender:
        return InstantAppender(self)

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        rows = self.rows[partition]
        if offset > len(rows):
            raise OutOfRange(str(offset))
        return [Stored(at, *rows[at]) for at in range(offset, min(offset + limit, len(rows)))]

    async def end_offset(self, topic: str, partition: int) -> int:
        self.end_queries += 1
        await asyncio.sleep(0)
        failure, self.fail_end = self.fail_end, None
        if failure is not None:
            raise failure
        return len(self.rows[partition])

    async def reader(self, topic: str, partition: int, offset: int) -> Reader:
        return InstantReader(self, topic, partition, offset)

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> Membership:
        membership = InstantMembership(self, listener)
        self.members.append(membership)
        await membership.assign(frozenset(range(len(self.rows))))
        return membership

    async def close(self) -> None:
        pass


class InstantAppender:
    def __init__(self, log: InstantLog) -> None:
        self._log = log
        self.closed = False

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        assert not self.closed
        failure, self._log.fail_next = self._log.fail_next, None
        answer, self._log.answer_next = self._log.answer_next, None
        if failure is not None:
            raise failure
        self._log.rows[partition].append((key, value))
        self._log.more.set()
        self._log.more = asyncio.Event()
        offset = len(self._log.rows[partition]) - 1
        await (self._log.hold.wait() if self._log.hold else asyncio.sleep(0))
        return offset if answer is None else answer

    async def close(self) -> None:
        self.closed = True


class InstantReader:
    def __init__(self, log: InstantLog, topic: str, partition: int, offset: int) -> None:
        self._log, self._where, self._offset = log, (topic, partition), offset

    async def batch(self) -> Sequence[Stored]:
        while True:
            more = self._log.more
            if found := await self._log.read(*self._where, self._offset, 1000):
                self._offset = found[-1].offset + 1
                return found
            await more.wait()

    async def close(self) -> None:
        pass


class InstantMembership:
    def __init__(self, log: InstantLog, listener: Listener) -> None:
        self._listener = listener
        self._assigned: frozenset[int] = frozenset()

    async def assign(self, partitions: frozenset[int]) -> None:
        self._assigned |= partitions
        await self._listener.assigned(partitions)

    async def revoke(self, partitions: frozenset[int]) -> None:
        await self._listener.revoked(partitions)
        self._assigned -= partitions

    async def lose(self, partitions: frozenset[int]) -> None:
        self._assigned -= partitions
        await self._listener.lost(partitions)

    def assigned(self) -> frozenset[int]:
        return self._assigned

    def share(self) -> frozenset[int]:
        return self._assigned

    async def leave(self) -> None:
        await self.revoke(self._assigned)


class Sum(msgspec.Struct, frozen=True):
    """The state of a stream of numbers: every odd sum needs an even number next."""

    total: int = 0
    ended: bool = False


class Adder:
    """An Aggregate: bodies are numbers to add; negative ones are refused, 0 ends the stream."""

    code_digest = b"adder 1"

    def __init__(self) -> None:
        self.judged = 0
        self.gate: asyncio.Event | None = None

    def blank(self, stream_id: str) -> Sum:
        return Sum()

    def apply(self, state: Sum, commit: log_pb2.Commit) -> Sum:
        return Sum(state.total + int(commit.events[0]), ended=commit.HasField("ending"))

    async def decide(self, stream_id: str, state: Sum, cause: log_pb2.Cause) -> Proposal:
        self.judged += 1
        if self.gate is not None:
            await self.gate.wait()
        number = int(cause.body)
        if number < 0 or state.ended:
            raise Refusal("GAME_OVER" if state.ended else "NEGATIVE", "Platform")
        return Proposal((cause.body,), ending=None if number else log_pb2.Ending(key_id="k"))

    def attended(self, first: log_pb2.Commit) -> bool:
        return not first.stream_id.startswith("parked")

    def finished(self, state: Sum) -> bool:
        return state.ended

    def dump(self, state: Sum) -> bytes:
        return msgspec.msgpack.encode(state)

    def load(self, data: bytes) -> Sum:
        return msgspec.msgpack.decode(data, type=Sum)


@dataclass
class Heard:
    """Hooks that remember what they were told."""

    commits: list[tuple[str, int, int]] = field(default_factory=list)
    tenures: list[str] = field(default_factory=list)

    def confirmed(self, stream_id: str, before: Sum, commit: log_pb2.Commit, after: Sum, head: Head) -> None:
        self.commits.append((stream_id, head.sequence, after.total))

    def began(self, partition: int, heads: Mapping[str, Head]) -> None:
        self.tenures.append(f"began {partition} {sorted(heads)}")

    def ended(self, partition: int) -> None:
        self.tenures.append(f"ended {partition}")


class WallClock:
    def now_ms(self) -> int:
        return 1_700_000_000_000

    def monotonic(self) -> float:
        return time.monotonic()


FAST = OwnerLimits(look_s=0.01, publish_s=0.01, checkpoint_s=0.02, backoff_s=(0.001, 0.01), leave_s=1.0, append_s=1.0)


@dataclass
class Rig:
    """An owner and what it stands on."""

    log: InstantLog = field(default_factory=InstantLog)
    cache: DictCache = field(default_factory=DictCache)
    limits: OwnerLimits = FAST
    adder: Adder = field(default_factory=Adder)
    heard: Heard = field(default_factory=Heard)

    def owner(self, instance: str = "one") -> Owner[Sum]:
        return Owner(
            log=self.log,
            cache=self.cache,
            topic=TOPIC,
            group="toy",
            instance=instance,
            aggregate=self.adder,
            clock=WallClock(),
            address=f"{instance}:1",
            hooks=self.heard,
            limits=self.limits,
        )

    def with_limits(self, **changes: object) -> Rig:
        return replace(self, limits=replace(self.limits, **changes))  # type: ignore[arg-type]


def cause(command_id: str, number: int, actor: str = "seats/1") -> log_pb2.Cause:
    return log_pb2.Cause(actor=actor, command_id=command_id, body=str(number).encode())
