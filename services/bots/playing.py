"""A house player at a seat: watches, thinks after a while, answers, until the match is over."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ludolog.api.match.v1 import match_pb2
from ludolog.client import Client, InvalidField, Refused, Unavailable
from ludolog.client import Seat as Stream
from ludolog.fairness import BlockChance
from ludolog.kernel import Chance, Rulebook, Seat
from ludolog.kernel.rulebook import Bot
from services.bots.thinking import Thought, any_move, think

Luck: TypeAlias = Callable[[str, int, int], Chance]
"""(match, seat, sequence number) → luck for one thought. Never the match's own."""
Acted: TypeAlias = Callable[[str], None]
"""Told of each command: "accepted" or "refused"."""
RETRY_S = 0.2


def real_luck(match: str, seat: int, sequence: int) -> Chance:
    """Nobody can foresee it."""
    return BlockChance(secrets.token_bytes(32))


@dataclass(frozen=True, slots=True)
class Manner:
    """How house players play."""

    delay_s: float
    luck: Luck = real_luck
    acted: Acted = lambda _result: None


class Player:
    """One seat of one match. Command ids are made of the sequence number: a second one of us changes nothing."""

    def __init__(
        self, client: Client, match: str, seat: int, rulebook: Rulebook[Any], bot: Bot, manner: Manner
    ) -> None:
        """`match` is "matches/{match}"."""
        self._client, self._match, self._seat = client, match, Seat(seat)
        self._rulebook, self._bot, self._manner = rulebook, bot, manner
        self._latest: match_pb2.Update | None = None
        self._news = asyncio.Event()
        self._done_with = 0
        """Updates before this one aren't worth a thought."""
        self._talked = 0

    @property
    def seen(self) -> int:
        """Sequence number of the newest update; 0 before the first."""
        return self._latest.sequence if self._latest is not None else 0

    async def play(self) -> None:
        """Play to the end of the match. ApiError where it can't be followed."""
        async with self._client.play(self._match, self._seat) as stream:
            reading = asyncio.create_task(self._read(stream))
            try:
                while not reading.done():
                    await self._news.wait()
                    self._news.clear()
                    await self._answer(stream)
                await reading
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, stream: Stream) -> None:
        try:
            while (update := await stream.next()) is not None:
                self._latest = update
                self._news.set()
        finally:
            self._news.set()

    def _offer(self) -> match_pb2.Update | None:
        """The newest update, if it offers something that wasn't thought about."""
        update = self._latest
        if update is None or update.HasField("outcome") or not update.legal_commands:
            return None
        return update if update.sequence >= self._done_with else None

    async def _answer(self, stream: Stream) -> None:
        if self._offer() is None:
            return
        if self._manner.delay_s:
            await asyncio.sleep(self._manner.delay_s)
        update = self._offer()
        if update is None:
            return
        self._done_with = update.sequence + 1
        luck = self._manner.luck(self._match, self._seat, update.sequence)
        thought = think(self._rulebook, self._bot, self._seat, update, luck, self._talked)
        if thought is None or await self._submit(stream, thought, f"bot-{update.sequence}"):
            return
        # The bot's own command isn't accepted. If nothing has happened meanwhile, that is the bot's fault.
        if self._latest is update:
            spare = any_move(self._rulebook, self._seat, update, luck)
            if spare is not None:
                await self._submit(stream, spare, f"bot-{update.sequence}-any")

    async def _submit(self, stream: Stream, thought: Thought, command_id: str) -> bool:
        """True if the command counts. Unknown: again, with the same id."""
        while True:
            try:
                receipt = await stream.submit(thought.command, decision_id=thought.decision_id, command_id=command_id)
            except Unavailable:
                await asyncio.sleep(RETRY_S)
            except (Refused, InvalidField):
                self._manner.acted("refused")
                return False
            else:
                self._manner.acted("accepted")
                self._done_with = receipt.sequence
                self._talked = 0 if thought.is_move else self._talked + 1
                return True
