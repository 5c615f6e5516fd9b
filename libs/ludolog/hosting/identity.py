"""Who calls: Ed25519 tokens (JWT, RFC 7519 and 8037), and the caller of the call that is being handled.

A token holds: sub (player id or service name), name (what others call the player), roles, iat, exp; its header names
the key (kid). Several public keys are accepted at once, so a key is rotated by accepting the new one everywhere,
signing with it, and dropping the old one once its tokens have ended.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ludolog.hosting.clock import Clock
from ludolog.hosting.errors import PermissionDenied, Unauthenticated, no_such_player
from ludolog.hosting.secret import read_or_make

ISSUER = "ludolog"
ALGORITHM = "EdDSA"
CACHED_TOKENS = 4096
LONGEST_TOKEN = 4096
SERVICE_TTL_S = 3600
SERVICE, OPERATOR, HOUSE = "service", "operator", "house"
"""Roles of tokens that aren't players'; and of players that are programs of the house."""
BAD_SERVICE_TOKEN = "BAD_SERVICE_TOKEN"  # noqa: S105 - a reason
AUDIENCE = "ludolog"


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
    """Signs tokens with one key and accepts those of several."""

    def __init__(self, private: Ed25519PrivateKey, trusted: Iterable[Ed25519PublicKey], clock: Clock) -> None:
        self._private = private
        self._clock = clock
        self._kid = key_id(private.public_key())
        self._public = {key_id(key): key for key in (private.public_key(), *trusted)}
        self._seen: OrderedDict[str, tuple[Caller, int]] = OrderedDict()
        self.revoked: frozenset[str] = frozenset()
        """Players whose tokens aren't taken any more. Set by the gateway, which looks at everybody's."""

    @property
    def signer(self) -> Ed25519PrivateKey:
        """The private key, for what the platform signs besides tokens: match records."""
        return self._private

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

        Unauthenticated where it isn't good: unknown key, wrong signature, ended, malformed, of an erased player.
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
            return jwt.get_unverified_header(token).get("kid") in self._public
        except jwt.InvalidTokenError:
            return False

    def derive(self, purpose: str) -> bytes:
        """A secret of 32 bytes for another purpose, the same for every service that has this private key."""
        raw = self._private.private_bytes_raw()
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=f"ludolog/{purpose}".encode()).derive(raw)

    def _check(self, token: str) -> tuple[Caller, int]:
        try:
            if len(token) > LONGEST_TOKEN:
                raise Unauthenticated("this isn't a token of ours", reason="BAD_TOKEN")
            key = self._public[str(jwt.get_unverified_header(token).get("kid"))]
            # The clock is ours to read: expiry is compared by whoever calls.
            rules = {"verify_exp": False, "verify_iat": False, "verify_aud": False, "require": ["exp", "sub"]}
            claims = jwt.decode(token, key, algorithms=[ALGORITHM], issuer=ISSUER, options=rules)  # type: ignore[arg-type]
            # Tokens were made without an audience once.
            if claims.get("aud", AUDIENCE) != AUDIENCE:
                raise Unauthenticated("this token is for somebody else", reason="BAD_TOKEN")
            roles = frozenset(str(role) for role in claims.get("roles", ()))
            subject, name, expires = str(claims["sub"]), str(claims.get("name", "")), int(claims["exp"])
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError):
            raise Unauthenticated("this isn't a token of ours", reason="BAD_TOKEN") from None
        token = f"Bearer {token}"
        if SERVICE in roles:
            found = Caller(roles=roles, service=subject, token=token)
        elif OPERATOR in roles:
            found = Caller(display_name=subject, roles=roles, token=token)
        else:
            found = Caller(player_id=subject, display_name=name, roles=roles, token=token)
        return replace(found, expires_s=expires), expires


class ServiceTokens:
    """The token that a service shows to other services, made anew before it ends."""

    def __init__(self, keys: Keyring, service: str, clock: Clock) -> None:
        self._keys, self._service, self._clock = keys, service, clock
        self._header = ""
        self._until = 0.0

    def header(self) -> str:
        """Value of the authorization metadata."""
        now = self._clock.monotonic()
        if now >= self._until:
            token = self._keys.sign(self._service, roles=(SERVICE,), ttl_s=SERVICE_TTL_S)
            self._header, self._until = f"Bearer {token}", now + SERVICE_TTL_S / 2
        return self._header


def key_id(key: Ed25519PublicKey) -> str:
    """Short name of a public key: the first 16 hex digits of its SHA-256."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]


def load_keyring(private: Path, trusted: Iterable[Path], clock: Clock, *, make: bool) -> Keyring:
    """Read the keys (PEM).

    `make`: a missing private key is made, mode 0600. ValueError names a file that isn't such a key.
    """
    pem = read_or_make(private, _new_pem) if make else private.read_bytes()
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except ValueError as error:
        raise ValueError(f"{private}: not a private key in PEM") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{private}: not an Ed25519 key")  # noqa: TRY004 - a file has a wrong value
    return Keyring(key, [_public(path) for path in trusted], clock)


def _public(path: Path) -> Ed25519PublicKey:
    try:
        key = serialization.load_pem_public_key(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: not a public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError(f"{path}: not an Ed25519 key")  # noqa: TRY004 - a file has a wrong value
    return key


def _new_pem() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
