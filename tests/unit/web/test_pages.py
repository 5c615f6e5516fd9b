"""What the page is made of: static files, the rooms' drawings, headers."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from ludolog.rulebooks import catalogue
from services.web.service import PAGE

Client = TestClient[Any, Any]
FILES = sorted(path.name for path in PAGE.iterdir())


@pytest.mark.parametrize("path", ["/", "/healthz", "/page/app.js", "/nothing", "/api/PlayService/Nothing"])
async def test_every_answer_has_the_headers(client: Client, path: str) -> None:
    answer = await client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


async def test_the_page_and_its_files(client: Client) -> None:
    text = await (await client.get("/")).text()
    for path in re.findall(r'(?:src|href)="(/[^"]+)"', text):
        assert (await client.get(path)).status == 200, path
    assert "<script>" not in text


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
async def test_modules_import_what_is_there(client: Client, name: str) -> None:
    answer = await client.get(f"/page/{name}")
    assert answer.content_type in {"text/javascript", "application/javascript"}
    for other in re.findall(r'from "\./([a-z]+\.js)"', await answer.text()):
        assert other in FILES
    assert not re.search(r"https?://", await answer.text()), "nothing comes from elsewhere"


@pytest.mark.parametrize("name", catalogue.names())
async def test_a_rooms_drawing(client: Client, name: str) -> None:
    answer = await client.get(f"/rulebooks/{name}/board.js")
    assert (answer.status, answer.content_type) == (200, "text/javascript")
    ours = (resources.files(f"ludolog.rulebooks.{name}") / "board.js").read_text(encoding="utf-8")
    assert await answer.text() == ours


@pytest.mark.parametrize(
    "path",
    [
        "/rulebooks/nothing/board.js",
        "/rulebooks/tempel_des_schreckens/room.py",
        "/rulebooks/..%2F..%2Fkernel/board.js",
        "/page/..%2Fservice.py",
        "/page/",
    ],
)
async def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status in {403, 404}


async def test_it_is_alive(client: Client) -> None:
    assert await (await client.get("/healthz")).text() == "ok\n"
