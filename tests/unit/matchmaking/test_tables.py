"""What may happen at a table, judged and folded without a log."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.kernel import BadInput, Refusal
from ludolog.kernel.codec import UnknownEvent
from services.matchmaking import tables
from services.matchmaking.tables import EMPTY, Phase, Table

NOW_MS = 1_800_000_000_000
ENTROPY = b"e" * 16
PRIVATE = tables_pb2.TABLE_VISIBILITY_PRIVATE


def does(table: Table, *commands: Message) -> Table:
    """The table after commands, each accepted."""
    for command in commands:
        for event in tables.decide(table, command, NOW_MS).events:
            table = tables.apply(table, event)
    return table


def opening(host: str = "ann", seats: int = 3, **more: object) -> pb.OpenTable:
    promise = tables_pb2.CommitmentReceipt(match_id="tempel-x", commitment=b"c" * 32, key_id="k1")
    return pb.OpenTable(host_id=host, rulebook="toy", seat_count=seats, commitment=promise, **more)  # type: ignore[arg-type]


def sit(player: str, seat: int = 0, *, house: bool = False, code: str = "") -> pb.TakeSeat:
    return pb.TakeSeat(player_id=player, seat=seat, entropy=ENTROPY, house_player=house, invite_code=code)


def refused(table: Table, command: Message) -> str:
    with pytest.raises(Refusal) as found:
        tables.decide(table, command, NOW_MS)
    return found.value.reason


def full(**more: object) -> Table:
    return does(EMPTY, opening(**more), sit("ann"), sit("ben"), sit("cat"))  # type: ignore[arg-type]


START = pb.StartMatch(player_id="ann")
LIVES: dict[str, Callable[[], Table]] = {
    "none": lambda: EMPTY,
    "started": lambda: does(full(), START),
    "playing": lambda: does(full(), START, pb.ConfirmMatch()),
    "ended": lambda: does(full(), START, pb.ConfirmMatch(), pb.EndMatch(reason="X")),
    "voided": lambda: does(full(), START, pb.VoidTable(reason="why")),
    "closed": lambda: does(full(), pb.LeaveSeat(player_id="ann")),
}


def test_a_start_freezes_everything_that_the_match_is_founded_on() -> None:
    started = does(full(options=b"\x08\x01", spectators_forbidden=True), START)
    founding = log_pb2.CreateMatch.FromString(started.founding)
    assert started.phase is Phase.STARTED
    assert (founding.rulebook, founding.options, founding.key_id) == ("toy", b"\x08\x01", "k1")
    assert founding.commitment == b"c" * 32
    assert [(seat.seat, seat.player_id, seat.entropy) for seat in founding.seats] == [
        (1, "ann", ENTROPY),
        (2, "ben", ENTROPY),
        (3, "cat", ENTROPY),
    ]
    assert founding.spectator_policy == log_pb2.SPECTATOR_POLICY_SEATS


@pytest.mark.parametrize("life", LIVES)
def test_once_a_table_isnt_open_nobody_sits_down_leaves_or_starts(life: str) -> None:
    table = LIVES[life]()
    reason = {"none": "NO_SUCH_TABLE", "started": "ALREADY_STARTED", "playing": "ALREADY_STARTED"}.get(
        life, "TABLE_CLOSED"
    )
    assert refused(table, sit("dan")) == reason
    assert refused(table, pb.LeaveSeat(player_id="ben")) == reason
    assert refused(table, pb.CloseTable(reason="idle")) == reason
    if life != "none":
        assert refused(table, START) == reason
        assert refused(table, opening()) == "ALREADY_OPENED"


@pytest.mark.parametrize("life", ["none", "playing", "ended", "voided", "closed"])
def test_only_a_started_table_is_confirmed_or_voided(life: str) -> None:
    expected = "NO_SUCH_TABLE" if life == "none" else "NOT_STARTED"
    assert refused(LIVES[life](), pb.ConfirmMatch()) == expected
    assert refused(LIVES[life](), pb.VoidTable(reason="x")) == expected


def test_an_end_that_is_quicker_than_the_answer_confirms_the_match_too() -> None:
    judged = tables.decide(LIVES["started"](), pb.EndMatch(reason="ALL_GOLD"), NOW_MS)
    assert [event.DESCRIPTOR.name for event in judged.events] == ["MatchOpened", "MatchEnded"]
    assert judged.ends == "ENDED"
    assert refused(LIVES["voided"](), pb.EndMatch(reason="ABORTED")) == "NOT_PLAYING"


def test_seats() -> None:
    table = does(EMPTY, opening(), sit("ben", 2))
    assert refused(table, sit("cat", 2)) == "SEAT_TAKEN"
    assert refused(table, sit("ben", 1)) == "ALREADY_SEATED"
    with pytest.raises(BadInput):
        tables.decide(table, sit("cat", 4), NOW_MS)
    table = does(table, sit("cat"), sit("dan"))
    assert [table.seat_of(player) for player in ("cat", "ben", "dan", "eve", "")] == [1, 2, 3, 0, 0]
    assert refused(table, sit("eve")) == "TABLE_FULL"
    assert does(table, pb.LeaveSeat(player_id="ben")).free == 1


def test_a_code_opens_a_private_table_however_it_is_typed() -> None:
    table = does(EMPTY, opening(visibility=PRIVATE, invite_code="K7QMW-2XPDA"))
    assert refused(table, sit("ben")) == "WRONG_INVITE_CODE"
    assert refused(table, sit("ben", code="K7QMW-2XPDB")) == "WRONG_INVITE_CODE"
    assert does(table, sit("ben", code="k7qmw 2xpda"), sit("ann")).free == 1
    assert not does(EMPTY, opening()).opens_with("")


def test_house_players_are_counted_down_and_give_way() -> None:
    table = does(EMPTY, opening(), sit("ann"), pb.WantBots(player_id="ann", count=2, bot_kind="random"))
    assert refused(does(EMPTY, opening()), sit("bot", house=True)) == "NO_BOTS_WANTED"
    assert refused(table, pb.WantBots(player_id="ann", count=1)) == "NOT_ENOUGH_SEATS"
    assert refused(table, pb.WantBots(player_id="ben", count=1)) == "NOT_HOST"
    assert refused(table, START) == "BOTS_COMING"
    one_came = does(table, sit("bot", house=True))
    assert (one_came.bots_wanted, one_came.bot_kind) == (1, "random")
    gave_way = does(one_came, sit("ben"))
    assert (gave_way.bots_wanted, gave_way.free) == (0, 0)
    assert does(gave_way, START).phase is Phase.STARTED


def formed(bots: int) -> Table:
    people = [pb.SeatTaken(seat=n, player_id=f"p{n}", entropy=ENTROPY) for n in range(1, 4 - bots)]
    return does(EMPTY, pb.OpenFormedTable(table=opening(host=""), seats=people, bots=bots))


def test_a_formed_table_starts_by_itself_when_everybody_sits() -> None:
    assert formed(0).phase is Phase.STARTED
    waiting = formed(2)
    assert (waiting.phase, waiting.bots_wanted) == (Phase.OPEN, 2)
    assert refused(waiting, pb.StartMatch(player_id="")) == "NOT_HOST"
    assert refused(waiting, sit("stranger")) == "NOT_INVITED"
    assert does(waiting, sit("b1", house=True), sit("b2", house=True)).phase is Phase.STARTED


def test_whoever_leaves_a_formed_table_is_replaced_and_the_last_one_closes_it() -> None:
    table = does(formed(1), pb.LeaveSeat(player_id="p1"))
    assert (table.bots_wanted, table.free) == (2, 2)
    table = does(table, sit("b1", house=True), pb.LeaveSeat(player_id="p2"))
    assert (table.phase, table.close_reason) == (Phase.CLOSED, "everybody left")


def test_an_event_of_something_else_stops_the_reader() -> None:
    with pytest.raises(UnknownEvent):
        tables.apply(EMPTY, pb.TicketQueued())
    with pytest.raises(BadInput):
        tables.decide(EMPTY, pb.Enqueue(), NOW_MS)
