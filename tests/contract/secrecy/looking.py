"""Everything that one viewer can get out of one platform about one match, as bytes, on every path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import grpc
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import play_pb2, replays_pb2
from ludolog.hosting import Platform
from tests.contract.secrecy.pairs import Pair, Step

API = "/ludolog.api.gateway.v1."
LONGEST_WAIT_S = 60.0
NOBODY = ""
TRIES = 5
SOMETIMES, SELDOM = 4, 8
"""What is the same code for every match is asked of one in so many."""
Transcript = list[tuple[str, bytes]]
"""(which path, what came), in order."""


@dataclass
class Eyes:
    """One caller at a platform's public door. `player` is an id, or NOBODY."""

    platform: Platform
    player: str
    seen: Transcript = field(default_factory=list)

    @cached_property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The caller's token."""
        if self.player == NOBODY:
            return ()
        return (("authorization", f"Bearer {self.platform.keys.sign(self.player, roles=('player',), ttl_s=3600)}"),)

    async def ask(self, path: str, method: str, request: Message) -> bytes | None:
        """Make a unary call and note what comes, an error with all its details; None for an error.

        UNAVAILABLE says "ask again": how often that happens is a matter of time, not of what is known.
        """
        call: Any = self.platform.channel("gateway").unary_unary(API + method)
        for _ in range(TRIES):
            try:
                answer: bytes = await call(request.SerializeToString(), metadata=self.metadata, timeout=LONGEST_WAIT_S)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    continue
                self.failed(path, error)
                return None
            self.seen.append((path, answer))
            return answer
        raise AssertionError(f"{path}: nobody answers")

    async def watch(self, path: str, method: str, request: Message, most: int) -> None:
        """Open a stream and note its first messages, or its error; then leave. Opened again as `ask` asks again."""
        for _ in range(TRIES):
            begun = len(self.seen)
            async with self.stream(method, request) as call:
                try:
                    for _ in range(most):
                        message = await asyncio.wait_for(call.read(), LONGEST_WAIT_S)
                        if message is grpc.aio.EOF:
                            break
                        self.seen.append((path, message))
                except grpc.aio.AioRpcError as error:
                    if error.code() is grpc.StatusCode.UNAVAILABLE:
                        del self.seen[begun:]
                        continue
                    self.failed(path, error)
                return
        raise AssertionError(f"{path}: nobody answers")

    @asynccontextmanager
    async def stream(self, method: str, request: Message) -> AsyncIterator[Any]:
        """A stream that is cancelled in the end."""
        open_call: Any = self.platform.channel("gateway").unary_stream(API + method)
        call = open_call(request.SerializeToString(), metadata=self.metadata)
        try:
            yield call
        finally:
            call.cancel()

    def failed(self, path: str, error: grpc.aio.AioRpcError) -> None:
        """Note an error: code, message, and every detail as bytes."""
        details = b"".join(value for _, value in error.trailing_metadata() or () if isinstance(value, bytes))
        self.seen.append((path, f"{error.code().name}: {error.details()}\n".encode() + details))


async def look(platform: Platform, pair: Pair) -> Transcript:
    """What the pair's viewer gets: before, during and after the pair's steps."""
    eyes = Eyes(platform, pair.player(pair.seat) if pair.seat else NOBODY)
    live = play_live if pair.seat and pair.number % 2 else watch_live
    if pair.number % SOMETIMES == 0:
        await own_seat(eyes, pair, "at first")
    for request in pair.refused:
        await eyes.ask("refusal", "PlayService/SubmitCommand", request)
    if pair.seat and pair.number % SELDOM == 0:
        other = pair.seat % pair.case.seats + 1
        stranger = play_pb2.GetViewRequest(name=f"{pair.match}/seats/{other}")
        await eyes.ask("another's seat", "PlayService/GetView", stranger)
    await live(eyes, pair)
    await come_back(eyes, pair)
    await own_seat(eyes, pair, "at last")
    return eyes.seen


async def look_back(platform: Platform, pair: Pair) -> Transcript:
    """What the viewer gets of the archive, while the match is on."""
    eyes = Eyes(platform, pair.player(pair.seat) if pair.seat else NOBODY)
    await archive(eyes, pair)
    return eyes.seen


async def own_seat(eyes: Eyes, pair: Pair, when: str) -> None:
    """The view and the legal commands of a seat."""
    if pair.seat:
        await eyes.ask(f"view {when}", "PlayService/GetView", play_pb2.GetViewRequest(name=pair.audience))
        request = play_pb2.ListLegalCommandsRequest(name=pair.audience)
        await eyes.ask(f"legal commands {when}", "PlayService/ListLegalCommands", request)


async def submit(platform: Platform, pair: Pair, step: Step) -> bytes:
    """Have a seat's player submit a step. AssertionError where it isn't accepted: it is legal."""
    eyes = Eyes(platform, pair.player(step.seat))
    answer = await eyes.ask("submit", "PlayService/SubmitCommand", step.request)
    assert answer is not None, f"{step.request}: {eyes.seen}"
    return answer


