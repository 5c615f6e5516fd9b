"""The streams of the matchmaking log, as the owner of a partition sees them: tables and queues."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import TypeAlias, assert_never

import msgspec
from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.hosting import Clock, topic_of
from ludolog.kernel import BadInput
from ludolog.kernel.codec import Union, parse
from ludolog.record.commits import Proposal
from services.matchmaking import queues, tables
from services.matchmaking.queues import Queue
from services.matchmaking.tables import OVER, Judged, Table

MATCHMAKING = "matchmaking"
TOPIC = topic_of(MATCHMAKING)
QUEUES = "queues/"
COMMANDS = Union(pb.MatchmakingCommand)
EVENTS = Union(pb.MatchmakingEvent)
FOLDING = ("aggregate.py", "queues.py", "tables.py")
State: TypeAlias = Table | Queue


def queue_id(rulebook: str) -> str:
    """Stream of a rulebook's queue. No table's id looks like it."""
    return QUEUES + rulebook


def cause(actor: str, command_id: str, command: Message) -> log_pb2.Cause:
    """A command's payload as a cause."""
    return log_pb2.Cause(actor=actor, command_id=command_id, body=COMMANDS.encode(command))


def fold(state: State, commit: log_pb2.Commit) -> State:
    """Apply a commit's events. UnknownEvent where this version doesn't know one."""
    for data in commit.events:
        event = EVENTS.decode_event(data)
        state = tables.apply(state, event) if isinstance(state, Table) else queues.apply(state, event)
    return state


def blank(stream_id: str) -> State:
    """The state before the first commit."""
    return queues.EMPTY if stream_id.startswith(QUEUES) else tables.EMPTY


class Streams:
    """The aggregate of the matchmaking log."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        folder = resources.files("services.matchmaking")
        sources = [(folder / name).read_bytes() for name in FOLDING]
        self._code_digest = hashlib.sha256(b"".join(hashlib.sha256(source).digest() for source in sources)).digest()

    def blank(self, stream_id: str) -> State:
        """No table, or a queue that nobody waits in."""
        return blank(stream_id)

    def apply(self, state: State, commit: log_pb2.Commit) -> State:
        """Fold one counted commit. UnknownEvent where this version doesn't know an event."""
        return fold(state, commit)

    async def decide(self, stream_id: str, state: State, cause: log_pb2.Cause) -> Proposal:
        """Judge a command. Refusal, BadInput."""
        command = COMMANDS.unwrap(parse(pb.MatchmakingCommand, cause.body, "command"))
        if command is None:
            raise BadInput("command", "nothing is set")
        judged = self._judged(state, command)
        ending = None
        if judged.ends:
            ending = log_pb2.Ending(outcome=match_pb2.Outcome(reason=judged.ends))
        return Proposal(tuple(EVENTS.encode(event) for event in judged.events), ending=ending)

    def _judged(self, state: State, command: Message) -> Judged:
        match state:
            case Table():
                return tables.decide(state, command, self._clock.now_ms())
            case Queue():
                return queues.decide(state, command, self._clock.now_ms())
            case _:
                assert_never(state)

    def attended(self, first: log_pb2.Commit) -> bool:
        """All of them: a table or queue may be in the middle of something."""
        return True

    def finished(self, state: State) -> bool:
        """True for a table that is history; a queue never is."""
        return isinstance(state, Table) and state.phase in OVER

    def dump(self, state: State) -> bytes:
        """For snapshots."""
        return msgspec.msgpack.encode(state)

    def load(self, data: bytes) -> State:
        """What `dump` gave. ValueError where it can't be read."""
        return msgspec.msgpack.decode(data, type=Table | Queue)

    @property
    def code_digest(self) -> bytes:
        """Digest of the source code of folding and dumping."""
        return self._code_digest
