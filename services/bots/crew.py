"""The house players of one process: sit down where they are wanted, play what they sit at, also after a restart.

They keep nothing: a house player is found again by its name, and its matches by the tables that it sits at.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.client import ApiError, Client, NotAllowed, NotFound, NotSignedIn, Refused, TooMuch, Unavailable
from ludolog.kernel import Rulebook
from ludolog.rulebooks import catalogue
from services.bots.playing import Manner, Player
from services.bots.thinking import bot_of

FIRST_NAMES = (
    *("Ada", "Bruno", "Cleo", "Dario", "Elif", "Fritz", "Greta", "Hugo", "Ines", "Jonas"),
    *("Klara", "Leo", "Mina", "Noah", "Olga", "Paul", "Rosa", "Samir", "Tilda", "Viktor"),
)
FIRST_S, LONGEST_S, MOST_DOUBLINGS = 0.2, 10.0, 6
MOST_FAILURES = 5
"""Failures without news between them, after which a seat is left alone for a while; a gateway that is away is none."""
AGAIN_S = 600.0
"""A seat that was given up is tried again after so long."""
REMEMBERED = 1000
TABLES_BEFORE_RENEWAL = 10_000
Place: TypeAlias = tuple[str, str]
"""(table, player), as resource names."""

logger = logging.getLogger(__name__)


def house_name(number: int) -> str:
    """What a house player is called; `number` from 1."""
    name, again = FIRST_NAMES[(number - 1) % len(FIRST_NAMES)], (number - 1) // len(FIRST_NAMES)
    return f"{name} {again + 1}" if again else name


@dataclass(slots=True)
class Setbacks:
    """Why a seat isn't played: what to wait for, and whether to go on trying. News set both back."""

    failures: int = 0
    _tries: int = 0
    _seen: int = 0

    def note(self, player: Player | None, *, failed: bool) -> None:
        """An attempt came to nothing; `player`: who made it, if it got so far. `failed`: by its own fault."""
        if player is not None and player.seen > self._seen:
            self._seen, self._tries, self.failures = player.seen, 0, 0
        self._tries += 1
        self.failures += failed

    @property
    def pause_s(self) -> float:
        """How long to wait before the next attempt, in seconds."""
        return min(FIRST_S * 2.0 ** min(self._tries, MOST_DOUBLINGS), LONGEST_S)


