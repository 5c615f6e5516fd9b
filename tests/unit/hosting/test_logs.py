"""Lines of the log: the trace that they were written in, and what is left out of them."""

from __future__ import annotations

import logging

from opentelemetry.sdk.trace import TracerProvider

from ludolog.hosting import logs
from ludolog.hosting.tracing import Tracing
from tests.infra.lines import Heard, Lines


def test_a_line_names_the_trace_that_it_was_written_in(lines: Lines) -> None:
    lines.at("INFO")
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    with Tracing(TracerProvider()).within(parent):
        logging.getLogger("ludolog.test").warning("inside", extra={"match": "m", "unknown": "not shown"})
    logging.getLogger("ludolog.test").warning("outside")
    inside, outside = lines.all()
    assert inside["trace"] == "a" * 32
    assert inside["match"] == "m"
    assert "unknown" not in inside
    assert "trace" not in outside


class ExecuteBatchError(Exception):
    """Named as gRPC's."""


def test_what_a_handler_raises_is_still_logged(lines: Lines, heard: Heard) -> None:
    lines.at("INFO")
    logger = logging.getLogger(logs.OF_GRPC)
    for error, words in ((ZeroDivisionError(), logs.SENDING_FAILED), (ExecuteBatchError(), "Unexpected")):
        try:
            raise error
        except Exception:
            logger.exception("%s [/a/B]", words)
    assert len(lines.all()) == len(heard.records) == 2
