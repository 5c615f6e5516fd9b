"""Players and spectators that write down everything: seats through the SDK, spectators past it."""

from __future__ import annotations

import asyncio
import random
import time

import grpc

from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.api.match.v1 import match_pb2
from ludolog.client import ApiError, Client, Refused, Unavailable
from ludolog.client.connection import OPTIONS, pause_s
from ludolog.client.errors import OutOfRange, from_call
from ludolog.client.playing import Seat, new_command_id
from tests.chaos.history import Answer, Journal

MOVE = match_pb2.CommandKind.COMMAND_KIND_MOVE
THINK_S = (0.05, 0.3)
SUBMIT_S = 20.0
PATIENCE_S = 90.0
"""A client that gets nowhere for so long says so: the checker calls it a violation."""
REPEATS = 0.15
"""Share of the commands that are sent once more, by another call: they must get the first receipt."""


class Player:
    """Plays one seat to the end of its match, at random."""

    def __init__(self, client: Client, journal: Journal, seat: int, chance: random.Random) -> None:
        self._client, self._journal, self._seat, self._chance = client, journal, seat, chance

    async def run(self) -> None:
        """Play. Never raises ApiErrors: the journal holds why it ended."""
        self._journal.opened()
        try:
            async with self._client.play(self._journal.match, self._seat) as playing:
                async for update in playing:
                    self._journal.saw(update)
                    moves = [entry for entry in update.legal_commands if entry.kind == MOVE]
                    if moves:
                        await asyncio.sleep(self._chance.uniform(*THINK_S))
                        await self._submit(playing, self._chance.choice(moves))
        except ApiError as error:
            self._journal.failed = f"{type(error).__name__}: {error}"

    async def _submit(self, playing: Seat, move: match_pb2.LegalCommand) -> None:
        command_id = new_command_id()
        command = self._journal.submitted(command_id)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                receipt = await playing.submit(move, command_id=command_id, timeout_s=SUBMIT_S)
            except Refused as refused:
                command.answers.append(Answer(time.time(), refused=refused.reason))
                return
            except Unavailable:
                if time.monotonic() > deadline:
                    raise
                continue
            break
        command.answers.append(Answer(time.time(), receipt.sequence))
        if self._chance.random() < REPEATS:
            again = await self._client.submit(self._journal.match, self._seat, move, command_id=command_id)
            command.answers.append(Answer(time.time(), again.sequence))


class Spectator:
    """Watches one match from its first update to its last."""

    def __init__(self, target: str, token: str, journal: Journal) -> None:
        self._target, self._token, self._journal = target, token, journal
        self._following = 1

    async def run(self) -> None:
        """Watch. The journal holds why it ended before the match."""
        async with grpc.aio.insecure_channel(self._target, options=OPTIONS) as channel:
            stub = play_pb2_grpc.WatchServiceStub(channel)
            moved, tries = time.monotonic(), 0
            while True:
                error = await self._stretch(stub)
                if error is None:
                    return
                if self._journal.stretches[-1]:
                    moved, tries = time.monotonic(), 0
                behind = isinstance(error, OutOfRange) and self._following > 1
                if (not isinstance(error, Unavailable) and not behind) or time.monotonic() - moved > PATIENCE_S:
                    self._journal.failed = f"{type(error).__name__}: {error}"
                    return
                tries += 1
                await asyncio.sleep(pause_s(tries, error.retry_after_s))

    async def _stretch(self, stub: play_pb2_grpc.WatchServiceStub) -> ApiError | None:
        """One connection; None where it ended with the match."""
        self._journal.opened()
        request = play_pb2.WatchRequest(name=self._journal.match, from_sequence=self._following)
        call = stub.Watch(request, metadata=(("authorization", f"Bearer {self._token}"),))
        try:
            async for update in call:
                self._following = self._journal.saw(update).sequence + 1
        except grpc.aio.AioRpcError as error:
            return from_call(error)
        finally:
            call.cancel()
        return None
