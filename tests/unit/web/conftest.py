"""The page's routes, over HTTP; behind them, over gRPC, an API that does as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from aiohttp.test_utils import TestClient, TestServer
from grpc_status import rpc_status

from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting.errors import status_of
from services.web.service import application
from services.web.transcoding import Api


class Backend(play_pb2_grpc.PlayServiceServicer, play_pb2_grpc.WatchServiceServicer):
    """Answers with `error` where there is one. Streams send what is put in `updates`; None ends them in order."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.tokens: list[str] = []
        self.submitted: list[play_pb2.SubmitCommandRequest] = []
        self.updates: asyncio.Queue[match_pb2.Update | Exception | None] = asyncio.Queue()
        self.left = asyncio.Event()

    async def _begin(self, context: Any) -> None:
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        if self.error is not None:
            await self._abort(context, self.error)

    async def _abort(self, context: Any, error: Exception) -> None:
        await context.abort_with_status(rpc_status.to_status(status_of(error, "tempel_des_schreckens")))

    async def SubmitCommand(self, request: play_pb2.SubmitCommandRequest, context: Any) -> play_pb2.Receipt:  # noqa: N802
        await self._begin(context)
        self.submitted.append(request)
        return play_pb2.Receipt(match="matches/m", sequence=7, command_id=request.command_id)

    async def Watch(self, request: play_pb2.WatchRequest, context: Any) -> AsyncIterator[match_pb2.Update]:  # noqa: N802
        try:
            await self._begin(context)
            while (update := await self.updates.get()) is not None:
                if isinstance(update, Exception):
                    await self._abort(context, update)
                else:
                    yield update
        finally:
            self.left.set()

    def Play(self, request_iterator: Any, context: Any) -> Any: ...  # noqa: N802
    async def GetView(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def ListLegalCommands(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def ListLiveMatches(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def Resign(self, request: Any, context: Any) -> Any: ...  # noqa: N802


@pytest.fixture
def backend() -> Backend:
    """What answers behind the page."""
    return Backend()


@pytest.fixture
async def api(backend: Backend) -> AsyncIterator[Api]:
    """The JSON API with the backend behind it."""
    server = grpc.aio.server()
    play_pb2_grpc.add_PlayServiceServicer_to_server(backend, server)
    play_pb2_grpc.add_WatchServiceServicer_to_server(backend, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Api(channel)
    await server.stop(None)


@pytest.fixture
async def client(api: Api) -> AsyncIterator[TestClient[Any, Any]]:
    """Somebody who asks over HTTP."""
    async with TestClient(TestServer(application(api))) as running:
        yield running
