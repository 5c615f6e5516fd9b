"""The checker of `make chaos` objects to every kind of violation, and to nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos.checker import Committed, Evidence, check
from tests.chaos.history import SPECTATOR, Answer, Command, History, Journal, Seen

MATCH = "matches/tempel-1"
SEAT = "seats/1"
LAST = 4


def commit(sequence: int, command_id: str = "", *, ends: bool = False) -> Committed:
    """Number `sequence` of an unbroken chain."""
    previous = bytes([sequence - 1]) if sequence > 1 else b""
    return Committed(sequence, SEAT, command_id or f"c{sequence}", bytes([sequence]), previous, sequence * 1000, ends)


def seen(sequence: int, *, ends: bool = False, snapshot: bool = False) -> Seen:
    """Number `sequence` as everybody saw it."""
    return Seen(sequence, bytes([sequence]), sequence * 1000, float(sequence), snapshot, ends)


class World:
    """A match of four commits: one player, one spectator, and all is well."""

    def __init__(self) -> None:
        self.log = [commit(1), commit(2), commit(3), commit(LAST, ends=True)]
        self.player = Journal(MATCH, SEAT, {"c2": Command(1.5, [Answer(2.0, 2)]), "c3": Command(2.5, [Answer(3.0, 3)])})
        self.player.stretches = [[seen(1), seen(2), seen(3), seen(LAST, ends=True)]]
        self.watcher = Journal(MATCH, SPECTATOR, stretches=[[seen(1), seen(2)], [seen(3), seen(LAST, ends=True)]])
        self.history = History([self.player, self.watcher], promised=[MATCH])
        self.evidence = Evidence(
            {MATCH: self.log}, {}, {MATCH: [(c.sequence, c.digest) for c in self.log]}, {MATCH: ""}
        )

    def found(self) -> set[str]:
        """The rules that are violated."""
        return {violation.rule for violation in check(self.history, self.evidence)}

    def relog(self, *commits: Committed) -> None:
        """Another log, with an archive that equals it."""
        self.evidence.log = {MATCH: commits}
        self.evidence.archive = {MATCH: [(c.sequence, c.digest) for c in commits]}


@pytest.fixture
def world() -> World:
    return World()


def test_all_is_well(world: World) -> None:
    assert not world.found()


def test_an_acknowledged_command_that_the_log_lacks_is_lost(world: World) -> None:
    world.player.commands["c9"] = Command(2.0, [Answer(2.5, 3)])
    assert world.found() == {"lost"}


def test_a_receipt_with_another_number_than_the_logs(world: World) -> None:
    world.player.commands["c3"].answers.append(Answer(3.5, 2))
    assert world.found() == {"moved"}


def test_a_command_that_counts_twice_is_doubled(world: World) -> None:
    world.relog(commit(1), commit(2), replace(commit(3), command_id="c2"), commit(LAST, ends=True))
    del world.player.commands["c3"]
    assert "doubled" in world.found()


def test_a_command_twice_in_the_lobbys_log_is_doubled_too(world: World) -> None:
    world.evidence.lobby = {"tables/1": [commit(1, "join"), commit(2, "join")]}
    assert world.found() == {"doubled"}


def test_a_refused_command_that_is_in_the_log(world: World) -> None:
    world.player.commands["c2"].answers = [Answer(2.0, refused="STALE_DECISION")]
    assert world.found() == {"refused-applied"}


def test_a_legal_command_that_is_refused_though_nobody_was_quicker(world: World) -> None:
    world.player.commands["c9"] = Command(2.0, [Answer(2.5, refused="NOT_KEY_PLAYER")])
    assert world.found() == {"refused"}


def test_who_was_overtaken_may_be_refused(world: World) -> None:
    world.player.commands["c9"] = Command(2.0, [Answer(2.5, refused="STALE_DECISION")])
    assert not world.found()


def test_a_command_that_nobody_answers(world: World) -> None:
    world.player.commands["c9"] = Command(2.0)
    assert world.found() == {"unanswered"}


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_an_update_that_is_missing_is_a_gap(world: World, missing: int) -> None:
    for stretch in world.watcher.stretches:
        stretch[:] = [one for one in stretch if one.sequence != missing]
    assert world.found() == {"gap"}


def test_a_snapshot_may_stand_for_what_was_missed(world: World) -> None:
    world.watcher.stretches = [[seen(1)], [seen(3, snapshot=True), seen(LAST, ends=True)]]
    assert not world.found()


def test_a_snapshot_of_earlier_goes_backwards(world: World) -> None:
    world.watcher.stretches[1].insert(0, seen(1, snapshot=True))
    assert world.found() == {"backwards"}


def test_an_update_that_comes_twice(world: World) -> None:
    world.watcher.stretches[1].insert(0, seen(2))
    assert world.found() == {"repeat"}


def test_the_last_update_must_come(world: World) -> None:
    world.watcher.stretches[1].pop()
    assert world.found() == {"unfinished"}


def test_an_update_that_isnt_what_the_log_has(world: World) -> None:
    world.watcher.stretches[1][0] = replace(seen(3), commit_ms=3001)
    assert world.found() == {"void-shown"}


def test_two_spectators_who_are_shown_different_things(world: World) -> None:
    other = Journal(
        MATCH, SPECTATOR, stretches=[[seen(1), replace(seen(2), content=b"x"), *world.watcher.stretches[1]]]
    )
    world.history.journals.append(other)
    assert world.found() == {"disagree"}


def test_seats_may_be_shown_what_spectators_arent(world: World) -> None:
    world.player.stretches[0][1] = replace(seen(2), content=b"my hand")
    assert not world.found()


def test_who_is_cut_off(world: World) -> None:
    world.watcher.failed = "NotFound"
    world.watcher.stretches.pop()
    assert world.found() == {"cut-off"}


def test_an_answer_that_no_client_should_get(world: World) -> None:
    world.history.troubles.append("crew 1: NotFound")
    assert world.found() == {"trouble"}


def test_a_match_that_was_promised_and_isnt_there(world: World) -> None:
    world.history.promised.append("matches/tempel-2")
    assert world.found() == {"lost-match"}


def test_a_gap_in_the_log(world: World) -> None:
    world.relog(commit(1), commit(2), commit(LAST, ends=True))
    assert "log-gap" in world.found()


def test_a_commit_that_doesnt_continue_the_one_before(world: World) -> None:
    world.relog(commit(1), commit(2), replace(commit(3), previous=b"?"), commit(LAST, ends=True))
    assert world.found() == {"log-chain"}


def test_a_commit_after_the_end(world: World) -> None:
    world.relog(commit(1), commit(2), commit(3, ends=True), commit(LAST, ends=True))
    assert "after-end" in world.found()


def test_a_match_that_nobody_ended(world: World) -> None:
    world.relog(*world.log[:-1], commit(LAST))
    assert world.found() == {"unended"}


@pytest.mark.parametrize("kept", [[], [(1, b"\1"), (2, b"\2"), (3, b"\3")], [(1, b"\1"), (2, b"?")]])
def test_an_archive_that_isnt_the_log(world: World, kept: list[tuple[int, bytes]]) -> None:
    world.evidence.archive = {MATCH: kept}
    assert world.found() == {"archive"}


def test_an_archive_of_a_match_that_the_log_hasnt(world: World) -> None:
    world.evidence.archive = {**world.evidence.archive, "matches/tempel-2": [(1, b"\1")]}
    assert world.found() == {"archive"}


def test_a_record_that_doesnt_hold_or_was_never_exported(world: World) -> None:
    world.evidence.records = {MATCH: "chain: broken"}
    assert world.found() == {"record"}
    world.evidence.records = {}
    assert world.found() == {"record"}
