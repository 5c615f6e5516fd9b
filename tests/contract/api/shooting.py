"""One request of the fuzzer: made by a seed, sent one of three ways, its answer judged."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from ludolog.api.gateway.v1 import play_pb2
from ludolog.hosting.errors import told
from ludolog.kernel import Chance
from ludolog.testkit.chance import SeededChance
from tests.contract.api.mutate import SPOILS, TWISTS, other_value
from tests.contract.api.target import Target
from tests.contract.api.valid import METHODS, VALID, Method, number, some_command

FORBIDDEN = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED", "ABORTED"})
MADE_BY_GRPC = frozenset({"RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "CANCELLED"})
"""Codes that gRPC itself answers with, without details: a message that is too large, a deadline, a hang-up."""
CHANGING: tuple[str, ...] = (
    "SubmitCommand",
    "Resign",
    "Play",
    "CreateTable",
    "JoinTable",
    "LeaveTable",
    "AddBots",
    "StartTable",
    "CreateTicket",
    "CancelTicket",
)
OUR_SIDE = "Internal error from Core"
"""What grpc's client makes of a call that ended while it still sent: no answer of the platform."""
LONGEST_S = 30.0
PATIENCE_S = 0.05
"""How long a stream that has nothing to say is listened to."""
SOCKET, PAGE = "socket", "page"


@dataclass(frozen=True)
class Shot:
    """What is sent. `label` names the seed: the same label makes the same shot at the same target."""

    label: str
    method: Method
    messages: tuple[bytes, ...]
    metadata: tuple[tuple[str, str | bytes], ...]
    timeout_s: float

    def __str__(self) -> str:
        sent = [data[:200].hex() for data in self.messages]
        return f"{self.label}: {self.method.name} {sent} of {[len(data) for data in self.messages]} bytes"


class Found(AssertionError):
    """The platform answered with something that it should never answer."""


@dataclass
class Tally:
    """What came back."""

    codes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)

    def note(self, shot: Shot, code: str, reason: str = "") -> None:
        """Take an answer. Found where it is one that never may be."""
        if code in FORBIDDEN:
            raise Found(f"{code} {reason}: {shot}")
        if code != "OK" and not reason and code not in MADE_BY_GRPC:
            raise Found(f"{code} without a reason: {shot}")
        self.codes[code] += 1
        self.methods[shot.method.name] += 1
        if reason:
            self.reasons[code, reason] += 1
        if code == "OK":
            self.accepted[shot.method.name] += 1

    @property
    def changed(self) -> int:
        """How many requests were accepted that may change something."""
        return sum(count for name, count in self.accepted.items() if name.endswith(CHANGING))


# ---- making


def make(target: Target, label: str, *, patient: bool = False) -> Shot:
    """A shot: one in ten is valid, some have hardly a deadline; `patient` ones all have a long one."""
    chance = SeededChance(f"fuzz/{label}")
    name = chance.choose("method", sorted(METHODS))
    method, message = METHODS[name], VALID[name](target, chance)
    messages = [_spoiled(method, message, target, chance)]
    if method.client_streaming:
        messages += [_submit(target, chance) for _ in range(chance.choose("submits", range(4)))]
    timeout_s = LONGEST_S if patient else chance.choose("timeout", (LONGEST_S,) * 40 + (0.0001, 0.002))
    return Shot(label, method, tuple(messages), tuple(_metadata(target, messages[0], chance)), timeout_s)


def _spoiled(method: Method, message: Message, target: Target, chance: Chance) -> bytes:
    kind = chance.choose("kind", range(10))
    names = target.names()
    if method.name.endswith("/Resign"):
        names = [one for one in names if target.live not in one]
    elif method.name.endswith("/DeletePlayer"):
        names = ["players/p-" + "b" * 26]  # the others are still needed
    if kind > 0:
        chance.choose("twist", TWISTS)(message, names, chance)
    data = message.SerializeToString()
    return chance.choose("spoil", SPOILS)(data, chance) if kind > 6 else data


def _submit(target: Target, chance: Chance) -> bytes:
    submit = play_pb2.PlayRequest.Submit(command_id=f"id-{number(chance)}", command=some_command(chance))
    if chance.choose("again", (True, False)):
        submit.command_id = "id-1"
    request = play_pb2.PlayRequest(submit=submit)
    if chance.choose("twist", (True, False)):
        other_value(request, target.names(), chance)
    data = request.SerializeToString()
    return chance.choose("spoil", SPOILS)(data, chance) if chance.choose("bytes", range(4)) == 0 else data


