"""Development certificates: `python -m deploy.dev.certificates` (`make certificates`) makes what isn't there yet.

Two authorities, because whoever may open a public port is no service: one for the services among themselves, one for
what the public sees. Files are in ./.ludolog/certificates (or $LUDOLOG_DATA/certificates); keys have mode 0600.
"""

import datetime as dt
import ipaddress
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from deploy.dev.infra import data_folder
from ludolog.hosting.callers import certified_name
from ludolog.hosting.trust import SIGNERS

PUBLIC = "public"
PUBLIC_NAMES = ("localhost", "127.0.0.1", "::1")
AT_PUBLIC_PORTS = ("gateway", "web")
LIFE = dt.timedelta(days=365)
BEFORE = dt.timedelta(minutes=5)
OWNER_ONLY = 0o600


@dataclass(frozen=True)
class Certificates:
    """A folder of certificates."""

    folder: Path

    def certificate(self, name: str) -> Path:
        """A service's certificate, or an authority's ("services-ca", "public-ca")."""
        return self.folder / f"{name}.pem"

    def key(self, name: str) -> Path:
        """Its private key."""
        return self.folder / f"{name}.key"

    def settings(self, service: str) -> dict[str, str]:
        """The variables of a service's process: the public ports' key is their services' alone."""
        found = {
            "LUDOLOG_TLS_CERT_FILE": str(self.certificate(service)),
            "LUDOLOG_TLS_KEY_FILE": str(self.key(service)),
            "LUDOLOG_TLS_CA_FILE": str(self.certificate("services-ca")),
            "LUDOLOG_TLS_PUBLIC_CA_FILE": str(self.certificate("public-ca")),
        }
        if service in AT_PUBLIC_PORTS:
            found["LUDOLOG_TLS_PUBLIC_CERT_FILE"] = str(self.certificate(PUBLIC))
            found["LUDOLOG_TLS_PUBLIC_KEY_FILE"] = str(self.key(PUBLIC))
        return found

    def credentials(self, name: str = "operator") -> grpc.ChannelCredentials:
        """What a client shows on the ports between services."""
        authority = self.certificate("services-ca").read_bytes()
        return grpc.ssl_channel_credentials(authority, self.key(name).read_bytes(), self.certificate(name).read_bytes())

    def make(self) -> None:
        """Make what is missing."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._authority("services-ca")
        self._authority("public-ca")
        for service in sorted(SIGNERS):
            self._issue(service, "services-ca", [certified_name(service)])
        self._issue(PUBLIC, "public-ca", PUBLIC_NAMES)

    def _authority(self, name: str) -> None:
        if self.certificate(name).exists():
            return
        key = self._new_key(name)
        subject = _subject(f"Ludolog development, {name}")
        builder = _builder(subject, subject, key)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.certificate(name).write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def _issue(self, name: str, authority: str, names: tuple[str, ...] | list[str]) -> None:
        if self.certificate(name).exists():
            return
        signer = load_pem_private_key(self.key(authority).read_bytes(), None)
        if not isinstance(signer, ec.EllipticCurvePrivateKey):
            raise TypeError(f"{self.key(authority)} isn't a key of ours")
        issuer = x509.load_pem_x509_certificate(self.certificate(authority).read_bytes()).subject
        key = self._new_key(name)
        builder = _builder(_subject(name), issuer, key)
        builder = builder.add_extension(x509.SubjectAlternativeName([_general(one) for one in names]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        self.certificate(name).write_bytes(builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM))

    def _new_key(self, name: str) -> ec.EllipticCurvePrivateKey:
        key = ec.generate_private_key(ec.SECP256R1())
        self.key(name).unlink(missing_ok=True)
        descriptor = os.open(self.key(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return key


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + LIFE)
    )


def settings_of(certificates: Certificates | None, service: str) -> Mapping[str, str]:
    """The variables of a service's process; none without certificates."""
    return {} if certificates is None else certificates.settings(service)


def main() -> int:
    """Make them, and say where they are."""
    certificates = Certificates(data_folder() / "certificates")
    certificates.make()
    print(f"certificates for development: {certificates.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
