"""How long a decision may take: the rulebook's default, a table's own time, or no clock at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.rulebooks import catalogue
from services.matchmaking import requests

NAME = "tempel_des_schreckens"


def opened(time: Duration | None) -> int:
    request = tables_pb2.CreateTableRequest(rulebook=f"rulebooks/{NAME}", seat_count=3, request_id="r")
    if time is not None:
        request.decision_time.CopyFrom(time)
    return requests.open_table(request, "ann").decision_time.ToMilliseconds()


@pytest.mark.parametrize("default_ms", [None, 90_000])
def test_the_rulebook_says_what_a_table_does_not(monkeypatch: pytest.MonkeyPatch, default_ms: int | None) -> None:
    rulebook = replace(catalogue.load(NAME), default_decision_ms=default_ms)
    monkeypatch.setattr(catalogue, "load", lambda _name: rulebook)
    assert opened(None) == (default_ms or 0)
    assert requests.formed_table(NAME, 3, b"").decision_time.ToMilliseconds() == (default_ms or 0)
    assert opened(Duration()) == 0, "a table may play without a clock"
    assert opened(Duration(seconds=604_800)) == 604_800_000
