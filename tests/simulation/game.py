"""A game of nothing but order: a commit carries the commands that it was decided on, so a wrong state shows at once."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections.abc import Callable

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import Draw, Refusal
from ludolog.record.commits import Proposal
from tests.simulation.weather import Weather


class Order(msgspec.Struct, frozen=True):
    """A command's body. `expects`: the number of commits that it was given on; `target`: the same, for a timer's."""

    kind: str
    expects: int | None = None
    target: int | None = None
    draw: bool = False
    salt: int = 0

    @property
    def ends(self) -> bool:
        """True if nothing may follow."""
        return self.kind in ("end", "abort")


class Board(msgspec.Struct, frozen=True):
    """The state: what has been done."""

    commands: tuple[str, ...] = ()
    drawn: int = 0
    ended: bool = False


_decode_order = msgspec.json.Decoder(Order)
_decode_basis = msgspec.json.Decoder(list[str])
_decode_board = msgspec.msgpack.Decoder(Board)


def decode_order(body: bytes) -> Order:
    """Read a command's body."""
    return _decode_order.decode(body)


def name_of(cause: log_pb2.Cause) -> str:
    """What a command is called in this game: who, and which."""
    return f"{cause.actor} {cause.command_id}"


def basis_of(commit: log_pb2.Commit) -> list[str]:
    """The commands that a commit was decided on."""
    return _decode_basis.decode(commit.events[0])


def block(stream_id: str, index: int) -> int:
    """What is drawn as a stream's nth draw, 1 to 6."""
    return zlib.crc32(f"{stream_id}/{index}".encode()) % 6 + 1


class Game:
    """The aggregate of one engine. `length` tells how long a stream's log is: refusals say when they were judged."""

    code_digest = b"order 1"

    def __init__(self, rng: random.Random, weather: Weather, length: Callable[[str], int]) -> None:
        self._rng = rng
        self._weather = weather
        self.fails = True
        self._length = length

    def blank(self, stream_id: str) -> Board:
        return Board()

    def apply(self, state: Board, commit: log_pb2.Commit) -> Board:
        return Board(
            (*state.commands, name_of(commit.cause)),
            commit.draw_index or state.drawn,
            commit.HasField("ending"),
        )

    async def decide(self, stream_id: str, state: Board, cause: log_pb2.Cause) -> Proposal:
        order = decode_order(cause.body)
        drawn = await self.judge(stream_id, state, order, [])
        return Proposal(
            (msgspec.json.encode(state.commands),),
            state.drawn + 1 if drawn else 0,
            tuple(Draw("fate", 6, (value,)) for value in drawn),
            ending=log_pb2.Ending(key_id="key") if order.ends else None,
        )

    async def judge(self, stream_id: str, state: Board, order: Order, drawn: list[int]) -> list[int]:
        """Refuse, or draw what the order draws: in that order. `drawn` was drawn before."""
        reason = self.objection(state, order)
        if reason is not None:
            raise Refusal(reason, "Order", judged_at=self._length(stream_id), drawn=len(drawn))
        return [await self.draw(stream_id, state.drawn + 1)] if order.draw else []

    def objection(self, state: Board, order: Order) -> str | None:
        """Why a command isn't allowed now; None if it is."""
        done = len(state.commands)
        if state.ended:
            return "GAME_OVER"
        if order.kind == "abort":
            return None
        if (order.kind == "new") != (done == 0):
            return "FOUNDED" if done else "NOT_FOUNDED"
        if order.expects is not None and order.expects != done:
            return "MOVED_ON"
        return "NOT_YOUR_TURN" if order.kind == "turn" and done % 2 == 0 else None

    async def draw(self, stream_id: str, index: int) -> int:
        """Ask for a block, which takes a while and sometimes fails."""
        await asyncio.sleep(self._rng.expovariate(1 / self._weather.draw_s))
        if self.fails and self._rng.random() < self._weather.draw_fails:
            raise ConnectionError("rng")
        return block(stream_id, index)

    def attended(self, first: log_pb2.Commit) -> bool:
        return True

    def finished(self, state: Board) -> bool:
        return state.ended

    def dump(self, state: Board) -> bytes:
        return msgspec.msgpack.encode(state)

    def load(self, data: bytes) -> Board:
        try:
            return _decode_board.decode(data)
        except msgspec.DecodeError as error:
            raise ValueError(str(error)) from error
