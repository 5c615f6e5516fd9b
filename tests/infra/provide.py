"""Start a server for tests, or say why it isn't there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

import pytest

from deploy.dev.process import Missing, Server
from tests.infra.containers import docker_answers, instead_of

S = TypeVar("S", bound=Server)

# What a skip for want of a server begins with; the closing paragraph of a test run finds them by it.
NOT_HERE = "not here: "


@contextmanager
def provided(local: S) -> Iterator[S]:
    """The server running, as a local process or else in a container, for the time of the context.

    Where neither can be had the test is skipped; with LUDOLOG_REQUIRE_INFRA=1 it fails.
    """
    server = local
    try:
        server.start()
    except Missing as missing:
        if not docker_answers():
            not_here(local.name, missing)
        server = instead_of(local)
        server.start()
    try:
        yield server
    finally:
        server.stop()


def not_here(name: str, why: Exception) -> NoReturn:
    """Skip the test, or fail it where servers are required."""
    if os.environ.get("LUDOLOG_REQUIRE_INFRA") == "1":
        pytest.fail(f"{name} is required (LUDOLOG_REQUIRE_INFRA=1), but {why}", pytrace=False)
    pytest.skip(f"{NOT_HERE}{name}: {why}")