async def watch_live(eyes: Eyes, pair: Pair) -> None:
    """The update stream, open while the steps are made."""
    request = play_pb2.WatchRequest(name=pair.audience, from_sequence=1)
    async with eyes.stream("WatchService/Watch", request) as call:
        try:
            eyes.seen.append(("live", await asyncio.wait_for(call.read(), LONGEST_WAIT_S)))
            for step in pair.steps:
                receipt = await submit(eyes.platform, pair, step)
                if step.seat == pair.seat:
                    eyes.seen.append(("receipt", receipt))
                eyes.seen.append(("live", await asyncio.wait_for(call.read(), LONGEST_WAIT_S)))
        except grpc.aio.AioRpcError as error:
            eyes.failed("live", error)


async def play_live(eyes: Eyes, pair: Pair) -> None:
    """The same on a Play stream: the viewer's own steps go over it."""
    open_call: Any = eyes.platform.channel("gateway").stream_stream(API + "PlayService/Play")
    call = open_call(metadata=eyes.metadata)
    try:
        opening = play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=pair.audience, from_sequence=1))
        await call.write(opening.SerializeToString())
        await _answers(eyes, call, 1)
        for step in pair.steps:
            if step.seat == pair.seat:
                await call.write(play_pb2.PlayRequest(submit=_submit(step)).SerializeToString())
                await _answers(eyes, call, 2)
            else:
                await submit(eyes.platform, pair, step)
                await _answers(eyes, call, 1)
    except grpc.aio.AioRpcError as error:
        eyes.failed("play", error)
    finally:
        call.cancel()


def _submit(step: Step) -> play_pb2.PlayRequest.Submit:
    asked = step.request
    return play_pb2.PlayRequest.Submit(
        command_id=asked.command_id, command=asked.command, decision_id=asked.decision_id
    )


async def _answers(eyes: Eyes, call: Any, number: int) -> None:
    """A receipt and an update may come in either order."""
    answers = [await asyncio.wait_for(call.read(), LONGEST_WAIT_S) for _ in range(number)]
    eyes.seen.extend(("play", answer) for answer in sorted(answers))


async def come_back(eyes: Eyes, pair: Pair) -> None:
    """Late join, rejoin from the beginning, resume at a number, and beyond the end."""
    head = 1 + len(pair.steps)
    for path, sequence, most in (
        ("late join", 0, 1),
        ("rejoin", 1, head if pair.recalls else 1),
        ("resume", head, 1),
        ("resume beyond", head + 2, 1),
    ):
        if path.startswith("resume") and pair.number % SOMETIMES:
            continue
        request = play_pb2.WatchRequest(name=pair.audience, from_sequence=sequence)
        await eyes.watch(path, "WatchService/Watch", request, most)


async def archive(eyes: Eyes, pair: Pair) -> None:
    """Frames before the end; for some matches, what is only for after it too."""
    replay, head = pair.match.replace("matches/", "replays/"), 1 + len(pair.steps)
    own = replays_pb2.Perspective(seat=pair.seat) if pair.seat else replays_pb2.Perspective(spectator=True)
    frame = replays_pb2.GetFrameRequest(name=replay, sequence=head, perspective=own)
    await eyes.ask("frame", "ReplayService/GetFrame", frame)
    if pair.number % SELDOM:
        return
    frames = replays_pb2.StreamFramesRequest(name=replay, perspective=own)
    await eyes.watch("frames", "ReplayService/StreamFrames", frames, head)
    everything = replays_pb2.GetFrameRequest(name=replay, perspective=replays_pb2.Perspective(omniscient=True))
    await eyes.ask("omniscient frame", "ReplayService/GetFrame", everything)
    await eyes.watch("export", "ReplayService/ExportReplay", replays_pb2.ExportReplayRequest(name=replay), 1)
    await eyes.ask("match", "MatchService/GetMatch", play_pb2.GetMatchRequest(name=pair.match))


async def lists(platform: Platform, pair: Pair) -> Transcript:
    """What everybody, and what one player, finds in lists; every page."""
    everybody, player = Eyes(platform, NOBODY), Eyes(platform, pair.player(1))
    token = ""
    while True:
        live = play_pb2.ListLiveMatchesRequest(page_size=100, page_token=token)
        answer = await everybody.ask("live matches", "WatchService/ListLiveMatches", live)
        token = play_pb2.ListLiveMatchesResponse.FromString(answer or b"").next_page_token
        if not token:
            break
    await everybody.ask("replays", "ReplayService/ListReplays", replays_pb2.ListReplaysRequest())
    await player.ask("my matches", "MatchService/ListMyMatches", play_pb2.ListMyMatchesRequest())
    return everybody.seen + player.seen
