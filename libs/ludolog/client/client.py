"""The front door of the SDK."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from os import PathLike
from typing import Any, Self

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import (
    play_pb2,
    play_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    rulebooks_pb2,
    rulebooks_pb2_grpc,
)
from ludolog.api.match.v1 import match_pb2
from ludolog.client.connection import Connection, credentials_of, open_channel
from ludolog.client.errors import Unavailable
from ludolog.client.messages import pack
from ludolog.client.playing import Seat, new_command_id
from ludolog.client.replays import Replays
from ludolog.client.streams import resumed
from ludolog.client.tables import Tables

TIMEOUT_S = 15.0
PATIENCE_S = 60.0


class Client:
    """A player's (or a spectator's) connection to a Ludolog platform.

        async with Client("127.0.0.1:7400") as client:
            await client.sign_in_guest("Ann")

    `target`: an address, or a channel that is open already (and stays so). `token`: of a sign-in before. `timeout_s`:
    how long a call is repeated while nobody knows. `patience_s`: how long a stream that gets nowhere is opened again.
    `ca_file`: TLS, with a platform whose certificate this authority (PEM) vouches for; `credentials`: TLS of any other
    kind, as `grpc.ssl_channel_credentials()` for the usual authorities. OSError where the file can't be read.
    Errors are those of `ludolog.client.errors`.
    """

    def __init__(
        self,
        target: str | grpc.aio.Channel,
        *,
        token: str = "",
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
        ca_file: str | PathLike[str] | None = None,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        owned = isinstance(target, str)
        if ca_file is not None:
            credentials = credentials_of(ca_file)
        channel = open_channel(target, credentials) if isinstance(target, str) else target
        self._connection = Connection(channel, timeout_s, owned=owned)
        self._patience_s = patience_s
        self._players = players_pb2_grpc.PlayerServiceStub(channel)
        self._rulebooks = rulebooks_pb2_grpc.RulebookServiceStub(channel)
        self._play = play_pb2_grpc.PlayServiceStub(channel)
        self._watch = play_pb2_grpc.WatchServiceStub(channel)
        self._matches = play_pb2_grpc.MatchServiceStub(channel)
        self.tables = Tables(self._connection)
        self.replays = Replays(self._connection)
        if token:
            self._connection.use(token)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    # ---- who you are

    @property
    def token(self) -> str:
        """The token in use: keep it to be the same player next time."""
        return self._connection.token

    def use_token(self, token: str) -> None:
        """Be the player of a sign-in before; `get_player` says whether the token is still good."""
        self._connection.use(token)

    @property
    def player(self) -> players_pb2.Player | None:
        """Who is signed in, once that is known."""
        return self._connection.player

    async def sign_in_guest(self, display_name: str) -> players_pb2.Player:
        """Become a new player of that name (1 to 40 characters)."""
        request = players_pb2.SignInGuestRequest(display_name=display_name)
        return await self._connection.sign_in(self._players.SignInGuest, request)

    async def sign_in_house_player(self, display_name: str, house_secret: str) -> players_pb2.Player:
        """Become a house player: for programs of the house."""
        request = players_pb2.SignInHousePlayerRequest(display_name=display_name, house_secret=house_secret)
        return await self._connection.sign_in(self._players.SignInHousePlayer, request)

    async def get_player(self, name: str = "players/me") -> players_pb2.Player:
        """A profile."""
        request = players_pb2.GetPlayerRequest(name=name)
        player: players_pb2.Player = await self._connection.call(self._players.GetPlayer, request)
        if name == "players/me":
            self._connection.player = player
        return player

    async def delete_player(self, name: str = "players/me") -> None:
        """Erase your profile for good. Your token ends; matches keep your seat under an id that leads to nobody."""
        await self._connection.call(self._players.DeletePlayer, players_pb2.DeletePlayerRequest(name=name))
        self._connection.use("")
        self._connection.player = None

    # ---- games

    async def rulebooks(self) -> list[rulebooks_pb2.Rulebook]:
        """The games that can be played."""
        found: list[rulebooks_pb2.Rulebook] = []
        request = rulebooks_pb2.ListRulebooksRequest()
        while True:
            page: rulebooks_pb2.ListRulebooksResponse = await self._connection.call(
                self._rulebooks.ListRulebooks, request
            )
            found += page.rulebooks
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def rulebook(self, name: str) -> rulebooks_pb2.Rulebook:
        """One game: seats, options, components, how it is played."""
        request = rulebooks_pb2.GetRulebookRequest(name=_prefixed("rulebooks", name))
        rulebook: rulebooks_pb2.Rulebook = await self._connection.call(self._rulebooks.GetRulebook, request)
        return rulebook

    # ---- matches

    async def my_matches(self, rulebook: str = "", *, live_only: bool = False) -> list[play_pb2.Match]:
        """The caller's matches, those that wait for the caller first."""
        request = play_pb2.ListMyMatchesRequest(rulebook=_prefixed("rulebooks", rulebook), live_only=live_only)
        return await self._all_matches(self._matches.ListMyMatches, request)

    async def live_matches(self, rulebook: str = "") -> list[play_pb2.Match]:
        """Public matches that are on."""
        request = play_pb2.ListLiveMatchesRequest(rulebook=_prefixed("rulebooks", rulebook))
        return await self._all_matches(self._watch.ListLiveMatches, request)

    async def _all_matches(self, method: Any, request: Any) -> list[play_pb2.Match]:
        found: list[play_pb2.Match] = []
        while True:
            page = await self._connection.call(method, request)
            found += page.matches
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def get_match(self, match: str) -> play_pb2.Match:
        """One match: who sits where, whose turn it is, how it ended."""
        request = play_pb2.GetMatchRequest(name=_prefixed("matches", match))
        found: play_pb2.Match = await self._connection.call(self._matches.GetMatch, request)
        return found

    async def watch(
        self, match: str, *, seat: int | None = None, from_sequence: int = 0
    ) -> AsyncGenerator[match_pb2.Update, None]:
        """Updates of a match as a spectator (or from one's own seat), each sequence number once; ends with the match.

        `from_sequence` 0: a snapshot of now first. Resumes by itself after a lost connection; where a rulebook makes
        players remember, it then begins with a snapshot.
        """
        name = _seat(match, seat)

        async def open_call(sequence: int) -> Any:
            request = play_pb2.WatchRequest(name=name, from_sequence=sequence)
            return self._watch.Watch(request, metadata=await self._connection.metadata())

        stream = resumed(open_call, from_sequence, self._patience_s)
        try:
            async for update in stream:
                yield update
        finally:
            await stream.aclose()

    def play(self, match: str, seat: int, *, from_sequence: int = 0) -> Seat:
        """Play a seat: `async with client.play(match, 1) as seat: async for update in seat: …`."""
        return Seat(self._connection, _seat(match, seat), from_sequence, self._patience_s)

    # ---- playing without a stream

    async def submit(
        self,
        match: str,
        seat: int,
        command: Message | AnyMessage | match_pb2.LegalCommand,
        *,
        decision_id: str = "",
        command_id: str = "",
    ) -> play_pb2.Receipt:
        """Submit a command, as `Seat.submit` does."""
        if isinstance(command, match_pb2.LegalCommand):
            decision_id = decision_id or command.decision_id
            command = command.prototype
        command_id = command_id or new_command_id()
        request = play_pb2.SubmitCommandRequest(
            name=_seat(match, seat), command_id=command_id, command=pack(command), decision_id=decision_id
        )
        return await self._receipt(self._play.SubmitCommand, request)

    async def resign(self, match: str, seat: int, *, command_id: str = "") -> play_pb2.Receipt:
        """Give up."""
        request = play_pb2.ResignRequest(name=_seat(match, seat), command_id=command_id or new_command_id())
        return await self._receipt(self._play.Resign, request)

    async def _receipt(self, method: Any, request: Any) -> play_pb2.Receipt:
        try:
            receipt: play_pb2.Receipt = await self._connection.call(method, request)
        except Unavailable as error:
            error.command_id = request.command_id
            raise
        return receipt

    async def legal_commands(self, match: str, seat: int, *, minimum_sequence: int = 0) -> list[match_pb2.LegalCommand]:
        """What a seat may do now."""
        request = play_pb2.ListLegalCommandsRequest(name=_seat(match, seat), minimum_sequence=minimum_sequence)
        answer: play_pb2.ListLegalCommandsResponse = await self._connection.call(self._play.ListLegalCommands, request)
        return list(answer.legal_commands)

    async def view(self, match: str, seat: int, *, minimum_sequence: int = 0) -> match_pb2.Update:
        """What a seat sees now."""
        request = play_pb2.GetViewRequest(name=_seat(match, seat), minimum_sequence=minimum_sequence)
        update: match_pb2.Update = await self._connection.call(self._play.GetView, request)
        return update


def _prefixed(collection: str, name: str) -> str:
    return f"{collection}/{name}" if name and "/" not in name else name


def _seat(match: str, seat: int | None) -> str:
    name = _prefixed("matches", match)
    return name if seat is None else f"{name}/seats/{seat}"
