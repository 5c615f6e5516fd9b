"""Who calls: Ed25519 tokens (JWT, RFC 7519 and 8037), and the caller of the call that is being handled.

A token holds: sub (player id or service name), name (what others call the player), roles, iat, exp; its header names
the key (kid). What a token says is believed only of whoever may say it: a service speaks for itself, the gateway for
players, the operator's key for operators (trust.py).
"""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ludolog.hosting import trust
from ludolog.hosting.clock import Clock
from ludolog.hosting.errors import PermissionDenied, Unauthenticated, no_such_player
from ludolog.hosting.secret import read_or_make
from ludolog.hosting.trust import Listed, TrustedKeys, key_id

ISSUER = "ludolog"
ALGORITHM = "EdDSA"
CACHED_TOKENS = 4096
LONGEST_TOKEN = 4096
SERVICE_TTL_S = 3600
SERVICE_RENEWAL_S = 300
"""A service's token is no older than this: clocks of processes may differ by what is left of its life."""
SERVICE, OPERATOR, HOUSE = "service", trust.OPERATOR, "house"
"""Roles of tokens that aren't players'; and of players that are programs of the house."""
PLAYERS = "gateway"
"""Who speaks for players."""
BAD_SERVICE_TOKEN = "BAD_SERVICE_TOKEN"  # noqa: S105 - a reason
AUDIENCE = "ludolog"

logger = logging.getLogger("ludolog.keys")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call. A player has a player id; a service a name; an operator a role; nobody has none of them.

    `via`: the service that hands the call on; `address`: where a call from outside comes from; `token`: what is handed
    on to the services behind, as the authorization metadata has it, good until `expires_s` (Unix time; 0: no end).
    """

    player_id: str = ""
    display_name: str = ""
    roles: frozenset[str] = frozenset()
    service: str = ""
    via: str = ""
    address: str = ""
    token: str = field(default="", repr=False)
    expires_s: int = field(default=0, compare=False)

    @property
    def sender(self) -> str:
        """The service that sends the call, for itself or for somebody; "" for none."""
        return self.service or self.via


NOBODY = Caller()
_caller: ContextVar[Caller] = ContextVar("ludolog_caller", default=NOBODY)


def caller() -> Caller:
    """The caller of the call that is being handled; NOBODY where there is none."""
    return _caller.get()


def require_player() -> Caller:
    """The caller, if it is a player. Unauthenticated for nobody, PermissionDenied for a service."""
    return as_player(_caller.get())


def as_player(found: Caller) -> Caller:
    """The caller, if it is a player. Unauthenticated for nobody, PermissionDenied for a service or an operator."""
    if found.player_id:
        return found
    if found.service or found.roles:
        raise PermissionDenied("only players may do this", reason="NOT_A_PLAYER")
    raise Unauthenticated


class Keyring:
    """Signs with a process's own key, and knows whose tokens to believe."""

    def __init__(self, private: Ed25519PrivateKey, clock: Clock, trusted: TrustedKeys | None = None) -> None:
        """`trusted` None: the own key may sign everything, and no other is taken."""
        self._private = private
        self._clock = clock
        self._kid = key_id(private.public_key())
        self._trusted = trusted or TrustedKeys(_for_everything(private), None, clock)
        self._seen: OrderedDict[str, tuple[Caller, int]] = OrderedDict()
        self._seen_version = self._trusted.version
        self.revoked: frozenset[str] = frozenset()
        """Players whose tokens aren't taken any more. Set by the gateway, which looks at everybody's."""

    @property
    def signer(self) -> Ed25519PrivateKey:
        """The private key, for what is signed besides tokens: receipts (rng) and match records (replay)."""
        return self._private

    def public_keys(self, signer: str) -> tuple[bytes, ...]:
        """The keys that are trusted as a service's, 32 bytes each."""
        return self._trusted.of(signer)

    def may_sign_for(self, signer: str) -> bool:
        """Whether the own key is trusted as that service's."""
        own = self._trusted.find(self._kid)
        return own is not None and signer in own.signers

    def sign(self, subject: str, *, name: str = "", roles: Iterable[str] = (), ttl_s: float) -> str:
        """Make a token. `subject` is a player id, or a service's name with the role "service"."""
        now = self._clock.now_ms() // 1000
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": subject,
            "roles": sorted(roles),
            "iat": now,
            "exp": now + int(ttl_s),
        }
        if name:
            claims["name"] = name
        return jwt.encode(claims, self._private, algorithm=ALGORITHM, headers={"kid": self._kid})

    def verify(self, token: str) -> Caller:
        """Who a token stands for.

        Unauthenticated where it isn't good: unknown key, wrong signature, ended, malformed, of an erased player, or
        signed by somebody who may not say what it says.
        """
        found = self._good(token)
        if found.player_id in self.revoked:
            raise no_such_player()
        return found

    def left_s(self, found: Caller) -> float:
        """For how many seconds a caller's token is still good."""
        return found.expires_s - self._clock.now_ms() / 1000 if found.expires_s else math.inf

    def _good(self, token: str) -> Caller:
        now = self._clock.now_ms() // 1000
        self._trusted.look()
        if self._seen_version != self._trusted.version:
            self._seen.clear()
            self._seen_version = self._trusted.version
        if (known := self._seen.get(token)) is not None:
            if known[1] > now:
                return known[0]
            del self._seen[token]
        found, expires = self._check(token)
        if expires <= now:
            raise Unauthenticated("this token has ended: sign in again", reason="TOKEN_EXPIRED")
        self._seen[token] = found, expires
        if len(self._seen) > CACHED_TOKENS:
            self._seen.popitem(last=False)
        return found

    def made(self, token: str) -> bool:
        """Whether a token says that it is from here; nothing of it is verified."""
        if token in self._seen:
            return True
        try:
            return self._trusted.find(str(jwt.get_unverified_header(token).get("kid"))) is not None
        except jwt.InvalidTokenError:
            return False

    def derive(self, purpose: str) -> bytes:
        """A secret of 32 bytes for another purpose, the same for every process that has this private key."""
        raw = self._private.private_bytes_raw()
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"ludolog/{purpose}".encode()).derive(raw)

    def _check(self, token: str) -> tuple[Caller, int]:
        try:
            if len(token) > LONGEST_TOKEN:
                raise Unauthenticated("this isn't a token of ours", reason="BAD_TOKEN")
            listed = self._trusted.find(str(jwt.get_unverified_header(token).get("kid")))
            if listed is None:
                raise Unauthenticated("this isn't a token of ours", reason="BAD_TOKEN")
            # The clock is ours to read: expiry is compared by whoever calls.
            rules = {"verify_exp": False, "verify_iat": False, "verify_aud": False, "require": ["exp", "sub"]}
            claims = jwt.decode(token, listed.key, algorithms=[ALGORITHM], issuer=ISSUER, options=rules)  # type: ignore[arg-type]
            # Tokens were made without an audience once.
            if claims.get("aud", AUDIENCE) != AUDIENCE:
                raise Unauthenticated("this token is for somebody else", reason="BAD_TOKEN")
            roles = frozenset(str(role) for role in claims.get("roles", ()))
            subject, name, expires = str(claims["sub"]), str(claims.get("name", "")), int(claims["exp"])
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError):
            raise Unauthenticated("this isn't a token of ours", reason="BAD_TOKEN") from None
        _check_signer(listed, roles, subject)
        token = f"Bearer {token}"
        if SERVICE in roles:
            found = Caller(roles=roles, service=subject, token=token)
        elif OPERATOR in roles:
            found = Caller(display_name=subject, roles=roles, token=token)
        else:
            found = Caller(player_id=subject, display_name=name, roles=roles, token=token)
        return replace(found, expires_s=expires), expires


