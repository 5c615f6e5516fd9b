"""The RPCs of the engine: who may ask, what is asked, how it is answered. Judging and writing are the owner's."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import grpc

from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.answers import Confirmed, Receipt
from ludolog.hosting import Host, Tracing, authorisation, errors, names, topic_of
from ludolog.hosting.errors import NotFound, OutOfRange
from ludolog.hosting.identity import require_player
from ludolog.hosting.tracing import NOTHING, checked
from ludolog.kernel import BadInput, Refusal, Rulebook, Seat, Seated
from ludolog.record import updates
from ludolog.record.match import Match
from ludolog.rulebooks import catalogue
from ludolog.sessions.hints import Deadlines
from services.engine.archive import ReplayArchive
from services.engine.blocks import from_rng
from services.engine.causes import abort_cause, check_request, command_cause, create_cause, resign_cause
from services.engine.engine import Engine
from services.engine.figures import Figures
from services.engine.multiplex import multiplex

COMMAND = "ludolog.api.engine.v1.EngineService/SubmitCommands: a command"
AT_ONCE = 512
"""Commands of one SubmitCommands stream that are handled at once."""

logger = logging.getLogger(__name__)


class Owns(Protocol):
    """What the servicer needs of the owner of the partitions."""

    async def submit(self, stream_id: str, cause: log_pb2.Cause, *, traceparent: str = "") -> Receipt:
        """Have a cause judged and written."""

    async def confirmed(self, stream_id: str, minimum_sequence: int = 0) -> Confirmed[Match[Any]]:
        """The confirmed match."""

    async def settled(self, stream_id: str) -> Confirmed[Match[Any]]:
        """The confirmed match, after a barrier."""


class Clocks(Protocol):
    """Who knows deadlines."""

    def of(self, match_id: str) -> Deadlines | None:
        """The deadlines of a match."""


class EngineService(engine_pb2_grpc.EngineServiceServicer):
    """The engine of one rulebook."""

    def __init__(
        self, rulebook: Rulebook[Any], owner: Owns, clocks: Clocks, figures: Figures, tracing: Tracing
    ) -> None:
        self._rulebook, self._owner, self._clocks, self._figures = rulebook, owner, clocks, figures
        self._tracing = tracing

    async def CreateMatch(
        self, request: engine_pb2.CreateMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> play_pb2.Receipt:
        """Found a match. Services only."""
        match_id = self._match_of(request.name)
        return await self._submit(match_id, create_cause(match_id, request), "create")

    async def AbortMatch(
        self, request: engine_pb2.AbortMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> play_pb2.Receipt:
        """Call a match off. Services only."""
        match_id = self._match_of(request.name)
        return await self._submit(match_id, abort_cause(match_id, request), "abort")

    async def SubmitCommand(
        self, request: play_pb2.SubmitCommandRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> play_pb2.Receipt:
        """Submit a command for the caller's seat."""
        return await self._command(request, require_player().player_id)

    async def SubmitCommands(
        self,
        request_iterator: AsyncIterator[engine_pb2.SubmitCommandsRequest],
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> AsyncIterator[engine_pb2.SubmitCommandsResponse]:
        """SubmitCommand for many callers. Services only: they say who asks."""
        answers = multiplex(request_iterator, self._answer, AT_ONCE)
        try:
            async for answer in answers:
                yield answer
        finally:
            await answers.aclose()

    async def Resign(
        self, request: play_pb2.ResignRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> play_pb2.Receipt:
        """Give up the caller's seat."""
        player_id = require_player().player_id
        match_id, seat, _ = await self._seated(request.name, player_id)
        return await self._submit(match_id, resign_cause(seat, request), "resign")

    async def ListLegalCommands(
        self, request: play_pb2.ListLegalCommandsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> play_pb2.ListLegalCommandsResponse:
        """What the caller's seat may do."""
        player_id = require_player().player_id
        check_request(request)
        _, seat, found = await self._seated(request.name, player_id, request.minimum_sequence)
        legal = updates.legal_commands(self._rulebook, found.state, Seated(Seat(seat)))
        return play_pb2.ListLegalCommandsResponse(sequence=found.head.sequence, legal_commands=legal)

    async def GetView(
        self, request: play_pb2.GetViewRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> match_pb2.Update:
        """What the caller's seat sees."""
        player_id = require_player().player_id
        check_request(request)
        match_id, seat, found = await self._seated(request.name, player_id, request.minimum_sequence)
        update = updates.present(self._rulebook, found.state, found.head.sequence, Seated(Seat(seat)))
        deadlines = self._clocks.of(match_id)
        if deadlines is not None:
            deadlines.add_to(update.awaiting)
        return update

    async def _answer(self, request: engine_pb2.SubmitCommandsRequest) -> engine_pb2.SubmitCommandsResponse:
        """One caller's answer; errors in-band, with the details that SubmitCommand would give."""
        answer = engine_pb2.SubmitCommandsResponse(correlation_id=request.correlation_id)
        try:
            if not request.player_id:
                raise BadInput("player_id", "is required")
            with self._part_of(request.traceparent):
                answer.receipt.CopyFrom(await self._command(request.submit, request.player_id))
        except Exception as error:
            if errors.api_error(error) is None:
                logger.exception("a command failed")
            answer.status.CopyFrom(errors.status_of(error, "engine"))
        return answer

    def _part_of(self, traceparent: str) -> AbstractContextManager[str]:
        """The span of a command on a stream, where the stream's other end traces it."""
        parent = checked(traceparent)
        return self._tracing.serving(COMMAND, parent) if parent else NOTHING

    async def _command(self, request: play_pb2.SubmitCommandRequest, player_id: str) -> play_pb2.Receipt:
        match_id, seat, _ = await self._seated(request.name, player_id)
        return await self._submit(match_id, command_cause(self._rulebook, seat, request), "command")

    async def _submit(self, match_id: str, cause: log_pb2.Cause, kind: str) -> play_pb2.Receipt:
        with self._figures.command(kind), self._refusals():
            receipt = await self._owner.submit(match_id, cause, traceparent=self._tracing.current())
        match = names.match_name(match_id)
        return play_pb2.Receipt(match=match, sequence=receipt.sequence, command_id=cause.command_id)

    async def _seated(
        self, name: str, player_id: str, minimum_sequence: int = 0
    ) -> tuple[str, int, Confirmed[Match[Any]]]:
        """(match id, seat, confirmed match), if this player sits there.

        NotFound for no such match or seat: only after a barrier. PermissionDenied for another's seat: a founding never
        changes, so a former owner may say so too. OutOfRange where the match hasn't reached that number.
        """
        match_id, seat = names.seat_of(name)
        self._match_of(name)
        if minimum_sequence < 0:
            raise BadInput("minimum_sequence", "must not be negative")
        found = await self._owner.confirmed(match_id)
        if found.state.founding is None:
            found = await self._owner.settled(match_id)
        founding = found.state.founding
        if founding is None or seat > len(founding.seats):
            raise NotFound("there is no such match or seat", reason="NO_SUCH_SEAT")
        authorisation.check_seat(founding.seats[seat - 1].player_id, player_id)
        if found.head.sequence < minimum_sequence:
            # Whoever has a receipt has it of a commit that a barrier reads.
            found = await self._owner.settled(match_id)
        if found.head.sequence < minimum_sequence:
            raise OutOfRange(f"the match is at {found.head.sequence}", head=found.head.sequence)
        return match_id, seat, found

    def _match_of(self, name: str) -> str:
        match_id = names.match_of(name)
        if names.rulebook_of_match(match_id) != self._rulebook.name:
            raise BadInput("name", f"isn't a match of {self._rulebook.name}")
        return match_id

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Give refusals the rulebook as their domain."""
        try:
            yield
        except Refusal as refusal:
            error = errors.api_error(refusal)
            if error is None or isinstance(refusal, BadInput):
                raise
            error.domain = self._rulebook.name
            raise error from refusal


async def bind(host: Host) -> None:
    """Make the engine of the rulebook that the settings name. ValueError where they name none, or bad content."""
    name = host.settings.rulebook
    if name not in catalogue.names():
        raise ValueError(f"LUDOLOG_RULEBOOK is {name!r}; there are {', '.join(catalogue.names())}")
    rulebook = catalogue.open_rulebook(name, host.settings.content_dir)
    topic = topic_of(name)
    await host.log.ensure_topic(topic, host.settings.topic_partitions)
    partitions = await host.log.partitions(topic)
    archive = ReplayArchive(host.channel("replay"))
    engine = Engine(host, rulebook, partitions, from_rng(host.channel("rng")), archive)
    servicer = EngineService(rulebook, engine.owner, engine.timers.index, engine.figures, host.tracing)
    engine_pb2_grpc.add_EngineServiceServicer_to_server(servicer, host.server)
    host.on_drain(engine.drain)
    await engine.start()
