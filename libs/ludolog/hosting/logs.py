"""Log lines to stderr: JSON in a cluster, short lines for a person when embedded.

What a line is about stands in fields of its own (`extra={"match": …}`, see FIELDS), with the trace where there is one.
Levels: ERROR and CRITICAL are for whoever is on call, WARNING is worth a look by day, INFO is what happens seldom (a
match begins, a partition changes hands), DEBUG the rest. A platform at rest writes nothing at INFO, a match two lines
at the engine and one at the rng. Names, tokens, invite codes, seeds and entropy are never logged; tokens and passwords
that slip in are struck out.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

from ludolog.hosting.tracing import trace_id

SECRETS = re.compile(r"(Bearer\s+|://[^/\s:@]*:)[^\s@]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+")
NOISY = ("kafka", "aiosqlite", "grpc", "asyncio", "alembic")
OF_GRPC = "grpc._cython.cygrpc"
SENDING_FAILED = "ExecuteBatchError raised in core by servicer method"
FIELDS = ("match", "sequence", "topic", "partition", "partitions", "offset", "method", "reason")
"""What `extra` may say that a line is about."""
OF_A_FLEET = (
    "ludolog.health",
    "ludolog.eventlog.tenure",
    "ludolog.eventlog.owner",
    "services.engine.engine",
    "services.rng.follower",
)
"""Who took what over, what isn't ready yet, what begins and ends: news among many, noise at a person's terminal."""


def about(record: logging.LogRecord) -> dict[str, object]:
    """The fields of a line: what it is about, and the trace that it was written in."""
    found = {name: record.__dict__[name] for name in FIELDS if name in record.__dict__}
    trace = trace_id()
    return {**found, "trace": trace} if trace else found


def struck(text: str) -> str:
    """The text without tokens and passwords in it."""
    return SECRETS.sub(lambda found: (found[1] or "") + "***", text)


class _WhoLeft(logging.Filter):
    """Drops gRPC's tracebacks about clients that left while something was being sent to them.

    Its server logs that at ERROR (1.82.3; grpc/grpc#32551), though a client may leave at any moment: the handler is
    ended as for every other client that leaves. What a handler raises by itself is logged in other words.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """False for such a record."""
        raised = record.exc_info[0] if record.exc_info else None
        # By its name: the class is in gRPC's private parts.
        return not (
            raised is not None and raised.__name__ == "ExecuteBatchError" and str(record.msg).startswith(SENDING_FAILED)
        )


class JsonLines(logging.Formatter):
    """One JSON object a line: time, severity, service, instance, logger, message, what it is about, trace, error."""

    def __init__(self, service: str, instance: str) -> None:
        super().__init__()
        self._about = {"service": service, "instance": instance}

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "severity": record.levelname,
            **self._about,
            "logger": record.name,
            "message": struck(record.getMessage()),
            **about(record),
        }
        if record.exc_info:
            line["error"] = struck(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


class ShortLines(logging.Formatter):
    """Time, severity where it matters, message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with a traceback where there is one."""
        severity = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        fields = "".join(f" {name}={value}" for name, value in about(record).items())
        line = f"{self.formatTime(record, '%H:%M:%S')} {severity}{record.getMessage()}{fields}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return struck(line)


def set_up(level: str, *, embedded: bool, service: str, instance: str, stream: TextIO | None = None) -> None:
    """Send the process's log lines to stderr, or to another stream."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(ShortLines() if embedded else JsonLines(service, instance))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    if not any(isinstance(found, _WhoLeft) for found in logging.getLogger(OF_GRPC).filters):
        logging.getLogger(OF_GRPC).addFilter(_WhoLeft())
    for name in NOISY + (OF_A_FLEET if embedded and level == "INFO" else ()):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))
