"""The eye: sees the log and the rule, nothing else, and objects at once. Its numbers: docs/protocol.md, what must hold.

What it knows of the game: a commit's event carries the commands that it was decided on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import CommandIdReused
from ludolog.eventlog.receipts import Receipts
from ludolog.eventlog.snapshots import PartitionCheckpoint, SessionSnapshot
from ludolog.record.commits import parse_record, record_hash
from tests.simulation.game import Board, Order, basis_of, block, decode_order, name_of


@dataclass(slots=True)
class Entry:
    """A counted commit."""

    offset: int
    name: str
    body: bytes
    order: Order
    hash: bytes


@dataclass(slots=True)
class Truth:
    """One partition as the rule makes it."""

    length: int = 0
    in_force: int = -1
    streams: dict[str, list[Entry]] = field(default_factory=dict)


class Eye:
    """Judges the whole history, at every step."""

    def __init__(self, partitions: int) -> None:
        self.truths = [Truth() for _ in range(partitions)]
        self.place: dict[str, int] = {}
        self.stats: Counter[str] = Counter()
        self.never: dict[str, set[tuple[str, bytes]]] = {}
        self.voided: set[str] = set()
        self.rated: Counter[str] = Counter()
        self.found: str | None = None
        self.on_found: Callable[[], None] = lambda: None

    def must(self, ok: object, sentence: str) -> None:
        """Object unless it is so. The first objection stops the history."""
        if not ok and self.found is None:
            self.found = sentence
            self.on_found()

    # ---- the log

    def landed(self, partition: int, offset: int, value: bytes | None) -> None:
        """A record is in the log."""
        truth = self.truths[partition]
        truth.length = offset + 1
        record = parse_record(value) if value is not None else None
        if record is None or value is None:
            self.stats["control records"] += 1
        elif record.HasField("takeover"):
            truth.in_force = offset
        elif record.commit.takeover_offset != truth.in_force:
            self.stats["void commits"] += 1
        else:
            self._counted(truth, offset, record.commit, record_hash(value))

    def _counted(self, truth: Truth, offset: int, commit: log_pb2.Commit, digest: bytes) -> None:
        self.stats["counted commits"] += 1
        entries = truth.streams.setdefault(commit.stream_id, [])
        name, order = name_of(commit.cause), decode_order(commit.cause.body)
        names = [entry.name for entry in entries]
        self.must(name not in names, "2: a command id counts twice")
        self.must(commit.sequence == len(entries) + 1, "1: a sequence number is missing or repeated")
        self.must(basis_of(commit) == names, "1: a commit was decided on a wrong state")
        self.must(not self.over(entries), "1: a commit after the end")
        refused = (name, commit.cause.body) in self.never.get(commit.stream_id, ())
        self.must(not refused, "4: refused with its sequence number, then applied")
        self.must(order.target is None or order.target == len(entries), "9: a default for another decision")
        self.must(order.kind != "new" or commit.stream_id not in self.voided, "10: a match for a voided table")
        drawn = sum(entry.order.draw for entry in entries)
        if order.draw:
            self.must(commit.draw_index == drawn + 1, "a draw index is skipped or used twice")
            values = [value for draw in commit.draws for value in draw.values]
            self.must(values == [block(commit.stream_id, drawn + 1)], "another block was drawn")
        entries.append(Entry(offset, name, commit.cause.body, order, digest))

    def forget(self) -> None:
        """The topic is another one: nothing was ever answered."""
        self.truths = [Truth() for _ in self.truths]
        self.never, self.voided = {}, set()
        self.rated.clear()

    def again(self, partition: int, values: list[bytes | None]) -> None:
        """The log isn't what it was: take it as it is now, without objecting."""
        found, self.found = self.found, "not now"
        stats = Counter(self.stats)
        self.truths[partition] = Truth()
        for offset, value in enumerate(values):
            self.landed(partition, offset, value)
        self.found, self.stats = found, stats

    @staticmethod
    def over(entries: list[Entry]) -> bool:
        """True if the end counts."""
        return any(entry.order.ends for entry in entries)

    def entries(self, stream_id: str, below: int | None = None) -> list[Entry]:
        """Counted commits of a stream, below an offset."""
        entries = self.truths[self.place[stream_id]].streams.get(stream_id, [])
        return entries if below is None else [entry for entry in entries if entry.offset < below]

    def length(self, stream_id: str) -> int:
        """How long the log of a stream's partition is."""
        return self.truths[self.place[stream_id]].length

    # ---- answers

    def succeeded(self, stream_id: str, cause: log_pb2.Cause, sequence: int) -> None:
        """An engine says that a command counts, as this number."""
        self.stats["answered: success"] += 1
        there = self.entries(stream_id)[sequence - 1 : sequence]
        same_name = bool(there) and there[0].name == name_of(cause)
        self.must(same_name, "3: success for a commit that doesn't count")
        self.must(not same_name or there[0].body == cause.body, "3: success for another command with the same id")

    def refused(self, stream_id: str, cause: log_pb2.Cause, judged_at: int, drawn: int) -> None:
        """An engine refuses a command that it judged when the log was so long, after so many draws."""
        self.stats["answered: refusal"] += 1
        self.must(drawn == 0, "a refusal after a draw")
        name = name_of(cause)
        self.must(all(e.name != name for e in self.entries(stream_id, judged_at)), "4: refused although applied before")
        expects, entries = decode_order(cause.body).expects, self.entries(stream_id)
        # A number that the stream hasn't reached is of a log that was deleted: it may be reached again.
        if expects is not None and expects <= len(entries):
            same = [entry for entry in entries if entry.name == name and entry.body == cause.body]
            self.must(not same, "4: refused with its sequence number, yet applied")
            self.never.setdefault(stream_id, set()).add((name, cause.body))

    def reused(self, stream_id: str, cause: log_pb2.Cause) -> None:
        """An engine says that the id counts with another body."""
        self.stats["answered: id reused"] += 1
        name = name_of(cause)
        others = [e for e in self.entries(stream_id) if e.name == name and e.body != cause.body]
        self.must(others, "an id is said to be used that isn't")

    def settled(self, stream_id: str, sequence: int, asked_at: int) -> None:
        """An engine says, after a barrier, that the stream stands there; it was asked when the log was so long."""
        self.must(
            sequence >= len(self.entries(stream_id, asked_at)), "4: a definite answer that is older than the question"
        )

    def void_table(self, stream_id: str) -> None:
        """The table is called off."""
        self.voided.add(stream_id)
        self.must(
            all(e.order.kind != "new" for e in self.entries(stream_id)), "10: a table with a match was called off"
        )

    # ---- what others hold

    def holds(self, stream_id: str, board: Board, sequence: int, who: str) -> None:
        """Somebody holds this state as confirmed."""
        names = tuple(entry.name for entry in self.entries(stream_id)[:sequence])
        self.must(board.commands == names and len(names) == sequence, f"5: {who} holds a wrong state")

    def snapshot(self, snapshot: SessionSnapshot, board: Board) -> None:
        """A session is written to the cache."""
        self.holds(snapshot.stream_id, board, snapshot.sequence, "a snapshot")
        entries = self.entries(snapshot.stream_id)[: snapshot.sequence]
        self.must(not entries or entries[-1].hash == snapshot.hash, "5: a snapshot has a wrong hash")
        receipts = Receipts.load(snapshot.receipts, snapshot.sequence, None)
        self.must(len(receipts) == len(entries), "5: a snapshot has too many or too few receipts")
        for number, entry in enumerate(entries, 1):
            self.must(_answer(receipts, entry) == number, "5: a snapshot has a wrong receipt")

    def checkpoint(self, partition: int, cached: PartitionCheckpoint) -> None:
        """A partition's checkpoint is written to the cache."""
        below = cached.checkpoint.position
        heads = {}
        for stream_id, all_entries in self.truths[partition].streams.items():
            entries = [entry for entry in all_entries if entry.offset < below]
            if entries and not self.over(entries):
                heads[stream_id] = (len(entries), entries[-1].hash)
        self.must(heads == cached.heads, "5: a checkpoint has wrong heads")

    def reader_at(self, partition: int, position: int, derived: dict[str, list[str]]) -> None:
        """A reader has read up to a position and derived the commands of each stream."""
        for stream_id, entries in self.truths[partition].streams.items():
            names = [entry.name for entry in entries if entry.offset < position]
            self.must(derived.get(stream_id, []) == names, "6: a reader differs from the log")

    def revealed(self, stream_id: str) -> None:
        """A seed is revealed."""
        self.must(self.over(self.entries(stream_id)), "7: a seed is revealed before the end counts")

    def rate(self, stream_id: str) -> None:
        """An ending is rated."""
        self.rated[stream_id] += 1
        self.must(self.rated[stream_id] == 1, "8: an ending is rated twice")
        self.must(self.over(self.entries(stream_id)), "8: an ending is rated that doesn't count")


def _answer(receipts: Receipts, entry: Entry) -> int | None:
    """Which commit receipts say that an entry's command is."""
    actor, command_id = entry.name.split(" ")
    try:
        receipt = receipts.find(log_pb2.Cause(actor=actor, command_id=command_id, body=entry.body))
    except CommandIdReused:
        return None
    return receipt.sequence if receipt else None
