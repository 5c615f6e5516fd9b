"""A development cluster's secrets: a key of its own for each service and for the operator, and what some of them share.

Made once, readable by their owner alone. Each process is told of the files that it needs, and of no other.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from ludolog.hosting.clock import SystemClock
from ludolog.hosting.identity import PLAYERS, SERVICE, Keyring, load_keyring
from ludolog.hosting.trust import SIGNERS

OWNER_ONLY = 0o600
RNG_KEY_ID = "dev1"


@dataclass(frozen=True)
class Keys:
    """A folder of keys."""

    folder: Path

    def private(self, signer: str) -> Path:
        """The key that a service, or the operator, signs with."""
        return self.folder / f"{signer}.pem"

    @property
    def trusted(self) -> Path:
        """The public halves, for everybody."""
        return self.folder / "trusted"

    @property
    def house_secret(self) -> Path:
        """What bots sign in with."""
        return self.folder / "house-secret"

    @property
    def rng(self) -> Path:
        """The master key of the seeds."""
        return self.folder / "rng.keys"

    def settings(self, service: str) -> dict[str, str]:
        """The variables of a service's process."""
        found = {
            "LUDOLOG_IDENTITY_KEY_FILE": str(self.private(service)),
            "LUDOLOG_TRUSTED_KEYS": str(self.trusted),
        }
        if service in ("gateway", "bots"):
            found["LUDOLOG_HOUSE_SECRET_FILE"] = str(self.house_secret)
        if service == "rng":
            found["LUDOLOG_RNG_KEY_FILES"] = str(self.rng)
        return found

    def ring(self, signer: str) -> Keyring:
        """Signs as that signer does."""
        return load_keyring(self.private(signer), SystemClock(), trusted=self.trusted)

    def service_token(self, service: str, ttl_s: float = 60) -> str:
        """What a service shows."""
        return self.ring(service).sign(service, roles=(SERVICE,), ttl_s=ttl_s)

    def player_token(self, player_id: str, name: str = "", ttl_s: float = 60) -> str:
        """What a player shows."""
        return self.ring(PLAYERS).sign(player_id, name=name, roles=("player",), ttl_s=ttl_s)

    def make(self) -> None:
        """Make what is missing."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.trusted.mkdir(exist_ok=True)
        for signer in sorted(SIGNERS):
            if not self.private(signer).exists():
                write_secret(self.private(signer), new_private())
            public = self.trusted / f"{signer}.pub"
            if not public.exists():
                public.write_bytes(public_half(self.private(signer)))
        if not self.house_secret.exists():
            write_secret(self.house_secret, secrets.token_hex(32).encode())
        if not self.rng.exists():
            write_secret(self.rng, f"{RNG_KEY_ID} {secrets.token_hex(32)}\n".encode())


def write_secret(path: Path, content: bytes) -> None:
    """Write a new file for the owner's eyes only. FileExistsError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
        file.write(content)


def new_private() -> bytes:
    """A new key, as `openssl genpkey -algorithm ed25519` writes it."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def public_half(private: Path) -> bytes:
    """The public half of a key, as `openssl pkey -pubout` writes it."""
    key = load_pem_private_key(private.read_bytes(), None)
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
