"""Tokens of another issuer (OpenID Connect Core 1.0, RFC 7517, RFC 7519), verified with its published keys.

A key decides the algorithm, never the token: one of RS256, ES256, ES384 or EdDSA, by the key's own type. Keys are read
again when a token names one that isn't known, and now and then, so that those which are withdrawn are forgotten.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import jwt

from ludolog.hosting.clock import Clock
from ludolog.hosting.errors import Unauthenticated, Unavailable
from ludolog.hosting.settings import Settings

logger = logging.getLogger("ludolog.oidc")
ALGORITHMS = {("RSA", ""): "RS256", ("EC", "P-256"): "ES256", ("EC", "P-384"): "ES384", ("OKP", "Ed25519"): "EdDSA"}
"""(type, curve) of a key → the algorithm that it is for."""
LONGEST_TOKEN = 8192
LONGEST_SUBJECT = 255
SKEW_S = 60
"""The issuer's clock and ours may differ by so much."""
FRESH_S = 3600.0
"""Keys older than this are read again."""
PAUSE_S = 10.0
"""Keys aren't read more often, whatever keys tokens name."""
TIMEOUT_S = 5.0
LARGEST = 256 * 1024
ID_CHARACTERS = 26


@dataclass(frozen=True, slots=True)
class Person:
    """Who a token stands for. `subject` is the issuer's word, `name` may be ""; it ends at `expires_s` (Unix)."""

    issuer: str
    subject: str
    name: str
    expires_s: int

    @property
    def player_id(self) -> str:
        """The same for the same person of the same issuer, and it tells neither."""
        digest = hashlib.sha256(f"ludolog/oidc/v1\0{self.issuer}\0{self.subject}".encode()).digest()
        return "p-" + base64.b32encode(digest).decode().lower()[:ID_CHARACTERS]


class Issuer:
    """One issuer: its name, the audience that tokens have to be for, and where its keys are (a URL or a file)."""

    def __init__(self, issuer: str, audience: str, jwks: str, clock: Clock) -> None:
        self._issuer, self._audience, self._jwks, self._clock = issuer, audience, jwks, clock
        self._keys: dict[str, tuple[Any, str]] = {}
        self._read_at_s = self._tried_at_s = float("-inf")

    @classmethod
    def of(cls, settings: Settings, clock: Clock) -> Issuer | None:
        """The issuer that the settings name, or None."""
        if not settings.oidc_issuer:
            return None
        return cls(settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks, clock)

    async def verify(self, token: str) -> Person:
        """Who a token stands for. Unauthenticated for one that isn't good; Unavailable while there are no keys."""
        try:
            if len(token) > LONGEST_TOKEN:
                raise _bad()
            key, algorithm = await self._key(str(jwt.get_unverified_header(token).get("kid", "")))
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=self._issuer,
                audience=self._audience,
                # The clock is ours to read.
                options={
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "require": ["exp", "iss", "aud", "sub"],
                },
            )
            expires, begins = int(claims["exp"]), int(claims.get("nbf", 0))
            subject, name = claims["sub"], claims.get("name") or claims.get("preferred_username") or ""
        except (jwt.InvalidTokenError, TypeError, ValueError):
            raise _bad() from None
        if not isinstance(subject, str) or not 1 <= len(subject) <= LONGEST_SUBJECT or not isinstance(name, str):
            raise _bad()
        now = self._clock.now_ms() // 1000
        if expires + SKEW_S <= now:
            raise Unauthenticated("this token has ended: sign in again", reason="TOKEN_EXPIRED")
        if begins - SKEW_S > now:
            raise Unauthenticated("this token isn't good yet", reason="BAD_TOKEN")
        return Person(self._issuer, subject, name, expires)

    async def _key(self, kid: str) -> tuple[Any, str]:
        now = self._clock.monotonic()
        stale = now - self._read_at_s > FRESH_S
        if (stale or kid not in self._keys) and now - self._tried_at_s >= PAUSE_S:
            self._tried_at_s = now
            await self._refresh()
        if not self._keys:
            raise Unavailable("the issuer's keys can't be had now", reason="NO_ISSUER_KEYS")
        found = self._keys.get(kid)
        if found is None:
            raise _bad()
        return found

    async def _refresh(self) -> None:
        """Read the keys; where that fails, go on with those that are known."""
        try:
            read = json.loads(await self._document())
            self._keys = dict(filter(None, map(_usable, read["keys"])))
            self._read_at_s = self._clock.monotonic()
        except (OSError, aiohttp.ClientError, TimeoutError, ValueError, KeyError, TypeError) as error:
            logger.warning("the keys of %s can't be read: %s", self._issuer, type(error).__name__)

    async def _document(self) -> bytes:
        if "://" not in self._jwks:
            return Path(self._jwks).read_bytes()  # noqa: ASYNC240 - a small file, once an hour
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        async with (
            aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as session,
            session.get(self._jwks, allow_redirects=False) as answer,
        ):
            return await answer.content.read(LARGEST)


def _usable(described: dict[str, Any]) -> tuple[str, tuple[Any, str]] | None:
    """(kid, (key, algorithm)) of a JSON Web Key that signatures may be checked with; None for any other."""
    algorithm = ALGORITHMS.get((str(described.get("kty")), str(described.get("crv", ""))))
    if algorithm is None or described.get("alg", algorithm) != algorithm or described.get("use", "sig") != "sig":
        return None
    try:
        return str(described.get("kid", "")), (jwt.PyJWK(described, algorithm).key, algorithm)
    except jwt.PyJWTError:
        return None


def _bad() -> Unauthenticated:
    return Unauthenticated("this isn't a good token of the issuer", reason="BAD_TOKEN")
