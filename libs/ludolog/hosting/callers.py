"""Who calls, at one port: by the tokens that come with a call, and between services by the certificate as well.

A call between services shows the service's own token; one that is handed on for a player shows the player's as
`authorization` and the service's as `ludolog-service`. From outside no service's token is taken for a caller; the web
service shows its own there only to be believed about the address of its client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from ludolog.hosting.addresses import client_address, peer_address
from ludolog.hosting.errors import Unauthenticated
from ludolog.hosting.identity import BAD_SERVICE_TOKEN, NOBODY, OPERATOR, Caller, Keyring
from ludolog.hosting.settings import Settings

BEARER = "Bearer "
SERVICE_KEY = "ludolog-service"
ADDRESS_KEY = "ludolog-client-address"
FORWARDED_KEY = "x-forwarded-for"
BELIEVED = frozenset({"web"})
"""Services that say whom they call the public port for."""
SERVICE_DOMAIN = ".ludolog.internal"
"""A service's certificate is for this name, under the service's own."""
ALTERNATIVE_NAMES = "x509_subject_alternative_name"
Foreign = Callable[[str], Awaitable[Caller]]


class Callers:
    """Identifies the callers of one port. `public`: calls come from outside."""

    def __init__(self, keys: Keyring, settings: Settings, *, public: bool) -> None:
        self._keys = keys
        self._public = public
        self._trusted = settings.trusted_proxies
        self._certified = settings.tls_cert_file is not None and not public
        self.foreign: Foreign | None = None
        """Who a token of another issuer stands for; raises Unauthenticated. None: there is no other issuer."""

    async def of(self, context: Any) -> Caller:
        """The caller. NOBODY without a token; Unauthenticated for one that isn't good."""
        found = {key: value for key, value in context.invocation_metadata() or () if key in _READ}
        caller = await self._shown(found.get("authorization"))
        sender = self._sender(found.get(SERVICE_KEY))
        if self._public:
            return replace(caller, address=self._address(context, sender, found))
        if sender:
            if caller.service or OPERATOR in caller.roles:
                raise Unauthenticated("one call, one identity", reason=BAD_SERVICE_TOKEN)
            caller = replace(caller, via=sender)
        if self._certified:
            _check_certificate(caller, context)
        return caller

    async def _shown(self, authorization: str | bytes | None) -> Caller:
        if authorization is None:
            return NOBODY
        if not isinstance(authorization, str) or not authorization.startswith(BEARER):
            raise Unauthenticated("authorization must be: Bearer TOKEN", reason="BAD_TOKEN")
        token = authorization.removeprefix(BEARER)
        if self._public and self.foreign is not None and not self._keys.made(token):
            return await self.foreign(token)
        found = self._keys.verify(token)
        if self._public and not found.player_id:
            raise Unauthenticated("only players have business here", reason="BAD_TOKEN")
        return found

    def _sender(self, shown: str | bytes | None) -> str:
        if shown is None:
            return ""
        try:
            found = self._keys.verify(str(shown).removeprefix(BEARER))
        except Unauthenticated as error:
            raise Unauthenticated("this isn't a service's token", reason=BAD_SERVICE_TOKEN) from error
        if not found.service:
            raise Unauthenticated("this isn't a service's token", reason=BAD_SERVICE_TOKEN)
        return found.service

    def _address(self, context: Any, sender: str, found: dict[str, str | bytes]) -> str:
        peer = peer_address(context.peer())
        if sender in BELIEVED and ADDRESS_KEY in found:
            return str(found[ADDRESS_KEY])
        return client_address(peer, str(found.get(FORWARDED_KEY, "")), self._trusted) if self._trusted else peer


_READ = frozenset({"authorization", SERVICE_KEY, ADDRESS_KEY, FORWARDED_KEY})


def certified_name(service: str) -> str:
    """The name that a service's certificate is for: it is called by it, and it is known by it when it calls."""
    return service + SERVICE_DOMAIN


def _check_certificate(caller: Caller, context: Any) -> None:
    """A token says which service calls; the certificate has to say the same: the key of one process isn't enough."""
    sender = caller.sender or (OPERATOR if OPERATOR in caller.roles else "")
    names = context.auth_context().get(ALTERNATIVE_NAMES, ())
    if sender and certified_name(sender).encode() not in names:
        raise Unauthenticated("the certificate is another service's", reason="WRONG_CERTIFICATE")
