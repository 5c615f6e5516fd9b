"""A rulebook's queue as the fold of its commits, and the judge of what is asked of it. Pure: the time is handed in.

Whoever wants the same number of seats waits together. The next table of each number is promised before anybody waits
for it: its id, and with it the seed, is in the log before the entropy of whoever will sit there. The ticket that makes
a table full forms it in the same commit, so never more than one table's players wait for one number of seats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.hosting.messages import timestamp
from ludolog.kernel import BadInput
from ludolog.kernel.codec import UnknownEvent
from services.matchmaking.tables import Judged, refuse

REMEMBERED = 1000
"""Tickets that don't wait any more and can still be asked for."""


class Ticket(msgspec.Struct, frozen=True, array_like=True):
    """Somebody who waits."""

    ticket_id: str
    player_id: str
    seat_count: int
    entropy: bytes
    queue_time_ms: int


class Past(msgspec.Struct, frozen=True, array_like=True):
    """A ticket that doesn't wait any more; without a table it was cancelled."""

    player_id: str
    seat_count: int
    table_id: str = ""


class Formed(msgspec.Struct, frozen=True, array_like=True):
    """A table that doesn't stand in its own stream yet."""

    table_id: str
    seat_count: int
    bots: int
    commitment: bytes
    tickets: tuple[Ticket, ...]


class Queue(msgspec.Struct, frozen=True, tag="queue"):
    """A queue between two commits. `reserved`: number of seats → serialised promise of the next table."""

    reserved: dict[int, bytes] = {}
    waiting: tuple[Ticket, ...] = ()
    formed: dict[str, Formed] = {}
    past: dict[str, Past] = {}

    def group(self, seat_count: int) -> tuple[Ticket, ...]:
        """Who waits for that number of seats, the longest first."""
        return tuple(ticket for ticket in self.waiting if ticket.seat_count == seat_count)

    def promise(self, seat_count: int) -> tables_pb2.CommitmentReceipt | None:
        """The promise of the next table with so many seats."""
        data = self.reserved.get(seat_count)
        return None if data is None else tables_pb2.CommitmentReceipt.FromString(data)

    def due(self, seen_s: Mapping[str, float], before_s: float) -> list[tuple[str, int]]:
        """(table id, seats) of the tables that house players are to fill now.

        That is where the one who waits the longest was seen (`seen_s`, by ticket) at `before_s` or earlier, in seconds
        of one clock.
        """
        first: dict[int, Ticket] = {}
        for ticket in self.waiting:
            first.setdefault(ticket.seat_count, ticket)
        ripe = [seats for seats, ticket in first.items() if seen_s.get(ticket.ticket_id, math.inf) <= before_s]
        return [(promise.match_id, seats) for seats in ripe if (promise := self.promise(seats)) is not None]


EMPTY = Queue()


# ---- fold


def apply(queue: Queue, event: Message) -> Queue:
    """Apply an event's payload. UnknownEvent for one that doesn't belong to a queue."""
    name = event.DESCRIPTOR.name
    if name not in _APPLY:
        raise UnknownEvent(f"{name} doesn't happen to a queue")
    return _APPLY[name](queue, event)


def _reserved(queue: Queue, event: pb.TableReserved) -> Queue:
    promise = event.reserved.commitment.SerializeToString(deterministic=True)
    return replace(queue, reserved={**queue.reserved, event.reserved.seat_count: promise})


def _queued(queue: Queue, event: pb.TicketQueued) -> Queue:
    return replace(queue, waiting=(*queue.waiting, _ticket(event.ticket, event.queue_time.ToMilliseconds())))


def _cancelled(queue: Queue, event: pb.TicketCancelled) -> Queue:
    [ticket] = [ticket for ticket in queue.waiting if ticket.ticket_id == event.ticket_id]
    past = {event.ticket_id: Past(ticket.player_id, ticket.seat_count)}
    return _gone(queue, past)


def _formed(queue: Queue, event: pb.TableFormed) -> Queue:
    table = event.formed
    form_time_ms = event.form_time.ToMilliseconds()
    formed = Formed(
        table_id=table.table_id,
        seat_count=table.seat_count,
        bots=table.bots,
        commitment=table.commitment.SerializeToString(deterministic=True),
        tickets=tuple(_ticket(ticket, form_time_ms) for ticket in event.tickets),
    )
    queue = _gone(queue, {t.ticket_id: Past(t.player_id, t.seat_count, table.table_id) for t in event.tickets})
    reserved = {seats: promise for seats, promise in queue.reserved.items() if seats != table.seat_count}
    return replace(queue, reserved=reserved, formed={**queue.formed, table.table_id: formed})


