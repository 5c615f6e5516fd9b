"""The fold of all tables: what whom is listed, what is forgotten, where endings go on; and watchers."""

from __future__ import annotations

import asyncio

import pytest
from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.takeovers import Checkpoint
from ludolog.hosting import TooMuch
from ludolog.kernel import BadInput
from services.matchmaking import hall, requests, tables
from services.matchmaking.aggregate import EVENTS
from services.matchmaking.lobby import Lobby, Viewer
from services.matchmaking.tables import EMPTY
from services.matchmaking.watching import watch
from tests.unit.matchmaking.test_tables import PRIVATE, START, opening, sit

ANN, STRANGER, HOUSE = Viewer("ann"), Viewer("zoe"), Viewer("bot", house=True)


class World:
    """A lobby and the commits that it reads."""

    def __init__(self) -> None:
        self.lobby = Lobby(1)
        self.now_ms = 1000
        self._sequences: dict[str, int] = {}

    def does(self, table_id: str, *commands: Message) -> None:
        for command in commands:
            known = self.lobby.get(table_id)
            self.now_ms += 1
            judged = tables.decide(known.table if known else EMPTY, command, self.now_ms)
            self.commit(table_id, *judged.events)

    def commit(self, table_id: str, *events: Message) -> None:
        self._sequences[table_id] = self._sequences.get(table_id, 0) + 1
        encoded = [EVENTS.encode(event) for event in events]
        self.lobby.apply(0, log_pb2.Commit(stream_id=table_id, sequence=self._sequences[table_id], events=encoded))

    def lists(self, viewer: Viewer, before: tuple[int, str] | None = None) -> list[str]:
        return [listed.table_id for listed in self.lobby.seen_by(viewer, before)]


def test_whoever_looks_sees_public_open_tables_and_their_own() -> None:
    world = World()
    world.does("public", opening("ben"))
    world.does("private", opening("ann", visibility=PRIVATE, invite_code="C"))
    world.does("started", opening("ann"), sit("ann"), sit("ben"), sit("cat"), START)
    wanted = pb.WantBots(player_id="dan", count=1)
    world.does("wanting", opening("dan", visibility=PRIVATE, invite_code="C"), wanted)
    assert world.lists(ANN) == ["started", "private", "public"]
    assert world.lists(STRANGER) == world.lists(Viewer()) == ["public"]
    assert world.lists(HOUSE) == ["wanting", "public"]
    assert world.lists(ANN, (1002, "private")) == ["public"]
    assert world.lobby.hosted_by("ann") == 1


def test_a_table_that_is_history_is_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "HISTORY", 2)
    world = World()
    for name in ("one", "two", "three"):
        world.does(name, opening(), pb.LeaveSeat(player_id="ann"))
    assert (world.lists(ANN), len(world.lobby)) == ([], 0)
    assert world.lobby.get("one") is None
    assert world.lobby.get("three") is not None
    assert not world.lobby.on("three")


def test_the_newest_end_says_where_to_go_on() -> None:
    world = World()
    for name, position in (("one", 7), ("two", 3)):
        source = log_pb2.SourcePosition(topic="t", partition=1, position=position, in_force=2, bookmark_digest=b"d")
        full = (opening(), sit("ann"), sit("ben"), sit("cat"), START, pb.EndMatch(reason="X", source=source))
        world.does(name, *full)
    assert world.lobby.source("t", 1) == Checkpoint(7, 2, b"d")
    assert world.lobby.source("t", 2) == Checkpoint()


def test_a_table_with_a_gap_is_broken_and_says_so() -> None:
    world = World()
    world.lobby.apply(0, log_pb2.Commit(stream_id="gap", sequence=2))
    assert world.lobby.broken == {"gap"}


async def test_a_watcher_gets_the_newest_state_only_and_is_told_when_a_table_leaves_its_list() -> None:
    world = World()
    world.does("one", opening("ben"))
    changes = watch(world.lobby, STRANGER, "", 10)
    assert (await anext(changes)).table_id == "one"
    world.does("one", sit("ann"), sit("ben"))
    world.does("hidden", opening("ann", visibility=PRIVATE))
    assert (await anext(changes)).revision == 3
    world.does("one", pb.LeaveSeat(player_id="ben"))
    assert (await anext(changes)).table.close_reason
    world.does("two", opening("ben"))
    assert (await anext(changes)).table_id == "two"
    await changes.aclose()
    assert not world.lobby.listeners


async def test_a_watcher_that_is_too_slow_is_told_to_come_again() -> None:
    world = World()
    changes = watch(world.lobby, STRANGER, "", 2)
    following = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0)
    for name in ("one", "two", "three", "four"):
        world.does(name, opening("ben"))
    with pytest.raises(TooMuch):
        await following
    assert not world.lobby.listeners


def test_page_tokens_are_read_again_and_others_are_refused() -> None:
    assert requests.page_key(requests.page_token((12, "tempel-x"))) == (12, "tempel-x")
    for token in ("x", "!!!!", "aGVsbG8="):
        with pytest.raises(BadInput):
            requests.page_key(token)


def test_ids_of_requests_repeat_for_the_same_player_and_secret_only() -> None:
    one = requests.derived_id(b"s", "table", "p", "r")
    assert one == requests.derived_id(b"s", "table", "p", "r")
    others = [("t", "table", "p", "r"), ("s", "ticket", "p", "r"), ("s", "table", "q", "r"), ("s", "table", "p", "s")]
    assert one not in {requests.derived_id(secret.encode(), kind, who, asked) for secret, kind, who, asked in others}
    assert len(one) == 26
