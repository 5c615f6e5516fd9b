"""Players who come with another issuer's token: each has an account here, and goes on with a token of ours."""

from __future__ import annotations

from collections import OrderedDict

from ludolog.hosting import Caller, Host
from ludolog.hosting.errors import no_such_player
from ludolog.hosting.oidc import Issuer, Person
from ludolog.kernel import BadInput
from services.gateway.accounts import Accounts
from services.gateway.players import LONGEST_NAME, display_name

KNOWN = 4096
LONGEST_S = 3600
"""A token of ours that stands for another issuer's is good so long at most."""
NAMELESS = "Guest"


class Newcomers:
    """Tells who a token of the issuer's stands for, and remembers it while it is good."""

    def __init__(self, host: Host, accounts: Accounts, issuer: Issuer) -> None:
        self._host, self._accounts, self._issuer = host, accounts, issuer
        self._known: OrderedDict[str, tuple[Caller, float]] = OrderedDict()

    async def who(self, token: str) -> Caller:
        """The player. Unauthenticated for a token that isn't good."""
        now_s = self._host.clock.now_ms() / 1000
        known = self._known.get(token)
        if known is not None and known[1] > now_s and known[0].player_id not in self._host.keys.revoked:
            self._check(known[0].player_id)
            return known[0]
        person = await self._issuer.verify(token)
        self._check(person.player_id)
        name = _name_of(person)
        account = await self._accounts.known_player(person.player_id, name, self._host.clock.now_ms())
        ttl_s = max(1.0, min(person.expires_s - now_s, LONGEST_S))
        ours = self._host.sign_token(account.player_id, name=account.display_name, roles=("player",), ttl_s=ttl_s)
        caller = self._host.keys.verify(ours)
        self._known[token] = caller, now_s + ttl_s / 2
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)
        return caller

    def _check(self, player_id: str) -> None:
        """Whoever was erased isn't made anew by a token from before."""
        if player_id in self._host.keys.revoked:
            raise no_such_player()


def _name_of(person: Person) -> str:
    try:
        return display_name(person.name[:LONGEST_NAME])
    except BadInput:
        return NAMELESS
