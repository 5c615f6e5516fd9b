"""The RPCs of matchmaking: who may ask, what is asked, how it is answered; and what is put together for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from itertools import islice
from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.api.matchmaking.v1 import matchmaking_pb2_grpc
from ludolog.eventlog.port import LogError
from ludolog.hosting import Caller, Host, NotFound, caller, names, require_player, topic_of
from ludolog.hosting.errors import NotOwner
from ludolog.kernel import BadInput
from ludolog.rulebooks import catalogue
from services.matchmaking import requests
from services.matchmaking.aggregate import COMMANDS, MATCHMAKING, TOPIC, cause, queue_id
from services.matchmaking.commands import Commands
from services.matchmaking.hall import Listed
from services.matchmaking.invites import Guesses
from services.matchmaking.lobby import Viewer
from services.matchmaking.matchmaking import Matchmaking
from services.matchmaking.showing import players_of, table_message, ticket_message
from services.matchmaking.tables import Phase
from services.matchmaking.watching import watch

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
M = TypeVar("M", tables_pb2.Table, tables_pb2.Ticket)
SECRET = "matchmaking/ids/v1"  # noqa: S105 - the purpose of a secret, not one
NO_TABLE = "there is no such table"


class MatchmakingService(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Tables and queues."""

    def __init__(self, host: Host, parts: Matchmaking) -> None:
        self._host, self._parts = host, parts
        self._lobby, self._readers = parts.lobby, parts.readers
        self._guesses = Guesses(host.cache)
        self._secret = host.keys.derive(SECRET)
        self._commands = Commands(
            parts.owner, parts.lobby, self._guesses, host.channel("rng"), self._secret, host.tracing.current
        )

    # ---- tables

    async def CreateTable(self, request: tables_pb2.CreateTableRequest, context: Context) -> tables_pb2.Table:
        """Open a table. A repeat finds the first one."""
        player_id = require_player().player_id
        command = requests.open_table(request, player_id)
        request_id = names.command_id(request.request_id, "request_id")
        table_id = self._commands.table_id(command.rulebook, player_id, request_id)
        handed = await self._hand_on(table_id, "CreateTable", request, context, tables_pb2.Table)
        if handed is not None:
            return handed
        return await self._shown(await self._commands.open_table(table_id, command, request_id), player_id)

    async def GetTable(self, request: tables_pb2.GetTableRequest, context: Context) -> tables_pb2.Table:
        """Get a table."""
        table_id, who = names.table_of(request.name), caller()
        listed = await self._found(table_id, old_will_do=True)
        if not await self._may_see(listed, who, request.invite_code):
            raise NotFound(NO_TABLE, reason="NO_SUCH_TABLE")
        return await self._shown(listed, who.player_id)

    async def ListTables(
        self, request: tables_pb2.ListTablesRequest, context: Context
    ) -> tables_pb2.ListTablesResponse:
        """List tables, newest first."""
        who, rulebook = caller(), _rulebook(request.rulebook)
        size, before = requests.page_size(request.page_size), requests.page_key(request.page_token)
        seen = (one for one in self._lobby.seen_by(_viewer(who), before) if rulebook in ("", one.table.rulebook))
        page = list(islice(seen, size + 1))
        more = len(page) > size
        tables = await self._all_shown(page[:size], who.player_id)
        token = requests.page_token(page[size - 1].key) if more else ""
        return tables_pb2.ListTablesResponse(tables=tables, next_page_token=token)

    async def WatchTables(
        self, request: tables_pb2.WatchTablesRequest, context: Context
    ) -> AsyncIterator[tables_pb2.Table]:
        """The list, then each table that changes."""
        who = caller()
        changes = watch(self._lobby, _viewer(who), _rulebook(request.rulebook), self._host.settings.client_queue)
        async with aclosing(changes):
            async for listed in changes:
                yield await self._shown(listed, who.player_id)

    async def JoinTable(self, request: tables_pb2.JoinTableRequest, context: Context) -> tables_pb2.Table:
        """Take a seat."""
        who = require_player()
        table_id, command = names.table_of(request.name), requests.take_seat(request, who)
        request_id = names.command_id(request.request_id, "request_id")
        handed = await self._hand_on(table_id, "JoinTable", request, context, tables_pb2.Table)
        if handed is not None:
            return handed
        await self._found(table_id)
        return await self._shown(await self._commands.join(table_id, command, request_id), who.player_id)

    async def LeaveTable(self, request: tables_pb2.LeaveTableRequest, context: Context) -> tables_pb2.Table:
        """Leave a seat, or close the own table."""
        player_id = require_player().player_id
        requests.check_request(request)
        command = pb.LeaveSeat(player_id=player_id)
        handed = await self._hand_on(names.table_of(request.name), "LeaveTable", request, context, tables_pb2.Table)
        if handed is not None:
            return handed
        return await self._at_table(request.name, player_id, "leave", request.request_id, command)

    async def AddBots(self, request: tables_pb2.AddBotsRequest, context: Context) -> tables_pb2.Table:
        """Ask for house players."""
        player_id = require_player().player_id
        command = requests.want_bots(request, player_id)
        handed = await self._hand_on(names.table_of(request.name), "AddBots", request, context, tables_pb2.Table)
        if handed is not None:
            return handed
        return await self._at_table(request.name, player_id, "bots", request.request_id, command)

    async def StartTable(self, request: tables_pb2.StartTableRequest, context: Context) -> tables_pb2.Table:
        """Start the match."""
        player_id = require_player().player_id
        requests.check_request(request)
        command = pb.StartMatch(player_id=player_id)
        handed = await self._hand_on(names.table_of(request.name), "StartTable", request, context, tables_pb2.Table)
        if handed is not None:
            return handed
        return await self._at_table(request.name, player_id, "start", request.request_id, command)

    async def _at_table(self, name: str, player_id: str, kind: str, request_id: str, command: Any) -> tables_pb2.Table:
        table_id = names.table_of(name)
        checked = names.command_id(request_id, "request_id")
        await self._found(table_id)
        return await self._shown(await self._commands.at_table(table_id, player_id, kind, checked, command), player_id)

    # ---- queues

    async def CreateTicket(self, request: tables_pb2.CreateTicketRequest, context: Context) -> tables_pb2.Ticket:
        """Queue for a match."""
        player_id = require_player().player_id
        rulebook, command = requests.enqueue(request, player_id, self._secret)
        handed = await self._hand_on(queue_id(rulebook), "CreateTicket", request, context, tables_pb2.Ticket)
        if handed is not None:
            return handed
        queue = await self._commands.enqueue(rulebook, command, request.request_id)
        return self._ticket(command.ticket_id, player_id, rulebook, queue)

    async def GetTicket(self, request: tables_pb2.GetTicketRequest, context: Context) -> tables_pb2.Ticket:
        """Get the caller's ticket."""
        player_id, ticket_id = require_player().player_id, names.ticket_of(request.name)
        rulebook = names.rulebook_of_match(ticket_id)
        handed = await self._hand_on(queue_id(rulebook), "GetTicket", request, context, tables_pb2.Ticket)
        if handed is not None:
            return handed
        queue = await self._commands.queue(rulebook)
        if ticket_message(ticket_id, player_id, rulebook, queue, None) is None:
            queue = await self._commands.queue(rulebook, settled=True)
        return self._ticket(ticket_id, player_id, rulebook, queue)

    async def CancelTicket(self, request: tables_pb2.CancelTicketRequest, context: Context) -> tables_pb2.Ticket:
        """Leave a queue."""
        player_id, ticket_id = require_player().player_id, names.ticket_of(request.name)
        rulebook, request_id = names.rulebook_of_match(ticket_id), names.command_id(request.request_id, "request_id")
        handed = await self._hand_on(queue_id(rulebook), "CancelTicket", request, context, tables_pb2.Ticket)
        if handed is not None:
            return handed
        command = pb.Dequeue(ticket_id=ticket_id, player_id=player_id)
        queue = await self._commands.dequeue(rulebook, command, request_id)
        return self._ticket(ticket_id, player_id, rulebook, queue)

    def _ticket(self, ticket_id: str, player_id: str, rulebook: str, queue: Any) -> tables_pb2.Ticket:
        message = ticket_message(ticket_id, player_id, rulebook, queue, self._parts.fill_ms)
        if message is None:
            raise NotFound("there is no such ticket", reason="NO_SUCH_TICKET")
        return message

    # ---- between instances

    async def SubmitCommand(self, request: pb.SubmitCommandRequest, context: Context) -> pb.SubmitCommandResponse:
        """A command of the service itself."""
        requests.check_request(request)
        command = COMMANDS.unwrap(request.command)
        if command is None:
            raise BadInput("command", "nothing is set")
        if not self._parts.owner.serves(request.stream_id):
            raise NotOwner
        asked = cause(MATCHMAKING, request.command_id, command)
        receipt = await self._parts.owner.submit(request.stream_id, asked)
        return pb.SubmitCommandResponse(sequence=receipt.sequence)

    # ----

    async def _hand_on(
        self, stream_id: str, method: str, request: Message, context: Context, answer: type[M]
    ) -> M | None:
        """The answer of the stream's owner, where that is another instance; None where it is this one."""
        given = await self._parts.commander.hand_on(stream_id, method, request, context)
        if given is not None and not isinstance(given, answer):
            raise TypeError(f"{method} gave a {type(given).__name__}")
        return given

    async def _found(self, table_id: str, *, old_will_do: bool = False) -> Listed:
        """A table as it stands now. NotFound for none, and for one that has been history for long.

        `old_will_do`: as it is known, while the log is away.
        """
        names.rulebook_of_match(table_id)
        try:
            await self._readers.caught_up(self._readers.partition_of(table_id))
        except LogError:
            if not old_will_do or self._lobby.get(table_id) is None:
                raise
        listed = self._lobby.get(table_id)
        if listed is None:
            raise NotFound(NO_TABLE, reason="NO_SUCH_TABLE")
        return listed

    async def _may_see(self, listed: Listed, who: Caller, invite_code: str) -> bool:
        table = listed.table
        if table.has(who.player_id) or _viewer(who).sees(table):
            return True
        if not table.private and not table.formed and table.phase is not Phase.NONE:
            return True
        if not invite_code or not who.player_id:
            return False
        await self._guesses.check(who.player_id)
        if table.opens_with(invite_code):
            return True
        await self._guesses.wrong(who.player_id)
        return False

    async def _shown(self, listed: Listed, player_id: str) -> tables_pb2.Table:
        return (await self._all_shown([listed], player_id))[0]

    async def _all_shown(self, tables: Iterable[Listed], player_id: str) -> list[tables_pb2.Table]:
        tables = list(tables)
        display_names = await self._host.player_names(players_of(tables))
        return [table_message(listed, player_id, display_names) for listed in tables]


def _viewer(who: Caller) -> Viewer:
    return Viewer(who.player_id, "house" in who.roles)


def _rulebook(name: str) -> str:
    return requests.known_rulebook(name).name if name else ""


async def bind(host: Host) -> None:
    """Own partitions of the matchmaking log, keep the lobby, and answer."""
    for topic in (TOPIC, *(topic_of(name) for name in catalogue.names())):
        await host.log.ensure_topic(topic, host.settings.topic_partitions)
    parts = Matchmaking(host, host.settings.topic_partitions)
    matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server(MatchmakingService(host, parts), host.server)
    host.on_drain(parts.drain)
    await parts.start()
