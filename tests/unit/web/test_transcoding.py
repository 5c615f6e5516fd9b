"""The public API as JSON over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient

from ludolog.api.gateway.v1.replays_pb2 import GetFrameRequest
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting import NotFound, PermissionDenied, TooMuch, Unauthenticated, Unavailable
from ludolog.kernel import Refusal
from ludolog.kernel.refusal import BadInput
from services.web import transcoding
from services.web.bodies import parse
from services.web.methods import methods
from services.web.service import MAXIMUM_BODY, serving
from services.web.transcoding import Api
from tests.unit.web.conftest import Backend

Client = TestClient[Any, Any]
SUBMIT = "/api/PlayService/SubmitCommand"
WATCH = "/api/WatchService/Watch"
SOON_S = 5


async def error_of(client: Client, path: str = SUBMIT, **options: Any) -> tuple[int, dict[str, Any]]:
    """(HTTP status, what is said) of a call that fails."""
    answer = await client.post(path, **({"json": {}} | options))
    assert answer.content_type == "application/json"
    return answer.status, (await answer.json())["error"]


async def events(answer: Any, count: int) -> list[tuple[str, Any]]:
    """(kind, data) of the next server-sent events."""
    found: list[tuple[str, Any]] = []
    async with asyncio.timeout(SOON_S):
        while len(found) < count:
            block = (await answer.content.readuntil(b"\n\n")).decode()
            if not block.startswith(":"):
                kind, data = block.strip().split("\n")
                found.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_a_call(client: Client, backend: Backend) -> None:
    request = {"name": "matches/m/seats/1", "command_id": "c1"}
    answer = await client.post(SUBMIT, json=request, headers={"Authorization": "Bearer token"})
    assert answer.status == 200
    assert await answer.json() == {"match": "matches/m", "sequence": "7", "command_id": "c1"}
    assert [submitted.name for submitted in backend.submitted] == ["matches/m/seats/1"]
    assert backend.tokens == ["Bearer token"]


async def test_without_a_token_none_is_sent(client: Client, backend: Backend) -> None:
    await client.post(SUBMIT, json={})
    assert backend.tokens == [""]


@pytest.mark.parametrize(
    "path", ["/api/PlayService/Nothing", "/api/EngineService/CreateMatch", "/api/PlayerService/SignInHousePlayer"]
)
async def test_only_public_methods_are_there(client: Client, path: str) -> None:
    status, error = await error_of(client, path)
    assert (status, error["code"], error["reason"]) == (404, "NOT_FOUND", "NO_SUCH_METHOD")


def test_every_public_service_is_there() -> None:
    services = {name.partition("/")[0] for name in methods()}
    expected = {"PlayerService", "RulebookService", "TableService", "MatchService", "PlayService", "WatchService"}
    assert expected | {"ReplayService"} <= services


@pytest.mark.parametrize(
    "body", ["{", "[1]", "[]", "5", '"x"', "[" * 20_000, '{"name":' * 3000, '{"name": 1, "name": 2}', "\udcff"]
)
async def test_what_is_no_request_is_refused(client: Client, backend: Backend, body: str) -> None:
    status, error = await error_of(client, json=None, data=body.encode(errors="surrogateescape"))
    assert (status, error["code"], error["reason"]) == (400, "INVALID_ARGUMENT", "NOT_JSON")
    assert not backend.tokens


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"nothing": 1}', "nothing"),
        ('{"command_id": 5}', "command_id"),
        ('{"command_id": %s}' % ("9" * 4000), "command_id"),
        ('{"command": 5}', "command"),
        ('{"command": {"@type": 7}}', "request"),
        ('{"command": {"@type": "nope/x"}}', "command"),
        ('{"name": "\\ud800"}', "name"),
        ('{"command": {"@type": "type.googleapis.com/ludolog.match.v1.Update", "sequence": []}}', "command"),
    ],
)
async def test_a_field_that_cant_be_read_is_named(client: Client, backend: Backend, body: str, field: str) -> None:
    status, error = await error_of(client, json=None, data=body.encode())
    assert (status, error["code"], error["reason"]) == (400, "INVALID_ARGUMENT", "INVALID_FIELD")
    assert (error["field"], error["message"]) == (field, f"{field}: {error['problem']}")
    assert not re.search(r"object|attribute|Error|<class", error["problem"])
    assert not backend.tokens


def test_a_field_of_a_field_is_named_by_its_path() -> None:
    with pytest.raises(BadInput) as unknown:
        parse('{"perspective": {"nothing": 1}}', GetFrameRequest)
    with pytest.raises(BadInput) as wrong:
        parse('{"perspective": {"seat": []}}', GetFrameRequest)
    assert [error.value.field for error in (unknown, wrong)] == ["perspective.nothing", "perspective.seat"]


async def test_what_isnt_http_is_nobody_elses_business(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    runner = serving(api, 1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    answers = []
    for header in (b"Authorization: Bearer \0\r\n", b""):
        reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
        writer.write(b"POST /api/PlayService/Nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header + b"\r\n")
        answers.append(await asyncio.wait_for(reader.read(), SOON_S))
        writer.close()
    await runner.cleanup()
    assert [answer.split()[1] for answer in answers] == [b"400", b"404"]
    assert b"server:" not in answers[1].lower()
    assert not caplog.records


async def test_a_charset_that_there_isnt_is_refused(client: Client, backend: Backend) -> None:
    headers = {"Content-Type": "application/json; charset=nonsense"}
    status, error = await error_of(client, json=None, data=b"{}", headers=headers)
    assert (status, error["code"], error["reason"]) == (400, "INVALID_ARGUMENT", "NOT_JSON")
    assert not backend.tokens


async def test_a_body_has_a_limit(client: Client, backend: Backend) -> None:
    status, error = await error_of(client, json=None, data=b" " * (MAXIMUM_BODY + 1))
    assert (status, error["reason"]) == (413, "TOO_LARGE")
    assert not backend.tokens


async def test_a_token_that_cannot_be_one(client: Client, backend: Backend) -> None:
    status, error = await error_of(client, headers={"Authorization": "Bearer tökén"})
    assert (status, error["code"], error["reason"]) == (401, "UNAUTHENTICATED", "BAD_TOKEN")
    assert not backend.tokens


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Unauthenticated(), 401, "UNAUTHENTICATED"),
        (PermissionDenied("not yours"), 403, "PERMISSION_DENIED"),
        (NotFound("no such match"), 404, "NOT_FOUND"),
        (ValueError("a secret"), 500, "INTERNAL"),
    ],
)
async def test_errors_keep_their_code(
    client: Client, backend: Backend, error: Exception, status: int, code: str
) -> None:
    backend.error = error
    got, about = await error_of(client)
    assert (got, about["code"]) == (status, code)
    assert "a secret" not in about["message"]


async def test_a_refusal_names_rule_and_facts(client: Client, backend: Backend) -> None:
    backend.error = Refusal("NOT_KEY_PLAYER", "Opening chambers", key_player=3)
    status, error = await error_of(client)
    assert status == 409
    assert (error["reason"], error["section"]) == ("NOT_KEY_PLAYER", "Opening chambers")
    assert error["domain"] == "tempel_des_schreckens"
    assert error["facts"]["key_player"] == "3"


async def test_a_bad_field_is_named(client: Client, backend: Backend) -> None:
    backend.error = BadInput("open_chamber.slot", "must be 1 to 5")
    status, error = await error_of(client)
    assert (status, error["field"], error["problem"]) == (400, "open_chamber.slot", "must be 1 to 5")


async def test_when_to_come_back(client: Client, backend: Backend) -> None:
    backend.error = Unavailable("moving", retry_after_ms=250)
    status, error = await error_of(client)
    assert (status, error["retry_after_s"]) == (503, 0.25)


async def test_a_stream_from_first_to_end(client: Client, backend: Backend) -> None:
    for update in (match_pb2.Update(sequence=1), match_pb2.Update(sequence=2), None):
        backend.updates.put_nowait(update)
    answer = await client.post(WATCH, json={"name": "matches/m"})
    assert answer.content_type == "text/event-stream"
    assert await events(answer, 3) == [("message", {"sequence": "1"}), ("message", {"sequence": "2"}), ("end", {})]
    assert await answer.content.read() == b""


async def test_a_stream_that_fails_at_once_is_an_http_error(client: Client, backend: Backend) -> None:
    backend.error = NotFound("no such match")
    status, error = await error_of(client, WATCH)
    assert (status, error["code"]) == (404, "NOT_FOUND")


async def test_a_stream_that_fails_later_says_so(client: Client, backend: Backend) -> None:
    backend.updates.put_nowait(match_pb2.Update(sequence=1))
    answer = await client.post(WATCH, json={"name": "matches/m"})
    await events(answer, 1)
    backend.updates.put_nowait(TooMuch("TOO_SLOW", "read faster", retry_after_ms=0))
    [(kind, about)] = await events(answer, 1)
    assert (kind, about["code"], about["reason"]) == ("error", "RESOURCE_EXHAUSTED", "TOO_SLOW")


async def test_a_stream_with_nothing_to_say_is_open_and_kept_alive(
    client: Client, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcoding, "FIRST_S", 0.01)
    monkeypatch.setattr(transcoding, "KEEPALIVE_S", 0.01)
    async with asyncio.timeout(SOON_S):
        answer = await client.post(WATCH, json={"name": "matches/m"})
        assert answer.status == 200
        assert await answer.content.readuntil(b"\n\n") == b": still there\n\n"
    backend.updates.put_nowait(match_pb2.Update(sequence=1))
    assert await events(answer, 1) == [("message", {"sequence": "1"})]


async def test_who_leaves_ends_the_stream_behind(client: Client, backend: Backend) -> None:
    backend.updates.put_nowait(match_pb2.Update(sequence=1))
    answer = await client.post(WATCH, json={"name": "matches/m"})
    await events(answer, 1)
    answer.close()
    async with asyncio.timeout(SOON_S):
        await backend.left.wait()


async def test_closing_ends_open_streams(client: Client, api: Api, backend: Backend) -> None:
    backend.updates.put_nowait(match_pb2.Update(sequence=1))
    answer = await client.post(WATCH, json={"name": "matches/m"})
    await events(answer, 1)
    async with asyncio.timeout(SOON_S):
        await api.close()
        await backend.left.wait()