def _metadata(target: Target, sent: bytes, chance: Chance) -> Sequence[tuple[str, str | bytes]]:
    """A token: mostly of whoever sits where the request says, else anybody's, or something else."""
    everybody = list(target.tokens.values())
    token = chance.choose("player", everybody)
    if (seat := re.search(rb"/seats/([1-3])", sent)) and chance.choose("own seat", range(4)):
        token = everybody[int(seat[1]) - 1]
    kind = chance.choose("token", range(120))
    bad = (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {token}",
        f"Bearer {token[:-4]}AAAA",
        f"Bearer {token}x",
        "Bearer " + "x" * 5000,
    )
    if kind < len(bad):
        return [("authorization", bad[kind])]
    match kind - len(bad):
        case 0:
            return []
        case 1:
            service = target.platform.keys.sign("engine", roles=("service",), ttl_s=600)
            return [("authorization", f"Bearer {service}")]
        case 2:
            ended = target.platform.keys.sign("p-" + "a" * 26, roles=("player",), ttl_s=-60)
            return [("authorization", f"Bearer {ended}")]
        case 3:
            more: list[tuple[str, str | bytes]] = [
                ("ludolog-hop", "1"),
                ("traceparent", "00-zz-zz-01"),
                ("x-bin", b"\xff"),
            ]
            return [("authorization", f"Bearer {token}"), *more]
        case _:
            return [("authorization", f"Bearer {token}")]


# ---- sending


class Gun:
    """Sends shots: in-process, over the gateway's port, or to the page as JSON."""

    def __init__(self, target: Target, socket: grpc.aio.Channel, page: aiohttp.ClientSession) -> None:
        self._target, self._socket, self._page = target, socket, page
        self.tally = Tally()

    async def fire(self, shot: Shot, way: str = "") -> None:
        """Send a shot and judge what comes."""
        if way == PAGE and not shot.method.client_streaming:
            await self._post(shot)
            return
        channel = self._socket if way == SOCKET else self._target.platform.channel("gateway")
        try:
            if shot.method.client_streaming or shot.method.server_streaming:
                await self._stream(shot, channel)
            else:
                call: Any = channel.unary_unary(shot.method.path)
                _read(shot, await call(shot.messages[0], metadata=shot.metadata, timeout=shot.timeout_s))
                self.tally.note(shot, "OK")
        except grpc.aio.AioRpcError as error:
            if shot.method.client_streaming and error.details() == OUR_SIDE:
                self.tally.codes["hung up"] += 1
                return
            self.tally.note(shot, error.code().name, told(error).reason)
        except ValueError:
            self.tally.codes["not sent"] += 1  # metadata that gRPC's client refuses to send

    async def _stream(self, shot: Shot, channel: grpc.aio.Channel) -> None:
        if shot.method.client_streaming:
            # Messages as an iterator: a write of our own on a call that is over would end it as INTERNAL, on our side.
            open_both: Any = channel.stream_stream(shot.method.path)
            call = open_both(_each(shot.messages), metadata=shot.metadata, timeout=shot.timeout_s)
        else:
            open_call: Any = channel.unary_stream(shot.method.path)
            call = open_call(shot.messages[0], metadata=shot.metadata, timeout=shot.timeout_s)
        try:
            await self._listen(shot, call)
        finally:
            call.cancel()

    async def _listen(self, shot: Shot, call: Any) -> None:
        with suppress(TimeoutError):
            for _ in range(len(shot.messages) + 1):
                async with asyncio.timeout(PATIENCE_S):
                    data = await call.read()
                if data is grpc.aio.EOF:
                    break
                answer = _read(shot, data)
                if isinstance(answer, play_pb2.PlayResponse) and answer.HasField("refused"):
                    refusal = told(answer.refused.status)
                    self.tally.note(shot, refusal.code.name, refusal.reason)
        self.tally.note(shot, "OK")

    async def _post(self, shot: Shot) -> None:
        """The same request as JSON, where it can be written so; its bytes as they are where not."""
        try:
            body = json_format.MessageToJson(shot.method.request.FromString(shot.messages[0])).encode()
        except (DecodeError, json_format.Error, TypeError, ValueError, RecursionError):
            body = shot.messages[0]
        headers = {key: value for key, value in shot.metadata if isinstance(value, str) and key == "authorization"}
        address = f"{self._target.page}/api/{shot.method.name}"
        async with self._page.post(address, data=body, headers=headers) as answer:
            if answer.content_type == "text/event-stream":
                self.tally.note(shot, "OK")
                return
            found = json.loads(await answer.read())
            about = found.get("error")
            if about is None:
                self.tally.note(shot, "OK")
            elif not (answer.status == 404 and about["message"] == "the API has no such method"):
                self.tally.note(shot, about["code"], about.get("reason", "") or "OF_THE_PAGE")


async def _each(messages: Sequence[bytes]) -> AsyncIterator[bytes]:
    for message in messages:
        yield message


def _read(shot: Shot, data: bytes) -> Message:
    """The answer is what the method promises."""
    answer = shot.method.response.FromString(data)
    if len(data) and not answer.ListFields():
        raise Found(f"an answer of something else: {shot}")
    return answer


@asynccontextmanager
async def loaded(target: Target) -> AsyncIterator[Gun]:
    """A gun with its connections open."""
    async with grpc.aio.insecure_channel(target.address) as socket, aiohttp.ClientSession() as page:
        yield Gun(target, socket, page)