class ServiceTokens:
    """The token that a service shows to other services, made anew long before it ends.

    Its age is told by the clock that its end is compared with: that one may jump (suspended machines, corrected time).
    """

    def __init__(self, keys: Keyring, service: str, clock: Clock) -> None:
        self._keys, self._service, self._clock = keys, service, clock
        self._header = ""
        self._made_ms = -math.inf

    def header(self) -> str:
        """Value of the authorization metadata."""
        now_ms = self._clock.now_ms()
        if not 0 <= now_ms - self._made_ms < SERVICE_RENEWAL_S * 1000:
            token = self._keys.sign(self._service, roles=(SERVICE,), ttl_s=SERVICE_TTL_S)
            self._header, self._made_ms = f"Bearer {token}", now_ms
        return self._header


def _for_everything(private: Ed25519PrivateKey) -> dict[str, Listed]:
    public = private.public_key()
    return {key_id(public): Listed(public, trust.SIGNERS)}


def _check_signer(listed: Listed, roles: frozenset[str], subject: str) -> None:
    """Whether a key may say that somebody has these roles. Unauthenticated."""
    if not roles & {SERVICE, OPERATOR}:
        signer = PLAYERS
    elif roles == {SERVICE}:
        signer = subject if subject in trust.SERVICES else ""
    else:
        signer = OPERATOR if roles == {OPERATOR} else ""
    if signer not in listed.signers:
        # Whoever has this key has gone beyond it: a break-in, or a file in the wrong place.
        logger.warning("refused a token for %s, signed by %s", signer or "nobody", ", ".join(sorted(listed.signers)))
        raise Unauthenticated("this key can't say that", reason="BAD_TOKEN")


def load_keyring(private: Path, clock: Clock, *, trusted: Path | None = None, embedded: bool = False) -> Keyring:
    """Read the keys: the own private one (PEM), and the folder of those that are trusted.

    `embedded`: the own key is made where it is missing, mode 0600, and may sign everything. OSError and ValueError name
    a file that isn't such a key.
    """
    pem = read_or_make(private, _new_pem) if embedded else private.read_bytes()
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except ValueError as error:
        raise ValueError(f"{private}: not a private key in PEM") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{private}: not an Ed25519 key")  # noqa: TRY004 - a file has a wrong value
    return Keyring(key, clock, TrustedKeys(_for_everything(key) if embedded else {}, trusted, clock))


def _new_pem() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
