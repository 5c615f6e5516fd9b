"""The terminal's story: every public event has its line, in words."""

from __future__ import annotations

import re

import pytest

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Seat
from ludolog.record.commits import parse_record
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.telling import LINES, NAMED
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Players, play

BOOK = catalogue.load("beast_hunter")


def test_every_event_has_a_line() -> None:
    told = {kind.DESCRIPTOR.full_name for kind in (*LINES, *NAMED)}
    assert told == {field.message_type.full_name for field in pb.Event.DESCRIPTOR.fields if field.message_type}


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (pb.DayActionChosen(action=pb.ACTION_BUILD, tower=pb.TOWER_EASTERN), "The day goes to the Eastern Tower"),
        (pb.SearchResolved(top=532, bottom=462, result=70), "532 - 462 = 70"),
        (pb.CombatStarted(region=pb.REGION_THE_SCAR, hit_points=6), "Combat: The Burning Man, 6 hit points"),
        (pb.DoubtGained(reason=pb.DOUBT_REASON_TOWER_BUILT), "No doubt today"),
        (pb.GameEnded(reason=pb.END_REASON_TRUST_LOST), "The villagers' trust is lost"),
    ],
)
def test_lines(event: pb.Event, line: str) -> None:
    assert BOOK.tell is not None
    assert BOOK.tell(event, {}, None) == line


def test_a_whole_game_is_told_in_words() -> None:
    table = Table(BOOK, Setting(match_id_of("beast_hunter", "told", 1), 1, pb.Options(), digest_of("told")))
    play(table, Players.seeded({Seat(1): BOOK.bots["random"]}, "told/1"))
    events = [BOOK.events.decode_event(data) for record in table.records for data in parse_record(record).commit.events]
    assert BOOK.tell is not None
    lines = [BOOK.tell(event, {}, None) for event in events]
    assert len(events) > 100
    assert not [line for line in lines if re.search(r"[A-Z]_[A-Z]|None|<", line)]
