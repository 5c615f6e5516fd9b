"""What may happen in a queue, judged and folded without a log."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.kernel import Refusal
from services.matchmaking import queues
from services.matchmaking.aggregate import Streams
from services.matchmaking.queues import EMPTY, REMEMBERED, Queue
from services.matchmaking.showing import ticket_message
from tests.infra.asking import SimulatedClock

NOW_MS = 1_800_000_000_000
STATE = tables_pb2.TicketState


def does(queue: Queue, *commands: Message, now_ms: int = NOW_MS) -> Queue:
    """The queue after commands, each accepted."""
    for command in commands:
        for event in queues.decide(queue, command, now_ms).events:
            queue = queues.apply(queue, event)
    return queue


def refused(queue: Queue, command: Message) -> str:
    with pytest.raises(Refusal) as found:
        queues.decide(queue, command, NOW_MS)
    return found.value.reason


def reserve(table_id: str, seats: int = 3) -> pb.ReserveTable:
    return pb.ReserveTable(seat_count=seats, commitment=tables_pb2.CommitmentReceipt(match_id=table_id, key_id="k"))


def ticket(player: str, seats: int = 3) -> pb.Enqueue:
    return pb.Enqueue(ticket_id=f"t-{player}", player_id=player, seat_count=seats, entropy=player.encode() * 16)


def test_nobody_waits_before_the_table_is_promised() -> None:
    assert refused(EMPTY, ticket("a")) == "NOT_RESERVED"
    queue = does(EMPTY, reserve("x"))
    assert refused(queue, reserve("y")) == "ALREADY_RESERVED"
    assert refused(queue, ticket("a", 4)) == "NOT_RESERVED"
    assert does(queue, ticket("a")).group(3)


def test_the_ticket_that_makes_a_table_full_forms_it_and_uses_the_promise_up() -> None:
    queue = does(EMPTY, reserve("x"), reserve("four", 4), ticket("a"), ticket("z", 4), ticket("b"), ticket("c"))
    formed = queue.formed["x"]
    assert ([one.player_id for one in formed.tickets], formed.bots) == (["a", "b", "c"], 0)
    assert [one.player_id for one in queue.waiting] == ["z"]
    assert queue.promise(3) is None
    assert queue.promise(4) is not None
    assert not does(queue, pb.ConfirmTable(table_id="x")).formed
    assert refused(queue, pb.ConfirmTable(table_id="y")) == "NOT_FORMED"


def test_a_player_has_one_ticket_that_waits() -> None:
    queue = does(EMPTY, reserve("x"), reserve("four", 4), ticket("a"))
    other = ticket("a", 4)
    other.ticket_id = "t-other"
    assert refused(queue, other) == "ALREADY_QUEUED"
    assert does(queue, pb.Dequeue(ticket_id="t-a", player_id="a"), other).group(4)


def test_only_ones_own_ticket_is_cancelled_and_only_while_it_waits() -> None:
    queue = does(EMPTY, reserve("x", 2), ticket("a", 2))
    mine = pb.Dequeue(ticket_id="t-a", player_id="a")
    assert refused(queue, pb.Dequeue(ticket_id="t-a", player_id="b")) == "NO_SUCH_TICKET"
    assert refused(does(queue, mine), mine) == "ALREADY_CANCELLED"
    assert refused(does(queue, ticket("b", 2)), mine) == "ALREADY_MATCHED"


def test_house_players_fill_the_promised_table_once_and_only_when_it_is_time() -> None:
    queue = does(EMPTY, reserve("x"), ticket("a"))
    queue = does(queue, ticket("b"), now_ms=NOW_MS + 5000)
    seen_s = {"t-a": 100.0, "t-b": 105.0}
    assert queue.due(seen_s, 99.9) == []
    assert queue.due(seen_s, 100.0) == [("x", 3)]
    assert queue.due({}, 1000.0) == []
    fill = pb.FormTable(table_id="x", seat_count=3)
    filled = does(queue, fill)
    assert filled.formed["x"].bots == 1
    assert filled.due(seen_s, 1000.0) == []
    assert refused(filled, fill) == "ALREADY_FORMED"
    assert refused(does(EMPTY, reserve("x")), fill) == "NOBODY_WAITS"


def test_a_ticket_is_shown_as_matched_once_its_table_can_be_found() -> None:
    queue = does(EMPTY, reserve("x", 2), ticket("a", 2), ticket("b", 2))
    opening = ticket_message("t-a", "a", "toy", queue, 10_000)
    assert opening is not None
    assert (opening.state, opening.table) == (STATE.TICKET_STATE_WAITING, "")
    ready = ticket_message("t-a", "a", "toy", does(queue, pb.ConfirmTable(table_id="x")), 10_000)
    assert ready is not None
    assert (ready.state, ready.table, ready.position) == (STATE.TICKET_STATE_MATCHED, "tables/x", 0)
    assert ticket_message("t-a", "b", "toy", queue, 10_000) is None


def test_so_many_past_tickets_are_remembered_and_no_more() -> None:
    queue = does(EMPTY, reserve("x"))
    for number in range(REMEMBERED + 5):
        player = f"p{number}"
        queue = does(queue, ticket(player), pb.Dequeue(ticket_id=f"t-{player}", player_id=player))
    assert len(queue.past) == REMEMBERED
    assert "t-p4" not in queue.past
    assert "t-p5" in queue.past


def test_snapshots_are_read_again() -> None:
    streams = Streams(SimulatedClock())
    queue = does(EMPTY, reserve("x", 2), ticket("a", 2), ticket("b", 2), reserve("y", 2), ticket("c", 2))
    assert streams.load(streams.dump(queue)) == queue
    table = streams.blank("tempel-x")
    assert streams.load(streams.dump(table)) == table
    with pytest.raises(ValueError, match=r"MessagePack|Expected|Invalid"):
        streams.load(b"nonsense")