class Crew:
    """`seats`: how many may be played at once; tables beyond that wait."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        names: list[str],
        secret: str,
        manner: Manner,
        seats: int,
        rulebooks: Mapping[str, Rulebook[Any]],
    ) -> None:
        self._clients = [Client(channel) for _ in names]
        self._names, self._secret, self._manner, self._most_seats = names, secret, manner, seats
        self._rulebooks = rulebooks
        self._players: dict[str, int] = {}
        self._tasks: dict[Place, asyncio.Task[None]] = {}
        self._wanting: OrderedDict[str, tables_pb2.Table] = OrderedDict()
        self._over: OrderedDict[Place, None] = OrderedDict()
        self._given_up: dict[Place, asyncio.TimerHandle] = {}

    @property
    def at_work(self) -> int:
        """Seats that are being taken or played."""
        return len(self._tasks)

    async def sign_in(self) -> None:
        """Become the house players, however long the gateway needs."""
        for number in range(len(self._names)):
            await self._sign_in(number)

    async def run(self) -> None:
        """Go where the house is wanted, for ever."""
        try:
            while True:
                await self._watch()
        finally:
            tasks = list(self._tasks.values())
            for again in self._given_up.values():
                again.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _sign_in(self, number: int) -> None:
        wait_s = FIRST_S
        while True:
            try:
                player = await self._clients[number].sign_in_house_player(self._names[number], self._secret)
            except (Unavailable, TooMuch) as error:
                logger.info("not signed in yet: %s", error.code.name)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_S)
            else:
                self._players[player.name] = number
                return

    # ---- where the house is wanted

    async def _watch(self) -> None:
        """Follow the tables until the stream can't go on, or has told of so many that it is begun anew."""
        told = 0
        try:
            async with aclosing(self._clients[0].tables.watch()) as changes:
                async for table in changes:
                    self._clients[0].tables.commitments.clear()
                    self.see(table)
                    told += 1
                    if told >= TABLES_BEFORE_RENEWAL:
                        return
        except NotSignedIn:
            await self._sign_in(0)
        except ApiError as error:
            logger.warning("tables can't be watched now: %s", error.code.name)
            await asyncio.sleep(FIRST_S)

    def see(self, table: tables_pb2.Table) -> None:
        """A table as it stands: sit down if the house is wanted, play if one of ours sits there and the match is on."""
        self._wanting.pop(table.name, None)
        if table.state == tables_pb2.TABLE_STATE_PLAYING and table.match:
            for seat in table.seats:
                if seat.player in self._players:
                    self._start((table.name, seat.player), table, seat.seat)
        elif table.state == tables_pb2.TABLE_STATE_OPEN and table.bots_wanted:
            self._wanting[table.name] = table
            self._sit_down(table)

    def _sit_down(self, table: tables_pb2.Table) -> None:
        seated = {seat.player for seat in table.seats}
        coming = sum(name == table.name and player not in seated for name, player in self._tasks)
        for player in self._players:
            place = table.name, player
            if coming >= table.bots_wanted or self.at_work >= self._most_seats:
                return
            if player not in seated and place not in self._tasks:
                self._begin(place, self._join(place))
                coming += 1

    async def _join(self, place: Place) -> None:
        """Take a seat, unless somebody else was quicker."""
        table, player = place
        client = self._clients[self._players[player]]
        wait_s = FIRST_S
        while True:
            try:
                await client.tables.join(table)
            except (Refused, NotFound, NotAllowed) as answer:
                logger.debug("not at the table: %s", answer.reason)
            except NotSignedIn:
                await self._sign_in(self._players[player])
                continue
            except (Unavailable, TooMuch):
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_S)
                continue
            client.tables.commitments.clear()
            return

    # ---- playing

    def _start(self, place: Place, table: tables_pb2.Table, seat: int) -> None:
        if place in self._over or place in self._given_up:
            return
        joining = self._tasks.get(place)
        if joining is not None and joining.get_name() == "play":
            return
        if joining is not None:
            # Its answer is late: the seat is ours already.
            del self._tasks[place]
            joining.cancel()
        self._begin(place, self._play(place, table, seat), "play")

    async def _play(self, place: Place, table: tables_pb2.Table, seat: int) -> None:
        """Play a seat to the end of the match; give it up for a while where that fails again and again."""
        number, match = self._players[place[1]], {"match": table.match}
        client, setbacks = self._clients[number], Setbacks()
        while setbacks.failures < MOST_FAILURES:
            player = None
            try:
                rulebook = await self._rulebook(client, table.match)
                bot = bot_of(rulebook, table.bot_kind)
                player = Player(client, table.match, seat, rulebook, bot, self._manner)
                await player.play()
            except NotSignedIn:
                await self._sign_in(number)
                setbacks.note(player, failed=False)
            except (Unavailable, TooMuch) as error:
                logger.info("it can't be followed now", extra=match | {"reason": error.reason})
                setbacks.note(player, failed=False)
            except Exception:
                logger.exception("a house player failed", extra=match)
                setbacks.note(player, failed=True)
            else:
                self._remember_over(place)
                return
            await asyncio.sleep(setbacks.pause_s)
        logger.error("a house player leaves its seat alone for %g s", AGAIN_S, extra=match)
        again = asyncio.get_running_loop().call_later(AGAIN_S, self._try_again, place, table, seat)
        self._given_up[place] = again

    def _try_again(self, place: Place, table: tables_pb2.Table, seat: int) -> None:
        del self._given_up[place]
        self._start(place, table, seat)

    def _remember_over(self, place: Place) -> None:
        self._over[place] = None
        if len(self._over) > REMEMBERED:
            self._over.popitem(last=False)

    async def _rulebook(self, client: Client, match: str) -> Rulebook[Any]:
        """With the content that a match was begun with. ApiError, OtherContent."""
        rulebook = self._rulebooks[catalogue.of_match(match.removeprefix("matches/"))]
        if not rulebook.earlier:
            return rulebook
        try:
            return rulebook.edition((await client.get_match(match)).content_digest)
        except NotFound:
            return rulebook  # the archive hasn't heard of it yet: a new match

    def _begin(self, place: Place, work: Coroutine[Any, Any, None], name: str = "join") -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks[place] = task
        task.add_done_callback(lambda done: self._ended(place, done))

    def _ended(self, place: Place, task: asyncio.Task[None]) -> None:
        if self._tasks.get(place) is task:
            del self._tasks[place]
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            logger.error("a house player failed", exc_info=error)
        if task.get_name() == "play":
            for table in list(self._wanting.values()):
                self._sit_down(table)