def _confirmed(queue: Queue, event: pb.TableConfirmed) -> Queue:
    return replace(queue, formed={key: value for key, value in queue.formed.items() if key != event.table_id})


def _gone(queue: Queue, past: dict[str, Past]) -> Queue:
    remembered = {**queue.past, **past}
    for ticket_id in list(remembered)[: max(0, len(remembered) - REMEMBERED)]:
        del remembered[ticket_id]
    return replace(queue, past=remembered, waiting=tuple(t for t in queue.waiting if t.ticket_id not in past))


def _ticket(ticket: pb.Enqueue, queue_time_ms: int) -> Ticket:
    return Ticket(ticket.ticket_id, ticket.player_id, ticket.seat_count, ticket.entropy, queue_time_ms)


_APPLY: dict[str, Callable[[Queue, Any], Queue]] = {
    "TableReserved": _reserved,
    "TicketQueued": _queued,
    "TicketCancelled": _cancelled,
    "TableFormed": _formed,
    "TableConfirmed": _confirmed,
}


# ---- judge


def decide(queue: Queue, command: Message, now_ms: int) -> Judged:
    """Judge a command's payload. Refusal, BadInput. `now_ms` is Unix time; it is recorded, never compared."""
    name = command.DESCRIPTOR.name
    if name not in _DECIDE:
        raise BadInput("command", f"{name} isn't for a queue")
    return Judged(_DECIDE[name](queue, command, now_ms))


def _reserve(queue: Queue, command: pb.ReserveTable, now_ms: int) -> tuple[Message, ...]:
    if command.seat_count < 1 or not command.commitment.match_id:
        raise BadInput("commitment", "a promise for a number of seats is required")
    if command.seat_count in queue.reserved:
        raise refuse("ALREADY_RESERVED")
    return (pb.TableReserved(reserved=command),)


def _enqueue(queue: Queue, command: pb.Enqueue, now_ms: int) -> tuple[Message, ...]:
    if any(ticket.player_id == command.player_id for ticket in queue.waiting):
        raise refuse("ALREADY_QUEUED")
    if queue.promise(command.seat_count) is None:
        raise refuse("NOT_RESERVED")
    queued = pb.TicketQueued(ticket=command, queue_time=timestamp(now_ms))
    after = apply(queue, queued)
    if len(after.group(command.seat_count)) < command.seat_count:
        return (queued,)
    return queued, _forming(after, command.seat_count, now_ms)


def _dequeue(queue: Queue, command: pb.Dequeue, now_ms: int) -> tuple[Message, ...]:
    if any((t.ticket_id, t.player_id) == (command.ticket_id, command.player_id) for t in queue.waiting):
        return (pb.TicketCancelled(ticket_id=command.ticket_id),)
    past = queue.past.get(command.ticket_id)
    if past is None or past.player_id != command.player_id:
        raise refuse("NO_SUCH_TICKET")
    raise refuse("ALREADY_MATCHED" if past.table_id else "ALREADY_CANCELLED")


def _form(queue: Queue, command: pb.FormTable, now_ms: int) -> tuple[Message, ...]:
    """House players fill the table. The promise says which one was meant: once for each table."""
    promise = queue.promise(command.seat_count)
    if promise is None or promise.match_id != command.table_id:
        raise refuse("ALREADY_FORMED")
    if not queue.group(command.seat_count):
        raise refuse("NOBODY_WAITS")
    return (_forming(queue, command.seat_count, now_ms),)


def _forming(queue: Queue, seat_count: int, now_ms: int) -> pb.TableFormed:
    promise, tickets = queue.promise(seat_count), queue.group(seat_count)
    formed = pb.FormTable(
        table_id=promise.match_id if promise else "",
        seat_count=seat_count,
        ticket_ids=[ticket.ticket_id for ticket in tickets],
        bots=seat_count - len(tickets),
        commitment=promise,
    )
    given = [
        pb.Enqueue(ticket_id=t.ticket_id, player_id=t.player_id, seat_count=seat_count, entropy=t.entropy)
        for t in tickets
    ]
    return pb.TableFormed(formed=formed, tickets=given, form_time=timestamp(now_ms))


def _confirm(queue: Queue, command: pb.ConfirmTable, now_ms: int) -> tuple[Message, ...]:
    if command.table_id not in queue.formed:
        raise refuse("NOT_FORMED")
    return (pb.TableConfirmed(table_id=command.table_id),)


_DECIDE: dict[str, Callable[[Queue, Any, int], tuple[Message, ...]]] = {
    "ReserveTable": _reserve,
    "Enqueue": _enqueue,
    "Dequeue": _dequeue,
    "FormTable": _form,
    "ConfirmTable": _confirm,
}
