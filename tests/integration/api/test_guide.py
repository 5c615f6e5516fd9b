"""docs/api.md does what it says: its snippets run against a whole platform, its terminal examples are there."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from ludolog.hosting import Platform, Settings
from services.local.service import services

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "api.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
METHODS = re.compile(r"127\.0\.0\.1:7400 ([\w.]+)/(\w+)")
PATIENCE_S = 60


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Platform]:
    settings = Settings(data=tmp_path / "data", gateway_port=0, web_port=0, bot_delay_ms=0, drain_s=0)
    async with await Platform.create(settings) as platform:
        for service in services():
            await platform.add(service)
        await asyncio.wait_for(platform.health.wait_serving(), PATIENCE_S)
        yield platform


async def test_the_snippets_run(platform: Platform, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"127.0.0.1:{platform.ports['gateway_port']}"
    guide = GUIDE.read_text().replace("127.0.0.1:7400", address).replace("match.jsonl", str(tmp_path / "match.jsonl"))
    snippets = PYTHON.findall(guide)
    assert len(snippets) >= 5
    names: dict[str, Any] = {}
    async with asyncio.timeout(PATIENCE_S):
        for snippet in snippets:
            code = compile(snippet, str(GUIDE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, names)  # noqa: S307 - our own page
            if inspect.isawaitable(result):
                await result
    assert names["update"].outcome.reason
    assert names["report"].holds, names["report"]
    assert (tmp_path / "match.jsonl").stat().st_size == names["size"] > 0
    assert "tempel_des_schreckens" in capsys.readouterr().out


async def test_the_terminal_examples_name_methods_that_reflection_shows(platform: Platform) -> None:
    wanted = set(METHODS.findall(GUIDE.read_text()))
    assert len(wanted) >= 5
    async with grpc.aio.insecure_channel(f"127.0.0.1:{platform.ports['gateway_port']}") as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub
        call = stub(channel).ServerReflectionInfo()
        for service, method in wanted:
            await call.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol=service))
            answer = await call.read()
            files = [
                FileDescriptorProto.FromString(data) for data in answer.file_descriptor_response.file_descriptor_proto
            ]
            found = {f"{file.package}.{one.name}": one for file in files for one in file.service}
            assert method in {one.name for one in found[service].method}
        call.cancel()
