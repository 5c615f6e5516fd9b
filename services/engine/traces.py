"""W3C trace context (traceparent, version 00) of a call: it goes into the log, so its form is checked."""

from __future__ import annotations

import re
from typing import Any

import grpc

FORM = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def traceparent(value: str) -> str:
    """The value, or "" where it isn't a trace context."""
    return value if FORM.fullmatch(value) else ""


def traced(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The trace context of a call's metadata, or ""."""
    for key, value in context.invocation_metadata() or ():
        if key == "traceparent" and isinstance(value, str):
            return traceparent(value)
    return ""
