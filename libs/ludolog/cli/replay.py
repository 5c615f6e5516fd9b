"""`ludolog replay MATCH|FILE`: a finished match, from the platform or from a record, step by step or at a speed."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shlex
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from ludolog.api.match.v1 import match_pb2
from ludolog.cli import content, online
from ludolog.cli.asking import Left, Lines
from ludolog.cli.content import edition
from ludolog.cli.drawing import Table
from ludolog.cli.online import as_json, emit
from ludolog.cli.program import OK, UsageError, called
from ludolog.client import Client
from ludolog.kernel import OMNISCIENT, SPECTATOR, Rulebook, Seat, Seated, Viewer
from ludolog.kernel.codec import UnknownEvent
from ludolog.record.file import BrokenRecord, MatchRecord, NotARecord, read_record
from ludolog.record.replay import CantCheck
from ludolog.record.story import BrokenChain, Story
from ludolog.record.verify import rulebook_of

Eyes = int | Literal["spectator", "omniscient"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("match", metavar="MATCH|FILE", help="id of a finished match, or a match record")
    parser.add_argument("--speed", type=float, metavar="N", help="frames a second; without it: Enter goes on")
    parser.add_argument("--from", type=int, default=1, dest="begin", metavar="N", help="first move")
    eyes = parser.add_mutually_exclusive_group()
    eyes.add_argument("--seat", type=int, metavar="N", help="with the eyes of a seat")
    eyes.add_argument("--omniscient", action="store_true", help="with the eyes of somebody who knows all")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write the match record to a file instead")
    content.add_argument(parser)
    online.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Replay, or export. UsageError for a file that isn't a record."""
    if options.speed is not None and not options.speed > 0:
        raise UsageError("--speed must be more than 0")
    if options.seat is not None and options.seat < 1:
        raise UsageError("--seat must be at least 1")
    path = Path(options.match)
    if path.is_file():
        if options.export:
            raise UsageError(f"{path} is a match record already")
        try:
            return asyncio.run(_from_file(path.read_bytes(), options))
        except (OSError, NotARecord, BrokenRecord, BrokenChain, CantCheck, UnknownEvent) as error:
            raise UsageError(f"{path}: {error}") from None
    if path.exists() or path.suffix or path.is_absolute():
        raise UsageError(f"{path} isn't a file that can be read")
    return online.run(options, _export if options.export else _from_platform)


def _eyes(options: argparse.Namespace) -> Eyes:
    return "omniscient" if options.omniscient else options.seat or "spectator"


async def _export(client: Client, options: argparse.Namespace) -> int:
    try:
        size = await client.replays.export(options.match, options.export)
    except OSError as error:
        raise UsageError(f"{options.export} can't be written: {error.strerror}") from None
    if options.json:
        emit({"file": str(options.export), "bytes": size})
    else:
        print(f"{options.export}: {size} bytes; check it with: {shlex.join((called(), 'verify', str(options.export)))}")
    return OK


async def _from_platform(client: Client, options: argparse.Namespace) -> int:
    about = await client.replays.get(options.match)
    names = {one.seat: one.display_name or f"seat {one.seat}" for one in about.seats}
    stream = client.replays.frames(about.name, from_sequence=options.begin, eyes=_eyes(options))
    console = Console(quiet=options.json)
    async with contextlib.aclosing(stream):
        return await _show(stream, Table(edition(about, console), names, console), options)


async def _from_file(data: bytes, options: argparse.Namespace) -> int:
    record = read_record(data)
    if not 1 <= options.begin <= len(record.commits):
        raise UsageError(f"--from must be 1 to {len(record.commits)}")
    eyes = _eyes(options)
    viewer: Viewer = (
        SPECTATOR if eyes == "spectator" else OMNISCIENT if eyes == "omniscient" else Seated(Seat(int(eyes)))
    )
    rulebook = rulebook_of(record, partial(content.files, folder=options.content))
    table = Table(rulebook, {}, Console(quiet=options.json))
    return await _show(_frames(rulebook, record, viewer, options.begin), table, options)


async def _frames(
    rulebook: Rulebook[Any], record: MatchRecord, viewer: Viewer, begin: int
) -> AsyncIterator[match_pb2.Update]:
    story = Story(rulebook)
    for stored, commit in zip(record.records, record.commits, strict=True):
        story.extend(stored, commit)
        if isinstance(viewer, Seated) and viewer.seat > story.match.seats:
            raise UsageError(f"--seat must be 1 to {story.match.seats}")
        if story.head.sequence >= begin:
            yield story.update(story.head.sequence, viewer)


async def _show(stream: AsyncIterator[match_pb2.Update], table: Table, options: argparse.Namespace) -> int:
    lines = Lines()
    async for update in stream:
        if options.json:
            emit(as_json(update))
            continue
        table.draw(update)
        if update.HasField("outcome"):
            break
        if options.speed:
            await asyncio.sleep(1 / options.speed)
            continue
        table.console.print("Enter: next move, q: leave", style="dim")
        try:
            if await lines.next() == "q":
                break
        except Left:
            break
    return OK
