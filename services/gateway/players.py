"""PlayerService and the directory of names."""

from __future__ import annotations

import hmac
import unicodedata
from typing import Any

from google.protobuf import empty_pb2

from ludolog.api.gateway.v1 import directory_pb2, directory_pb2_grpc, players_pb2, players_pb2_grpc
from ludolog.hosting import Host, NotFound, PermissionDenied, Unauthenticated, caller, names, require_player
from ludolog.hosting.addresses import limited_by
from ludolog.hosting.errors import no_such_player
from ludolog.hosting.limits import per_minute
from ludolog.kernel import BadInput
from services.gateway.accounts import Account, Accounts
from services.gateway.erasing import Erasing

LONGEST_NAME = 40
MOST_AT_ONCE = 1000
WRONG_SECRETS = per_minute(30)


class Players(players_pb2_grpc.PlayerServiceServicer):
    """Sign-in and profiles."""

    def __init__(self, host: Host, accounts: Accounts, erasing: Erasing, house_secret: str) -> None:
        self._host = host
        self._accounts = accounts
        self._erasing = erasing
        self._house_secret = house_secret

    async def SignInGuest(self, request: players_pb2.SignInGuestRequest, context: Any) -> players_pb2.SignInResponse:
        """Make a player and its token."""
        name = display_name(request.display_name)
        rate = per_minute(self._host.settings.sign_ins_per_minute)
        await self._host.limiter.take("sign-in", limited_by(caller().address), rate)
        return self._signed_in(await self._accounts.add_guest(name, self._host.clock.now_ms()))

    async def SignInHousePlayer(
        self, request: players_pb2.SignInHousePlayerRequest, context: Any
    ) -> players_pb2.SignInResponse:
        """The house player of that name, for whoever has the secret."""
        if not hmac.compare_digest(request.house_secret.encode(), self._house_secret.encode()):
            await self._host.limiter.take("house-secret", limited_by(caller().address), WRONG_SECRETS)
            raise Unauthenticated("that isn't the house secret", reason="BAD_SECRET")
        name = display_name(request.display_name)
        return self._signed_in(await self._accounts.house_player(name, self._host.clock.now_ms()))

    async def RefreshToken(self, request: players_pb2.RefreshTokenRequest, context: Any) -> players_pb2.SignInResponse:
        """A new token for the caller."""
        account = await self._accounts.get(require_player().player_id)
        if account is None:
            raise no_such_player()
        return self._signed_in(account)

    async def GetPlayer(self, request: players_pb2.GetPlayerRequest, context: Any) -> players_pb2.Player:
        """A profile."""
        me = require_player().player_id if request.name == "players/me" else caller().player_id
        account = await self._accounts.get(names.player_of(request.name, me))
        if account is None:
            raise NotFound(f"there is no {request.name}", reason="NO_SUCH_PLAYER")
        return player(account)

    async def DeletePlayer(self, request: players_pb2.DeletePlayerRequest, context: Any) -> empty_pb2.Empty:
        """Erase the caller."""
        me = require_player().player_id
        if names.player_of(request.name, me) != me:
            raise PermissionDenied("only the player's own profile", reason="NOT_YOURS")
        await self._erasing.erase(me)
        return empty_pb2.Empty()

    def _signed_in(self, account: Account) -> players_pb2.SignInResponse:
        ttl_s = self._host.settings.token_ttl_s
        roles = ("player", "house") if account.house_player else ("player",)
        token = self._host.sign_token(account.player_id, name=account.display_name, roles=roles, ttl_s=ttl_s)
        response = players_pb2.SignInResponse(token=token, player=player(account))
        response.expire_time.FromSeconds(self._host.clock.now_ms() // 1000 + int(ttl_s))
        return response


class Directory(directory_pb2_grpc.PlayerDirectoryServiceServicer):
    """Names for services; not registered on the public port."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def BatchGetPlayers(
        self, request: directory_pb2.BatchGetPlayersRequest, context: Any
    ) -> directory_pb2.BatchGetPlayersResponse:
        """Those that there are."""
        if len(request.names) > MOST_AT_ONCE:
            raise BadInput("names", f"must be at most {MOST_AT_ONCE}")
        found = await self._accounts.get_many({names.player_of(name, field="names") for name in request.names})
        return directory_pb2.BatchGetPlayersResponse(players=[player(account) for account in found])


def player(account: Account) -> players_pb2.Player:
    """A profile as a message."""
    message = players_pb2.Player(
        name=f"players/{account.player_id}", display_name=account.display_name, house_player=account.house_player
    )
    message.create_time.FromMilliseconds(account.create_time_ms)
    return message


def display_name(given: str) -> str:
    """A name as it is kept: NFC, without spaces around it.

    BadInput unless 1 to 40 characters, none of them a control character.
    """
    name = unicodedata.normalize("NFC", given).strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadInput("display_name", f"must be 1 to {LONGEST_NAME} characters")
    if any(unicodedata.category(character)[0] == "C" for character in name):
        raise BadInput("display_name", "must have no control characters")
    return name
