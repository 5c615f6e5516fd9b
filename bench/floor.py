"""The floors: servers that do as little as can be done. `python -m bench.floor KIND …` prints the port it listens on.

- `echo`: answers what it is sent, a call or a stream.
- `relay TARGET`: hands calls on to another one and the answers back: one hop more.
- `append FOLDER`: stores what it is sent in a SQLite log, durably, and then answers.
- `fan`: sends what it is sent to everybody who watches.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc

from bench.children import Child
from ludolog.eventlog.sqlite.log import SqliteLog

CALL, STREAM, WATCH = "/bench.Floor/Call", "/bench.Floor/Stream", "/bench.Floor/Watch"
PARTITIONS = 8
TOPIC = "ludolog.bench.log"
AT_ONCE = 64
Answer = Callable[[bytes], Awaitable[bytes]]


class Floor(Child):
    """A floor as a process of its own."""

    def __init__(self, *arguments: str) -> None:
        super().__init__([sys.executable, "-m", "bench.floor", *arguments])


async def _echo(request: bytes) -> bytes:
    return request


def _relay(target: str) -> Answer:
    call: Any = grpc.aio.insecure_channel(target).unary_unary(CALL)

    async def relayed(request: bytes) -> bytes:
        answer: bytes = await call(request)
        return answer

    return relayed


async def _append(folder: str) -> Answer:
    log = SqliteLog(Path(folder))
    await log.ensure_topic(TOPIC, PARTITIONS)
    appender = await log.appender()
    numbers = iter(range(sys.maxsize))

    async def appended(request: bytes) -> bytes:
        await appender.append(TOPIC, next(numbers) % PARTITIONS, b"match", request)
        return request

    return appended


class _Fan:
    """Everybody who watches gets what anybody sends."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[bytes]] = set()

    async def tell(self, request: bytes) -> bytes:
        for queue in self._queues:
            queue.put_nowait(request)
        return request

    async def watch(self, _request: bytes, _context: Any) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield b""
            while True:
                yield await queue.get()
        finally:
            self._queues.discard(queue)


def _handlers(answer: Answer, fan: _Fan) -> dict[str, Any]:
    async def call(request: bytes, _context: Any) -> bytes:
        return await answer(request)

    async def stream(requests: AsyncIterator[bytes], _context: Any) -> AsyncIterator[bytes]:
        async for request in requests:
            yield await answer(request)

    return {
        "Call": grpc.unary_unary_rpc_method_handler(call),
        "Stream": grpc.stream_stream_rpc_method_handler(stream),
        "Watch": grpc.unary_stream_rpc_method_handler(fan.watch),
    }


async def serve(kind: str, *arguments: str) -> None:
    """Serve until killed."""
    fan = _Fan()
    answers: dict[str, Any] = {"echo": _echo, "fan": fan.tell}
    if kind == "relay":
        answers[kind] = _relay(*arguments)
    if kind == "append":
        answers[kind] = await _append(*arguments)
    server = grpc.aio.server()
    methods = _handlers(answers[kind], fan)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Floor", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
