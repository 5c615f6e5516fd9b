"""An OpenID Connect issuer on this machine: publishes its keys over HTTP, and signs whatever it is told to."""

from __future__ import annotations

import json
from typing import Any, Self

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "ludolog-test"
RSA_BITS = 2048
WRITERS: dict[str, Any] = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "ES384": ECAlgorithm, "EdDSA": OKPAlgorithm}


def new_key(algorithm: str) -> Any:
    """A private key for an algorithm."""
    match algorithm:
        case "RS256":
            return rsa.generate_private_key(65537, RSA_BITS)
        case "ES256":
            return ec.generate_private_key(ec.SECP256R1())
        case "ES384":
            return ec.generate_private_key(ec.SECP384R1())
        case _:
            return Ed25519PrivateKey.generate()


class LocalIssuer:
    """`async with LocalIssuer() as issuer`; `keys` are (algorithm, private key) by key id, and may be changed."""

    def __init__(self) -> None:
        self.keys: dict[str, tuple[str, Any]] = {}
        self.asked = 0
        self.down = False
        self.more: list[dict[str, Any]] = []
        """Further entries of the document, as they are."""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.add_routes([web.get("/jwks", self._document)])
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._runner.cleanup()

    @property
    def name(self) -> str:
        """What tokens call it."""
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def jwks(self) -> str:
        """Where its keys are."""
        return f"{self.name}/jwks"

    def add_key(self, kid: str, algorithm: str) -> None:
        """Publish one more key."""
        self.keys[kid] = algorithm, new_key(algorithm)

    def described(self) -> dict[str, Any]:
        """The document: public keys only."""
        described = []
        for kid, (algorithm, key) in self.keys.items():
            entry = json.loads(WRITERS[algorithm].to_jwk(key.public_key()))
            described.append({**entry, "kid": kid, "use": "sig", "alg": algorithm})
        return {"keys": described + self.more}

    async def _document(self, request: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(status=503) if self.down else web.json_response(self.described())

    def token(self, kid: str, now_s: int, subject: str = "user-1", **claims: Any) -> str:
        """A token of the issuer's, good for ten minutes."""
        algorithm, key = self.keys[kid]
        return jwt.encode(self.claims(now_s, subject, **claims), key, algorithm=algorithm, headers={"kid": kid})

    def claims(self, now_s: int, subject: str = "user-1", **claims: Any) -> dict[str, Any]:
        """What stands in such a token; None leaves a claim out."""
        good = {"iss": self.name, "aud": AUDIENCE, "sub": subject, "name": "Ann", "iat": now_s, "exp": now_s + 600}
        return {name: value for name, value in (good | claims).items() if value is not None}
