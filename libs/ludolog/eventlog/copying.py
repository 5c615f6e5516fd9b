"""Copies of a log's records, offset by offset: for backups, and to move a log from one implementation to the other.

Takeovers are named by their offsets, so a copy whose offsets differ is worth nothing (Kafka's MirrorMaker makes such).
Here a record is appended at the offset that it had, or the copy fails. A file for each partition: messages of msgpack,
(offset, key, value), each after its length; `log.json` says which topics there are, and is written last.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from ludolog.eventlog.port import Appender, EventLog, LogError, NoSuchTopic

MANIFEST = "log.json"
FORMAT = 1
BATCH = 500
LENGTH = struct.Struct(">I")
Row = tuple[int, bytes | None, bytes]


class CannotCopy(LogError):
    """The log can't be copied so; says why."""


async def save(log: EventLog, topics: Iterable[str], folder: Path) -> dict[str, int]:
    """Copy topics, in that order, into a new folder; return topic → records. Each partition as of when it is reached.

    Topics that aren't there are left out. CannotCopy where offsets are missing in the log, or the folder is there.
    """
    try:
        _make(folder)
    except FileExistsError:
        raise CannotCopy(f"{folder} is there already") from None
    partitions: dict[str, int] = {}
    records: dict[str, int] = {}
    for topic in topics:
        try:
            partitions[topic] = await log.partitions(topic)
        except NoSuchTopic:
            continue
        counts = [await _save(log, topic, number, folder) for number in range(partitions[topic])]
        records[topic] = sum(counts)
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT, "topics": partitions}) + "\n")
    return records


async def _save(log: EventLog, topic: str, partition: int, folder: Path) -> int:
    end, position = await log.end_offset(topic, partition), 0
    with _file(folder, topic, partition).open("wb") as file:
        while position < end:
            for stored in await log.read(topic, partition, position, BATCH):
                if stored.offset != position or stored.value is None:
                    raise CannotCopy(f"{topic}/{partition}: offset {position} isn't a record of ours")
                data = msgspec.msgpack.encode((stored.offset, stored.key, stored.value))
                file.write(LENGTH.pack(len(data)) + data)
                position += 1
    return position


async def restore(log: EventLog, folder: Path) -> dict[str, int]:
    """Append what `save` wrote to a log whose topics are empty, or aren't there; return topic → records.

    CannotCopy where they aren't empty, where a record lands elsewhere, or where the folder isn't a whole copy.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        topics = {str(topic): int(count) for topic, count in manifest["topics"].items()}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise CannotCopy(f"{folder} isn't a copy of a log: {error}") from error
    if manifest.get("format") != FORMAT:
        raise CannotCopy(f"{folder} has a format that this version doesn't know")
    for topic, count in topics.items():
        await log.ensure_topic(topic, count)
        for partition in range(count):
            if await log.end_offset(topic, partition):
                raise CannotCopy(f"{topic}/{partition} isn't empty")
    records: dict[str, int] = {}
    appender = await log.appender()
    try:
        for topic, count in topics.items():
            counts = [await _restore(appender, topic, number, folder) for number in range(count)]
            records[topic] = sum(counts)
    finally:
        await appender.close()
    return records


async def _restore(appender: Appender, topic: str, partition: int, folder: Path) -> int:
    rows, count = _rows(_file(folder, topic, partition)), 0
    while batch := list(islice(rows, BATCH)):
        landed = await asyncio.gather(*(appender.append(topic, partition, key, value) for _, key, value in batch))
        if list(landed) != [offset for offset, _, _ in batch]:
            raise CannotCopy(f"{topic}/{partition}: records landed elsewhere: is somebody else writing?")
        count += len(batch)
    return count


def _rows(path: Path) -> Iterator[Row]:
    decoder = msgspec.msgpack.Decoder(Row)
    with path.open("rb") as file:
        while head := file.read(LENGTH.size):
            data = file.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
            try:
                yield decoder.decode(data)
            except msgspec.DecodeError:
                raise CannotCopy(f"{path} is cut off") from None


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True)


def _file(folder: Path, topic: str, partition: int) -> Path:
    return folder / f"{topic}.{partition:04d}"
