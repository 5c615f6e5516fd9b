"""Sockets: the one place where credentials are made, channels opened and ports bound."""

from __future__ import annotations

import ssl
from pathlib import Path

import grpc

from ludolog.hosting.callers import certified_name
from ludolog.hosting.settings import Settings, variable

KEEPALIVE_MS = 20_000
KEEPALIVE_TIMEOUT_MS = 10_000
# Among services a process that stands still is left sooner: its streams are opened elsewhere.
OUR_KEEPALIVE_MS = 5_000
OUR_KEEPALIVE_TIMEOUT_MS = 3_000
UNUSED_MS = 60_000
RESPONSE_BYTES = 64 << 20
INTERNAL_REQUEST_BYTES = 4 << 20
# Connections end now and then, so that new instances get their share; streams get this long to end by themselves
# before.
AGE_GRACE_MS = 120_000


class PortTaken(Exception):
    """A port can't be opened; the message names the setting."""


def open_channel(target: str, settings: Settings, service: str) -> grpc.aio.Channel:
    """Open a channel to a service. Several addresses behind one DNS name take turns.

    With TLS it has to show that service's certificate, and gets ours; "gateway" is the public port. OSError for a file
    that can't be read, ValueError naming one that is no certificate or key.
    """
    options: tuple[tuple[str, str | int], ...] = (
        ("grpc.lb_policy_name", "round_robin"),
        ("grpc.keepalive_time_ms", OUR_KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", OUR_KEEPALIVE_TIMEOUT_MS),
        # Without this gRPC waits a minute for the answer to a ping, whatever the line above says.
        ("grpc.http2.ping_timeout_ms", OUR_KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_receive_message_length", RESPONSE_BYTES),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.enable_retries", 0),
        # What nobody calls any more isn't connected to for ever: addresses of former owners above all.
        ("grpc.client_idle_timeout_ms", UNUSED_MS),
    )
    name = ""
    credentials = None
    if service == "gateway":
        name = settings.tls_public_name
        if settings.tls_public_ca_file is not None:
            credentials = grpc.ssl_channel_credentials(_authority(settings.tls_public_ca_file))
    elif settings.tls_cert_file is not None:
        name = certified_name("gateway" if service == "players" else service)
        key, chain, authority = _own(settings)
        credentials = grpc.ssl_channel_credentials(authority, key, chain)
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    if name:
        # Instances come and go at addresses that no certificate can name: what they show is which service they are.
        options += (("grpc.ssl_target_name_override", name), ("grpc.default_authority", name))
    return grpc.aio.secure_channel(target, credentials, options=options)


def _server_credentials(settings: Settings, *, public: bool) -> grpc.ServerCredentials | None:
    """What a port shows and, between services, asks for; None without TLS."""
    if not public and settings.tls_cert_file is not None:
        key, chain, authority = _own(settings)
        return grpc.ssl_server_credentials([(key, chain)], authority, require_client_auth=True)
    if public and settings.tls_public_cert_file is not None and settings.tls_public_key_file is not None:
        key, chain = _pair(settings.tls_public_cert_file, settings.tls_public_key_file)
        return grpc.ssl_server_credentials([(key, chain)])
    return None


def page_context(settings: Settings) -> ssl.SSLContext | None:
    """TLS of the page's port; None without it. ValueError, OSError."""
    if settings.tls_public_cert_file is None or settings.tls_public_key_file is None:
        return None
    _pair(settings.tls_public_cert_file, settings.tls_public_key_file)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(settings.tls_public_cert_file, settings.tls_public_key_file)
    return context


def _own(settings: Settings) -> tuple[bytes, bytes, bytes]:
    """(key, chain, authority) of a service among services; the settings have all three, or none."""
    if settings.tls_cert_file is None or settings.tls_key_file is None or settings.tls_ca_file is None:
        raise LookupError("LUDOLOG_TLS_CERT_FILE, _KEY_FILE and _CA_FILE go together")
    return *_pair(settings.tls_cert_file, settings.tls_key_file), _authority(settings.tls_ca_file)


def _pair(chain: Path, key: Path) -> tuple[bytes, bytes]:
    """(key, chain) in PEM. gRPC would say nothing about a file that it can't use, and drop every connection."""
    try:
        # The password keeps OpenSSL from asking at the terminal for that of an encrypted key.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key, password="")
    except ssl.SSLError as error:
        raise ValueError(f"{chain}, {key}: not a certificate and its key in PEM") from error
    return key.read_bytes(), chain.read_bytes()


def _authority(path: Path) -> bytes:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise ValueError(f"{path}: not a certificate in PEM") from error
    return path.read_bytes()


def make_server(settings: Settings, *, public: bool) -> grpc.aio.Server:
    """Make a server; `public` limits requests to what clients may send."""
    age_ms = int(settings.stream_age_s * 1000)
    options = (
        # Two processes on one port would share its connections silently.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", settings.request_bytes if public else INTERNAL_REQUEST_BYTES),
        ("grpc.max_send_message_length", RESPONSE_BYTES),
        # Calls that come faster than the event loop takes them: gRPC would cancel some beyond 1,000, without a word.
        ("grpc.server.max_pending_requests", settings.open_calls),
        ("grpc.server.max_pending_requests_hard_limit", 2 * settings.open_calls),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.http2.ping_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", OUR_KEEPALIVE_MS // 2),
        ("grpc.max_connection_age_ms", age_ms),
        ("grpc.max_connection_age_grace_ms", AGE_GRACE_MS),
    )
    return grpc.aio.server(options=options)


def open_port(server: grpc.aio.Server, settings: Settings, field: str, *, public: bool) -> int:
    """Bind the port that the field `field` of the settings names; return it. PortTaken names the variable."""
    address = f"{settings.host}:{getattr(settings, field)}"
    credentials = _server_credentials(settings, public=public)
    try:
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError:
        port = 0
    if port == 0:
        raise PortTaken(taken(settings, field))
    return port


def taken(settings: Settings, field: str) -> str:
    """What a person reads when a port can't be opened."""
    where = f"{settings.host}:{getattr(settings, field)}"
    return f"can't open {where}: another program has it. Set {variable(field)} to a free port (0: any)."
