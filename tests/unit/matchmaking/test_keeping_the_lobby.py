"""What an instance keeps of its lobby, and when the next one doesn't believe it."""

from __future__ import annotations

import asyncio
import hashlib

import msgspec
import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.kernel.codec import UnknownEvent
from services.matchmaking import hall
from services.matchmaking.aggregate import EVENTS
from services.matchmaking.tables import _APPLY, Phase
from tests.infra.caches import DictCache
from tests.unit.eventlog.instant import InstantLog
from tests.unit.matchmaking.logbook import GAME_TOPIC, Instance, Logbook
from tests.unit.matchmaking.test_tables import PRIVATE, START, opening, sit

KEPT_OF_ALL_EVENTS = (1, "545e5f47bc40bc90")
"""Format, and a digest of what is kept then. Does another one come out? Count `hall.FORMAT` up: kept folds are old."""
SOURCE = log_pb2.SourcePosition(topic=GAME_TOPIC, partition=3, position=7, in_force=2, bookmark_digest=b"d")


async def logbook(log: InstantLog) -> Logbook:
    book = Logbook(log, await log.appender(), 1)
    await book.take_over(0)
    return book


async def everything(book: Logbook) -> None:
    """Each event that a table knows, at tables in each phase."""
    three = (sit("ann"), sit("ben"), sit("cat"), START)
    end = pb.EndMatch(reason="X", source=SOURCE)
    await book.does("open", opening(visibility=PRIVATE, invite_code="C"), sit("ann", code="C"))
    await book.does("left", opening(), sit("ben"), pb.LeaveSeat(player_id="ben"))
    await book.does("wanting", opening(), pb.WantBots(player_id="ann", count=2, bot_kind="k"), sit("bot", house=True))
    await book.does("started", opening(), *three)
    await book.does("playing", opening(), *three, pb.ConfirmMatch())
    await book.does("ended", opening(), *three, pb.ConfirmMatch(), end)
    await book.does("voided", opening(), *three, pb.VoidTable(reason="why"))
    await book.does("closed", opening(), pb.CloseTable(reason="nobody came"))


async def test_every_change_of_the_fold_has_a_format_of_its_own() -> None:
    log = InstantLog()
    await everything(await logbook(log))
    instance = Instance(log, DictCache(), 1)
    await instance.start()
    folded = instance.lobby.halls[0]
    await instance.readers.stop()
    records = [log_pb2.Record.FromString(value) for _, value in log.rows[0] if value is not None]
    events = [EVENTS.decode_event(event) for record in records for event in record.commit.events]
    assert {event.DESCRIPTOR.name for event in events} == set(_APPLY)
    phases = {listed.table.phase for listed in (*folded.tables.values(), *folded.history.values())}
    assert phases == set(Phase) - {Phase.NONE}
    kept = hashlib.sha256(msgspec.msgpack.encode(folded)).hexdigest()[:16]
    assert (hall.FORMAT, kept) == KEPT_OF_ALL_EVENTS


async def test_what_was_kept_of_another_log_is_not_used() -> None:
    cache, log, other = DictCache(), InstantLog(), InstantLog()
    await everything(await logbook(log))
    await (await logbook(other)).does("elsewhere", opening())
    for events, found in ((log, "open"), (other, "elsewhere"), (log, "open")):
        instance = Instance(events, cache, 1)
        await instance.start()
        assert instance.lobby.on(found)
        assert instance.lobby.on("elsewhere") == (events is other)
        assert len(cache.values) <= 1
        await instance.readers.stop()


async def test_two_instances_keep_one_value_and_neither_loses_by_the_other() -> None:
    cache, log = DictCache(), InstantLog()
    book = await logbook(log)
    late = Instance(log, cache, 1)
    await late.start()
    await everything(book)
    early = Instance(log, cache, 1)
    await early.start()
    await late.readers.all_caught_up()
    await early.readers.stop()
    await book.does("more", opening())
    await late.readers.all_caught_up()
    await late.readers.stop()
    [kept] = cache.values.values()
    await early.readers.stop()
    assert list(cache.values.values()) == [kept], "what hasn't moved isn't written again, over what is newer"


async def test_what_cannot_be_folded_is_waited_at(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache, log = DictCache(), InstantLog()
    book = await logbook(log)
    await book.does("one", opening())
    instance = Instance(log, cache, 1)
    await instance.start()
    with monkeypatch.context() as patched:
        patched.setattr(hall, "fold", _cannot)
        await book.does("one", sit("ann"))
        async with asyncio.timeout(20):
            while "stands still" not in caplog.text:  # noqa: ASYNC110 - a log line wakes nobody
                await asyncio.sleep(0)
        assert _revision(instance) == 1, "neither folded nor stepped over"
    await asyncio.wait_for(instance.readers.all_caught_up(), 20)
    assert _revision(instance) == 2
    await instance.readers.stop()


def _revision(instance: Instance) -> int:
    listed = instance.lobby.get("one")
    assert listed is not None
    return listed.revision


def _cannot(*_: object) -> None:
    raise UnknownEvent("of a later version")
