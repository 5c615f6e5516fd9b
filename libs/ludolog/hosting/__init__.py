"""What services stand on: `run(name, bind)`, a Host, errors, identity, resource names, in-process calls."""

from ludolog.hosting import authorisation, errors, names
from ludolog.hosting.clock import Clock, SystemClock
from ludolog.hosting.errors import (
    ApiError,
    NotFound,
    NotOwner,
    OutOfRange,
    PermissionDenied,
    TooMuch,
    Unauthenticated,
    Unavailable,
)
from ludolog.hosting.host import Host
from ludolog.hosting.identity import NOBODY, Caller, Keyring, caller, require_player
from ludolog.hosting.local import LocalChannel, LocalServer
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.platform import Bind, Platform, Service
from ludolog.hosting.router import EngineRouter, topic_of
from ludolog.hosting.running import load_or_exit, run, run_services
from ludolog.hosting.settings import BadSettings, Settings, load
from ludolog.hosting.tracing import Tracing

__all__ = [
    "NOBODY",
    "ApiError",
    "BadSettings",
    "Bind",
    "Caller",
    "Clock",
    "EngineRouter",
    "Host",
    "Keyring",
    "LocalChannel",
    "LocalServer",
    "Metrics",
    "NotFound",
    "NotOwner",
    "OutOfRange",
    "PermissionDenied",
    "Platform",
    "Service",
    "Settings",
    "SystemClock",
    "TooMuch",
    "Tracing",
    "Unauthenticated",
    "Unavailable",
    "authorisation",
    "caller",
    "errors",
    "load",
    "load_or_exit",
    "names",
    "require_player",
    "run",
    "run_services",
    "topic_of",
]
