"""The embedded platform is killed in mid-match and goes on where it was."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.dev.embedded import Embedded
from deploy.dev.process import wait_until
from ludolog.cli import main as ludolog
from ludolog.client import Client
from ludolog.client.errors import Refused
from ludolog.eventlog.sqlite import SqliteLog
from tests.infra.playing import assert_log_keeps, match_of, new_table, play

ARCHIVED_TRIES = 100


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "platform") as platform:
        yield platform


async def exported(client: Client, match: str, path: Path) -> None:
    """Export the record, once the seed is revealed."""
    for tries in range(ARCHIVED_TRIES):
        try:
            await client.replays.export(match, path)
        except Refused:
            assert tries + 1 < ARCHIVED_TRIES
            await asyncio.sleep(0.1)
        else:
            return


async def test_a_killed_platform_goes_on_where_it_was(embedded: Embedded, tmp_path: Path) -> None:
    record = tmp_path / "match.ludolog"
    async with Client(embedded.address, timeout_s=60) as client:
        await client.sign_in_guest("Ann")
        match = await match_of(client, await new_table(client, 4, 3))

        async def kill(moves: int) -> None:
            if moves == 2:
                await asyncio.to_thread(embedded.restart)

        journal = await play(client, match, 1, kill)
        await exported(client, match, record)
    embedded.stop()
    log = SqliteLog(embedded.data)
    try:
        await assert_log_keeps(log, match, {1: journal})
    finally:
        await log.close()
    assert ludolog(["verify", str(record)]) == 0


async def test_it_stops_in_order_and_starts_again(embedded: Embedded) -> None:
    async with Client(embedded.address, timeout_s=60) as client:
        await client.sign_in_guest("Ann")
        table = await new_table(client, 3, 0)
        embedded.stop()
        embedded.start()
        assert (await client.tables.get(table)).seats[0].display_name == "Ann"


def test_a_person_plays_in_the_terminal(embedded: Embedded, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ludolog.cli", "play", "tempel_des_schreckens"]
    settings = embedded.environment() | {"XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "100"}
    with subprocess.Popen(
        [*command, "--bots", "3", "--address", embedded.address],
        env=settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        try:
            # The first number is a move whenever it is our turn.
            def answered() -> bool:
                if program.poll() is None and program.stdin is not None:
                    program.stdin.write(b"1\n")
                    program.stdin.flush()
                return program.poll() is not None

            wait_until(answered, timeout_s=60, poll_s=0.3)
        finally:
            program.kill()
        said = program.stdout.read().decode()
    assert program.returncode == 0, said[-2000:]
    assert "You have" in said
    assert "Traceback" not in said


def test_nobody_answers(tmp_path: Path) -> None:
    program = subprocess.run(
        [sys.executable, "-m", "ludolog.cli", "watch", "--address", "127.0.0.1:9"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert program.returncode == 3
    assert "127.0.0.1:9 doesn't answer" in program.stderr
    assert "Traceback" not in program.stderr


async def test_a_queue_fills_up_with_house_players(tmp_path: Path) -> None:
    with Embedded(tmp_path / "platform", {"LUDOLOG_QUEUE_FILL_S": "0.2"}) as platform:
        async with Client(platform.address) as client:
            await client.sign_in_guest("Ann")
            ticket = await client.tables.queue("tempel_des_schreckens", 3)
            while not ticket.table:
                await asyncio.sleep(0.1)
                ticket = await client.tables.ticket(ticket.name)
            table = await client.tables.until_playing(ticket.table)
            seat = next(one.seat for one in table.seats if client.player and one.player == client.player.name)
            assert (await play(client, table.match, seat)).ended
