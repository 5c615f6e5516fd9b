"""Writes matches into a log as engines would: takeovers, commits that count, and former owners' that don't."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.duration_pb2 import Duration

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import Appender, EventLog
from ludolog.eventlog.reveals import RNG_TOPIC, reveal_record
from ludolog.fairness import BlockChance, block, commitment, derive_seed
from ludolog.hosting.names import ALPHABET, RANDOM_CHARACTERS, new_id
from ludolog.kernel import Kind, Rulebook, Seat, candidates
from ludolog.kernel.players import fill
from ludolog.record.commits import Head, commit_record, next_head, parse_record, takeover_record
from ludolog.record.match import Match, apply_commit, block_request, judge_cause

MASTER = b"m" * 32
KEY_ID = "k1"
START_MS = 1_750_000_000_000


@dataclass
class Written:
    """A match as it stands in the log."""

    match_id: str
    partition: int
    match: Match[Any]
    players: list[str]
    seed: bytes
    head: Head = field(default_factory=Head)
    records: list[bytes] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return self.match.outcome is not None


class Scribe:
    """The owner of every partition of one topic, and their former owners."""

    def __init__(
        self, log: EventLog, appender: Appender, topic: str, rulebook: Rulebook[Any], partitions: int, seed: int
    ) -> None:
        self.log, self.topic, self.rulebook, self.partitions = log, topic, rulebook, partitions
        self.random = random.Random(seed)
        self._appender = appender
        self._tenures: dict[int, int] = {}
        self._former: dict[int, int] = {}
        self._now_ms = START_MS

    async def take_over(self, partition: int) -> None:
        if partition in self._tenures:
            self._former[partition] = self._tenures[partition]
        record = takeover_record(uuid.uuid4().bytes, "scribe")
        self._tenures[partition] = await self._appender.append(self.topic, partition, None, record)

    async def found(
        self,
        seats: int = 5,
        *,
        players: list[str] | None = None,
        policy: log_pb2.SpectatorPolicy.ValueType = log_pb2.SPECTATOR_POLICY_PUBLIC,
        match_id: str = "",
        decision_s: int = 0,
        **options: Any,
    ) -> Written:
        players = players or [new_id("p") for _ in range(seats)]
        written = self.unfounded(match_id, players)
        founding = log_pb2.CreateMatch(
            rulebook=self.rulebook.name,
            options=self.rulebook.options_type(**options).SerializeToString(),
            seats=[
                log_pb2.SeatedPlayer(seat=seat, player_id=player, entropy=bytes([seat]) * 16)
                for seat, player in enumerate(players, 1)
            ],
            commitment=commitment(written.seed),
            key_id=KEY_ID,
            spectator_policy=policy,
            decision_time=Duration(seconds=decision_s) if decision_s else None,
        )
        await self.commit(written, log_pb2.MatchCause(create=founding), "matchmaking", f"create:{written.match_id}")
        return written

    def new_match_id(self) -> str:
        """The next id; the same ones in every run, since a match's draws depend on its id."""
        return "tempel-" + "".join(self.random.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))

    def unfounded(self, match_id: str = "", players: list[str] | None = None) -> Written:
        """A match that isn't in the log yet."""
        match_id = match_id or self.new_match_id()
        partition, seed = partition_of(match_id, self.partitions), derive_seed(MASTER, match_id)
        return Written(match_id, partition, Match(self.rulebook.blank), players or [], seed)

    async def move(self, written: Written, kind: Kind = Kind.MOVE) -> None:
        """A random legal command of a seat that has one."""
        seats = list(range(1, written.match.seats + 1))
        self.random.shuffle(seats)
        for seat in seats:
            legal = candidates(self.rulebook.legal_commands(written.match.game, Seat(seat)), kind)
            if legal:
                chance = BlockChance(self.random.randbytes(32))
                payload = fill(chance.choose("which", legal), chance)
                command = log_pb2.SeatCommand(seat=seat, command=self.rulebook.commands.encode(payload))
                await self.commit(written, log_pb2.MatchCause(command=command), f"seats/{seat}", uuid.uuid4().hex)
                return
        raise AssertionError(f"nobody can make a {kind}")

    async def abort(self, written: Written) -> None:
        cause = log_pb2.MatchCause(aborted=log_pb2.Aborted(reason="test"))
        await self.commit(written, cause, "engine", f"abort:{written.match_id}")

    async def play(self, written: Written, moves: int = 1000, *, talk: float = 0.0) -> None:
        """So many moves, or to the end; now and then somebody talks."""
        for _ in range(moves):
            if written.over:
                return
            if self.random.random() < talk:
                await self.move(written, Kind.TALK)
            await self.move(written)

    async def commit(self, written: Written, cause: log_pb2.MatchCause, actor: str, command_id: str) -> None:
        record = await self._record(written, cause, actor, command_id)
        offset = await self._append(written, record)
        commit = parse_record(record).commit
        written.match = apply_commit(self.rulebook, written.match, commit)
        written.head = next_head(record, commit)
        written.records.append(record)
        written.offsets.append(offset)

    async def void(self, written: Written) -> bytes:
        """A former owner's commit, landing late: the next one of the match by its look, and it doesn't count."""
        while written.partition not in self._former:
            await self.take_over(written.partition)
        cause = log_pb2.MatchCause(aborted=log_pb2.Aborted(reason="void"))
        record = await self._record(written, cause, "engine", f"void:{uuid.uuid4().hex}", former=True)
        await self._append(written, record)
        return record

    async def corrupt(self, written: Written) -> None:
        """A commit that counts and doesn't continue its match."""
        head, written.head = written.head, Head(written.head.sequence + 3, b"x" * 32)
        cause = log_pb2.MatchCause(aborted=log_pb2.Aborted(reason="corrupt"))
        await self._append(written, await self._record(written, cause, "engine", "corrupt"))
        written.head = head

    async def reveal(self, written: Written) -> None:
        reveal = log_pb2.SeedRevealed(match_id=written.match_id, key_id=KEY_ID, seed=written.seed)
        partition = partition_of(written.match_id, await self.log.partitions(RNG_TOPIC))
        await self._appender.append(RNG_TOPIC, partition, written.match_id.encode(), reveal_record(reveal))

    async def _append(self, written: Written, record: bytes) -> int:
        return await self._appender.append(self.topic, written.partition, written.match_id.encode(), record)

    async def _record(
        self, written: Written, cause: log_pb2.MatchCause, actor: str, command_id: str, *, former: bool = False
    ) -> bytes:
        if written.partition not in self._tenures:
            await self.take_over(written.partition)
        drawn = None
        if not cause.HasField("aborted"):
            wanted = block_request(written.match, cause)
            drawn = block(written.seed, written.match_id, wanted.index, wanted.entropy_digest)
        proposal = judge_cause(self.rulebook, written.match, cause, BlockChance(drawn))
        self._now_ms += 1000
        return commit_record(
            takeover_offset=(self._former if former else self._tenures)[written.partition],
            stream_id=written.match_id,
            head=written.head,
            cause=log_pb2.Cause(actor=actor, command_id=command_id, body=cause.SerializeToString()),
            proposal=proposal,
            time_ms=self._now_ms,
        )
