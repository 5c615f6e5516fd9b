"""Log lines to stderr: JSON in a cluster, short lines for a person when embedded.

Secrets that slip in are struck out.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

SECRETS = re.compile(r"(Bearer\s+|://[^/\s:@]*:)[^\s@]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+")
NOISY = ("kafka", "aiosqlite", "grpc", "asyncio", "alembic")
OF_A_FLEET = ("ludolog.health", "ludolog.eventlog.tenure")
"""Who took what over, and what isn't ready yet: news among many instances, noise at a person's terminal."""


def struck(text: str) -> str:
    """The text without tokens and passwords in it."""
    return SECRETS.sub(lambda found: (found[1] or "") + "***", text)


class JsonLines(logging.Formatter):
    """One JSON object a line: time, severity, service, instance, logger, message, error."""

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
        }
        if record.exc_info:
            line["error"] = struck(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


class ShortLines(logging.Formatter):
    """Time, severity where it matters, message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with a traceback where there is one."""
        severity = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        line = f"{self.formatTime(record, '%H:%M:%S')} {severity}{record.getMessage()}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return struck(line)


def set_up(level: str, *, embedded: bool, service: str, instance: str) -> None:
    """Send the process's log lines to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ShortLines() if embedded else JsonLines(service, instance))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in NOISY + (OF_A_FLEET if embedded and level == "INFO" else ()):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))
