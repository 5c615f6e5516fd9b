"""The trace that the application is in, if it uses OpenTelemetry. Nothing is imported for it: what isn't used is ""."""

from __future__ import annotations

import sys


def traceparent() -> str:
    """W3C trace context of the application's current span; "" where there is none."""
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return ""
    found = api.get_current_span().get_span_context()
    if not found.is_valid:
        return ""
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"
