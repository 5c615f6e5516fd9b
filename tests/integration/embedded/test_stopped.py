"""How the embedded platform starts, refuses to start, and stops: what a person at the terminal sees."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.dev.process import LOCALHOST, free_ports
from ludolog.client import Client
from tests.infra.playing import match_of, new_table

SOON_S = 8.0
COMMAND = [sys.executable, "-m", "services.local"]


def environment(data: Path, gateway_port: int = 0, web_port: int = 0) -> dict[str, str]:
    """As a person's, with data and ports."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
    ports = {"LUDOLOG_GATEWAY_PORT": str(gateway_port), "LUDOLOG_WEB_PORT": str(web_port)}
    return {**ours, **ports, "LUDOLOG_DATA": str(data), "LUDOLOG_BOT_DELAY_MS": "10"}


def announced(program: subprocess.Popen[str]) -> str:
    """Wait for the announcement and return it."""
    assert program.stdout is not None
    said = ""
    while "stop " not in said:
        line = program.stdout.readline()
        assert line, "it ended before it served"
        said += line
    return said


def launched(settings: dict[str, str]) -> subprocess.Popen[str]:
    """Start the platform."""
    return subprocess.Popen(COMMAND, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def test_ctrl_c_in_mid_match_ends_it_in_order_and_the_match_goes_on(tmp_path: Path) -> None:
    settings = environment(tmp_path / "data", *free_ports(2))
    address = f"{LOCALHOST}:{settings['LUDOLOG_GATEWAY_PORT']}"
    with launched(settings) as program:
        try:
            assert f"--address {address}" in await asyncio.to_thread(announced, program)
            async with Client(address, timeout_s=30) as client:
                await client.sign_in_guest("Ann")
                match = await match_of(client, await new_table(client, 3, 2))
                async with client.play(match, 1) as seat:
                    first = await anext(aiter(seat))
                    begun = time.monotonic()
                    program.send_signal(signal.SIGINT)
                    _, errors = await asyncio.to_thread(program.communicate)
                    took = time.monotonic() - begun
                token = client.token
        finally:
            program.kill()
    assert program.returncode == 0, errors
    assert took < SOON_S
    assert errors.split(maxsplit=1)[1:] == ["stopping\n"], "a start and a stop in order say nothing else"
    with launched(settings) as program:
        try:
            await asyncio.to_thread(announced, program)
            async with Client(address, token=token, timeout_s=30) as client:
                assert (await client.view(match, 1)).sequence >= first.sequence
                await client.resign(match, 1)
        finally:
            program.kill()


@pytest.mark.parametrize("setting", ["LUDOLOG_GATEWAY_PORT", "LUDOLOG_WEB_PORT"])
def test_a_taken_port_is_one_line_and_code_2(tmp_path: Path, setting: str) -> None:
    with socket.create_server((LOCALHOST, 0)) as taken:
        port = taken.getsockname()[1]
        settings = environment(tmp_path / "data") | {setting: str(port)}
        done = subprocess.run(COMMAND, env=settings, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"{LOCALHOST}:{port}" in line
    assert setting in line
    assert done.stdout == ""


def test_a_folder_in_use_is_one_line(tmp_path: Path) -> None:
    settings = environment(tmp_path / "data")
    with launched(settings) as first:
        try:
            announced(first)
            second = subprocess.run(COMMAND, env=settings, capture_output=True, text=True, timeout=60, check=False)
        finally:
            first.kill()
    assert second.returncode == 1
    (line,) = second.stderr.splitlines()
    assert str(tmp_path / "data") in line
    assert str(first.pid) in line
