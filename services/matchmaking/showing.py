"""Tables and tickets as messages: what whom they concern may see of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.kernel import wire
from ludolog.rulebooks import catalogue
from services.matchmaking.hall import Listed
from services.matchmaking.queues import Queue
from services.matchmaking.tables import Phase, Table

STATES = {
    Phase.OPEN: tables_pb2.TABLE_STATE_OPEN,
    Phase.STARTED: tables_pb2.TABLE_STATE_STARTED,
    Phase.PLAYING: tables_pb2.TABLE_STATE_PLAYING,
    Phase.ENDED: tables_pb2.TABLE_STATE_PLAYING,
    Phase.CLOSED: tables_pb2.TABLE_STATE_CLOSED,
    Phase.VOIDED: tables_pb2.TABLE_STATE_CLOSED,
}


def players_of(listed: Iterable[Listed]) -> set[str]:
    """Ids of whoever sits at these tables."""
    return {chair.player_id for one in listed for chair in one.table.seated}


def table_message(listed: Listed, player_id: str, names: Mapping[str, str]) -> tables_pb2.Table:
    """A table as a player sees it; `names` are display names by player id. The invite code is for its own people."""
    table = listed.table
    opened = pb.OpenTable.FromString(table.opened)
    rulebook = catalogue.load(table.rulebook)
    message = tables_pb2.Table(
        name=f"tables/{listed.table_id}",
        rulebook=f"rulebooks/{table.rulebook}",
        options=wire.pack(rulebook.options_type.FromString(opened.options)),
        state=STATES[table.phase],
        visibility=opened.visibility or tables_pb2.TABLE_VISIBILITY_PUBLIC,
        invite_code=table.invite_code if table.has(player_id) else "",
        host=f"players/{table.host_id}" if table.host_id else "",
        seat_count=len(table.chairs),
        seats=_seats(table, names),
        bots_wanted=table.bots_wanted,
        bot_kind=table.bot_kind,
        match=f"matches/{listed.table_id}" if table.phase in (Phase.PLAYING, Phase.ENDED) else "",
        commitment=opened.commitment,
        spectators_allowed=not opened.spectators_forbidden,
        revision=listed.revision,
        close_reason=table.close_reason,
    )
    message.decision_time.CopyFrom(opened.decision_time)
    message.create_time.FromMilliseconds(table.open_time_ms)
    return message


def _seats(table: Table, names: Mapping[str, str]) -> list[tables_pb2.Table.Seat]:
    return [
        tables_pb2.Table.Seat(
            seat=seat,
            player=f"players/{chair.player_id}",
            display_name=names.get(chair.player_id, ""),
            house_player=chair.house_player,
        )
        for seat, chair in enumerate(table.chairs, 1)
        if chair is not None
    ]


def ticket_message(
    ticket_id: str, player_id: str, rulebook: str, queue: Queue, fill_ms: int | None
) -> tables_pb2.Ticket | None:
    """A player's own ticket; None where there is none such. `fill_ms` is None where house players never come."""
    message = tables_pb2.Ticket(name=f"tickets/{ticket_id}", rulebook=f"rulebooks/{rulebook}")
    waiting = next((ticket for ticket in queue.waiting if ticket.ticket_id == ticket_id), None)
    if waiting is not None and waiting.player_id == player_id:
        group = queue.group(waiting.seat_count)
        message.seat_count, message.state = waiting.seat_count, tables_pb2.TICKET_STATE_WAITING
        message.position = group.index(waiting) + 1
        message.commitment.CopyFrom(queue.promise(waiting.seat_count) or tables_pb2.CommitmentReceipt())
        if fill_ms is not None:
            message.fill_time.FromMilliseconds(group[0].queue_time_ms + fill_ms)
        return message
    past = queue.past.get(ticket_id)
    if past is None or past.player_id != player_id:
        return None
    message.seat_count = past.seat_count
    formed = queue.formed.get(past.table_id)
    if not past.table_id:
        message.state = tables_pb2.TICKET_STATE_CANCELLED
    elif formed is not None:
        # The table is being opened: until then nobody could find it.
        message.state, message.position = tables_pb2.TICKET_STATE_WAITING, 1
        message.commitment.ParseFromString(formed.commitment)
    else:
        message.state, message.table = tables_pb2.TICKET_STATE_MATCHED, f"tables/{past.table_id}"
    return message
