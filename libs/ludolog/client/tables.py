"""Tables and queues."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncGenerator
from typing import Any, TypeVar

import grpc
from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2, tables_pb2_grpc
from ludolog.client.connection import Connection, pause_s
from ludolog.client.errors import BrokenPromise, Unavailable, from_call
from ludolog.client.messages import pack

ENTROPY_BYTES = 32
STATE = tables_pb2.TableState
Named = str | tables_pb2.Table
T = TypeVar("T", tables_pb2.Table, tables_pb2.Ticket)
"""What carries the promise of a match's seed."""


class Tables:
    """`client.tables`. Where a table is asked for, its name or the Table itself will do."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stub = tables_pb2_grpc.TableServiceStub(connection.channel)
        self.commitments: dict[str, tables_pb2.CommitmentReceipt] = {}
        """The signed promises of seeds that were seen, by match id."""

    def receipt(self, match: str) -> str:
        """The promise that was kept for a match ("matches/x" or its id), as JSON. KeyError where none was seen.

        Write it to a file of yours: `ludolog verify RECORD --receipt FILE` checks the finished match against it.
        """
        return json_format.MessageToJson(self.commitments[match.removeprefix("matches/")])

    async def create(
        self,
        rulebook: str,
        seats: int,
        *,
        options: Message | None = None,
        private: bool = False,
        decision_time_s: float | None = None,
        spectators: bool = True,
    ) -> tables_pb2.Table:
        """Open a table. `rulebook`: its name; `options`: the rulebook's Options; `decision_time_s`: 0 for no clock."""
        visibility = tables_pb2.TableVisibility.TABLE_VISIBILITY_PUBLIC
        if private:
            visibility = tables_pb2.TableVisibility.TABLE_VISIBILITY_PRIVATE
        request = tables_pb2.CreateTableRequest(
            rulebook=_rulebook(rulebook),
            options=pack(options),
            seat_count=seats,
            visibility=visibility,
            spectators_forbidden=not spectators,
            request_id=_request_id(),
        )
        if decision_time_s is not None:
            request.decision_time.CopyFrom(Duration(seconds=int(decision_time_s), nanos=int(decision_time_s % 1 * 1e9)))
        return await self._table(self._stub.CreateTable, request)

    async def get(self, table: Named, *, invite_code: str = "") -> tables_pb2.Table:
        """A table as it is now."""
        return await self._table(
            self._stub.GetTable, tables_pb2.GetTableRequest(name=_name(table), invite_code=invite_code)
        )

    async def list(self, rulebook: str = "") -> list[tables_pb2.Table]:
        """Public open tables and one's own, newest first."""
        found: list[tables_pb2.Table] = []
        request = tables_pb2.ListTablesRequest(rulebook=_rulebook(rulebook))
        while True:
            page: tables_pb2.ListTablesResponse = await self._connection.call(self._stub.ListTables, request)
            found += [self._keep(table) for table in page.tables]
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def join(self, table: Named, *, seat: int = 0, invite_code: str = "") -> tables_pb2.Table:
        """Take a seat (0: the lowest free one), with entropy of our own: nobody can choose the match's luck alone."""
        request = tables_pb2.JoinTableRequest(
            name=_name(table),
            seat=seat,
            entropy=secrets.token_bytes(ENTROPY_BYTES),
            invite_code=invite_code,
            request_id=_request_id(),
        )
        return await self._table(self._stub.JoinTable, request)

    async def leave(self, table: Named) -> tables_pb2.Table:
        """Leave a seat; the host closes the table."""
        request = tables_pb2.LeaveTableRequest(name=_name(table), request_id=_request_id())
        return await self._table(self._stub.LeaveTable, request)

    async def add_bots(self, table: Named, count: int, *, kind: str = "") -> tables_pb2.Table:
        """Ask for house players."""
        request = tables_pb2.AddBotsRequest(name=_name(table), count=count, bot_kind=kind, request_id=_request_id())
        return await self._table(self._stub.AddBots, request)

    async def start(self, table: Named) -> tables_pb2.Table:
        """Start the match. Refused while seats are free."""
        request = tables_pb2.StartTableRequest(name=_name(table), request_id=_request_id())
        return await self._table(self._stub.StartTable, request)

    async def watch(self, rulebook: str = "") -> AsyncGenerator[tables_pb2.Table, None]:
        """The tables that `list` would show, then each that changes, for ever.

        Each revision of a table is seen once.
        """
        seen: dict[str, int] = {}
        tries = 0
        while True:
            metadata = await self._connection.metadata()
            request = tables_pb2.WatchTablesRequest(rulebook=_rulebook(rulebook))
            call = self._stub.WatchTables(request, metadata=metadata)
            try:
                async for table in call:
                    tries = 0
                    if table.revision > seen.get(table.name, -1):
                        seen[table.name] = table.revision
                        yield self._keep(table)
            except grpc.aio.AioRpcError as failed:
                error = from_call(failed)
                if not isinstance(error, Unavailable):
                    raise error from failed
            finally:
                call.cancel()
            tries += 1
            await _sleep(tries)

    async def until_full(self, table: Named) -> tables_pb2.Table:
        """Wait until every seat is taken, or the table isn't open any more."""
        return await self._until(
            table, lambda found: len(found.seats) >= found.seat_count or found.state != STATE.TABLE_STATE_OPEN
        )

    async def until_playing(self, table: Named) -> tables_pb2.Table:
        """Wait until the match is made (`match` is its name then), or the table is closed without one."""
        done = (STATE.TABLE_STATE_PLAYING, STATE.TABLE_STATE_CLOSED)
        return await self._until(table, lambda found: found.state in done)

    async def _until(self, table: Named, is_so: Any) -> tables_pb2.Table:
        name = _name(table)
        code = table.invite_code if isinstance(table, tables_pb2.Table) else ""
        tries = 0
        while not is_so(found := await self.get(name, invite_code=code)):
            tries = min(tries + 1, 3)
            await _sleep(tries)
        return found

    # ---- queues

    async def queue(self, rulebook: str, seats: int) -> tables_pb2.Ticket:
        """Queue for a match."""
        request = tables_pb2.CreateTicketRequest(
            rulebook=_rulebook(rulebook),
            seat_count=seats,
            entropy=secrets.token_bytes(ENTROPY_BYTES),
            request_id=_request_id(),
        )
        ticket: tables_pb2.Ticket = await self._connection.call(self._stub.CreateTicket, request)
        return self._keep(ticket)

    async def ticket(self, name: str) -> tables_pb2.Ticket:
        """A ticket as it is now."""
        ticket: tables_pb2.Ticket = await self._connection.call(
            self._stub.GetTicket, tables_pb2.GetTicketRequest(name=name)
        )
        return self._keep(ticket)

    async def cancel_ticket(self, name: str) -> tables_pb2.Ticket:
        """Leave a queue."""
        request = tables_pb2.CancelTicketRequest(name=name, request_id=_request_id())
        ticket: tables_pb2.Ticket = await self._connection.call(self._stub.CancelTicket, request)
        return ticket

    # ----

    async def _table(self, method: Any, request: Any) -> tables_pb2.Table:
        table: tables_pb2.Table = await self._connection.call(method, request)
        return self._keep(table)

    def _keep(self, table: T) -> T:
        """Keep the promise of the seed. BrokenPromise where it isn't the one that was kept before."""
        if table.commitment.commitment:
            promise = table.commitment
            kept = self.commitments.setdefault(promise.match_id, promise)
            if (kept.commitment, kept.key_id) != (promise.commitment, promise.key_id):
                raise BrokenPromise(f"{promise.match_id}: another commitment than before")
        return table


async def _sleep(tries: int) -> None:
    await asyncio.sleep(pause_s(tries))


def _name(table: Named) -> str:
    return table if isinstance(table, str) else table.name


def _rulebook(name: str) -> str:
    return f"rulebooks/{name}" if name and "/" not in name else name


def _request_id() -> str:
    return uuid.uuid4().hex
