"""What this process logs: as a cluster writes it, and as gRPC says it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from ludolog.hosting import logs


class Lines:
    """The log as a cluster writes it."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        """Everything so far."""
        return self.stream.getvalue()

    def all(self) -> list[dict[str, Any]]:
        """Each line, parsed."""
        return [json.loads(line) for line in self.text.splitlines()]

    def at(self, level: str) -> None:
        """Write from now on what is at least so important."""
        logs.set_up(level, embedded=False, service="local", instance="local-1", stream=self.stream)


@pytest.fixture
def lines() -> Iterator[Lines]:
    """The process's log; what pytest had set up comes back afterwards."""
    root, noisy = logging.getLogger(), [logging.getLogger(name) for name in logs.NOISY]
    handlers, level, levels = root.handlers[:], root.level, [each.level for each in noisy]
    root.handlers.clear()
    yield Lines()
    root.handlers[:] = handlers
    root.setLevel(level)
    for each, before in zip(noisy, levels, strict=True):
        each.setLevel(before)


class Heard(logging.Filter):
    """Hears what grpc says before anything is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def filter(self, record: logging.LogRecord) -> bool:
        self.records.append(record)
        return True


@pytest.fixture
def heard() -> Iterator[Heard]:
    """First among the filters of grpc's logger."""
    logger, ear = logging.getLogger(logs.OF_GRPC), Heard()
    before = logger.filters[:]
    logger.filters[:] = [ear]
    yield ear
    logger.filters[:] = before
