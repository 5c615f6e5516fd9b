"""Same causes and blocks, same bytes; decided events and stored ones fold to the same state."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import msgspec
import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance, block
from ludolog.kernel import Cause, Commanded, Events, Resigned, Seat, TimedOut, fold, judge, open_match, parse
from ludolog.record.match import apply_commit, block_request
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Table
from tests.contract.matches import CASES, Case, Moment, Walk, walks

HEADS = """
from tests.contract.matches import CASES, walks
for case in CASES:
    if case.name == {name!r}:
        print(case, [walk.table.head.hash.hex() for walk in walks(case)[:1]])
"""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_causes_and_blocks_give_the_same_bytes(case: Case) -> None:
    for walk in walks(case):
        again = Table(case.rulebook, walk.table.setting)
        for moment in walk.moments[1:]:
            again.commit(moment.cause, moment.commit.cause.actor, moment.commit.cause.command_id)
        assert again.records == walk.table.records


@pytest.mark.parametrize("case", CASES, ids=str)
def test_decided_events_and_stored_events_fold_to_the_same_state(case: Case) -> None:
    rulebook = case.rulebook
    for walk in walks(case):
        for moment in walk.moments:
            events = decided(case, walk, moment)
            assert fold(rulebook, moment.before.game, events) == moment.after.game
            assert tuple(map(rulebook.events.encode, events)) == tuple(moment.commit.events)
            assert apply_commit(rulebook, moment.before, moment.commit) == moment.after


def decided(case: Case, walk: Walk, moment: Moment) -> Events:
    """The payloads that the rules give, before they are bytes."""
    rulebook, cause = case.rulebook, moment.cause
    wanted = block_request(moment.before, cause)
    setting = walk.table.setting
    chance = BlockChance(block(setting.seed, setting.match_id, wanted.index, wanted.entropy_digest))
    match cause.WhichOneof("kind"):
        case "create":
            return open_match(rulebook, parse(rulebook.options_type, cause.create.options, "o"), case.seats, chance)
        case "command":
            payload = rulebook.commands.decode_command(cause.command.command)
            asked: Cause = Commanded(Seat(cause.command.seat), payload, cause.command.decision_id)
        case "timed_out":
            asked = TimedOut(cause.timed_out.decision_id, Seat(cause.timed_out.seat))
        case _:
            asked = Resigned(Seat(cause.resigned.seat))
    return judge(rulebook, moment.before.game, asked, case.seats, chance)


@pytest.mark.parametrize("name", catalogue.names())
def test_hash_order_plays_no_part(name: str) -> None:
    """Python gives texts another hash in each process: what came out here must come out there."""
    here = [f"{case} {[walks(case)[0].table.head.hash.hex()]}" for case in CASES if case.name == name]
    there = subprocess.run(
        [sys.executable, "-c", HEADS.format(name=name)],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert there.stdout.splitlines() == here


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_snapshot_is_the_state(case: Case) -> None:
    for walk in walks(case):
        for moment in walk.moments:
            data = msgspec.msgpack.encode(moment.after.game)
            assert msgspec.msgpack.decode(data, type=case.rulebook.state_type) == moment.after.game


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_position_is_the_state(case: Case) -> None:
    rulebook = case.rulebook
    for walk in walks(case):
        for moment in walk.moments:
            position = rulebook.position(moment.after.game)
            options = walk.table.setting.options
            assert rulebook.from_position(position, case.seats, options) == moment.after.game


def test_the_walks_differ() -> None:
    """A suite over one match many times would prove little."""
    heads = {hashlib.sha256(walk.table.head.hash).digest() for case in CASES for walk in walks(case)}
    assert len(heads) == sum(len(walks(case)) for case in CASES)
    assert all(isinstance(moment.commit, log_pb2.Commit) for moment in walks(CASES[0])[0].moments)
