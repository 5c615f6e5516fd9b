"""Sockets: the one place where credentials are made, channels opened and ports bound."""

from __future__ import annotations

import grpc

from ludolog.hosting.settings import Settings, variable

KEEPALIVE_MS = 20_000
KEEPALIVE_TIMEOUT_MS = 10_000
RESPONSE_BYTES = 64 << 20
INTERNAL_REQUEST_BYTES = 4 << 20
# Connections end now and then, so that new instances get their share; streams get this long to end by themselves
# before.
AGE_GRACE_MS = 120_000


class PortTaken(Exception):
    """A port can't be opened; the message names the setting."""


def open_channel(target: str) -> grpc.aio.Channel:
    """Open a channel. Several addresses behind one DNS name take turns."""
    options = (
        ("grpc.lb_policy_name", "round_robin"),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_receive_message_length", RESPONSE_BYTES),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
        ("grpc.enable_retries", 0),
    )
    return grpc.aio.insecure_channel(target, options=options)


def make_server(settings: Settings, *, public: bool) -> grpc.aio.Server:
    """Make a server; `public` limits requests to what clients may send."""
    age_ms = int(settings.stream_age_s * 1000)
    options = (
        # Two processes on one port would share its connections silently.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", settings.request_bytes if public else INTERNAL_REQUEST_BYTES),
        ("grpc.max_send_message_length", RESPONSE_BYTES),
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
        ("grpc.max_connection_age_ms", age_ms),
        ("grpc.max_connection_age_grace_ms", AGE_GRACE_MS),
    )
    return grpc.aio.server(options=options)


def open_port(server: grpc.aio.Server, settings: Settings, field: str) -> int:
    """Bind the port that the field `field` of the settings names; return it. PortTaken names the variable."""
    wanted = getattr(settings, field)
    try:
        port = server.add_insecure_port(f"{settings.host}:{wanted}")
    except RuntimeError:
        port = 0
    if port == 0:
        raise PortTaken(taken(settings, field))
    return port


def taken(settings: Settings, field: str) -> str:
    """What a person reads when a port can't be opened."""
    where = f"{settings.host}:{getattr(settings, field)}"
    return f"can't open {where}: another program has it. Set {variable(field)} to a free port (0: any)."
