"""Verification: whatever a forger changes, even one who seals the file again, is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import commitment
from ludolog.kernel import Seat, random_command
from ludolog.record.commits import Head, Proposal, commit_record, next_head, parse_record
from ludolog.record.file import write_record
from ludolog.record.verify import Verdict, verify
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Table
from ludolog.testkit.playing import Players, play
from tests.unit.record.matches import (
    KEY,
    NAME,
    PUBLIC_KEY,
    commit_at,
    file_of,
    finished,
    forged,
    receipt_of,
)

LAST = len(finished().records) - 1


def test_a_record_holds() -> None:
    report = verify(file_of(), receipt=receipt_of(finished()), public_keys=[PUBLIC_KEY])
    assert report.holds, report
    assert report.broken_sequence == 0
    assert report.match_id == finished().setting.match_id
    assert [check.name for check in report.checks] == [
        "file",
        "chain",
        "signature",
        "founding",
        "commitment",
        "replay",
    ]


def test_an_unsigned_record_holds_unless_a_key_is_known() -> None:
    assert verify(file_of(signed=False)).holds
    assert not verify(file_of(signed=False), public_keys=[PUBLIC_KEY]).holds


def change_time(commit: log_pb2.Commit) -> None:
    commit.commit_time.seconds += 1


def change_takeover(commit: log_pb2.Commit) -> None:
    commit.takeover_offset += 1


def change_trace(commit: log_pb2.Commit) -> None:
    commit.traceparent = "00-0"


def change_cause(commit: log_pb2.Commit) -> None:
    commit.cause.command_id += "x"


def drop_events(commit: log_pb2.Commit) -> None:
    del commit.events[:]


@pytest.mark.parametrize("change", [change_time, change_takeover, change_trace, change_cause, drop_events])
@pytest.mark.parametrize("place", [0, 1, 5, LAST - 1])
def test_a_changed_commit_is_named_even_in_a_sealed_file(place: int, change: Callable[[log_pb2.Commit], None]) -> None:
    commit = commit_at(place)
    change(commit)
    report = verify(forged(place, commit))
    assert not report.holds
    assert report.broken_sequence == place + 1, report


def test_a_changed_last_commit_is_found_by_signature_or_replay() -> None:
    """Nothing is chained to the last commit: its informative parts are covered by the signed head alone."""
    commit = commit_at(LAST)
    drop_events(commit)
    assert verify(forged(LAST, commit)).broken_sequence == LAST + 1
    commit = commit_at(LAST)
    change_time(commit)
    assert not verify(forged(LAST, commit), public_keys=[PUBLIC_KEY]).holds


def resealed(**changes: Any) -> bytes:
    """The whole match written again by somebody who has everything but the platform's key: `changes` by sequence."""
    table, head, records = finished(), Head(), []
    for place, _ in enumerate(table.records):
        commit = commit_at(place)
        changes.get(f"c{place + 1}", lambda _: None)(commit)
        draws = tuple((d.purpose, d.size, tuple(d.values)) for d in commit.draws)
        proposal = Proposal(
            events=tuple(commit.events),
            draw_index=commit.draw_index,
            rules_version=commit.rules_version,
            content_digest=commit.content_digest,
            ending=commit.ending if commit.HasField("ending") else None,
        )
        record = log_pb2.Record.FromString(
            commit_record(
                takeover_offset=commit.takeover_offset,
                stream_id=commit.stream_id,
                head=head,
                cause=commit.cause,
                proposal=proposal,
                time_ms=commit.commit_time.ToMilliseconds(),
            )
        )
        record.commit.draws.extend(log_pb2.Draw(purpose=p, size=s, values=v) for p, s, v in draws)
        data = record.SerializeToString(deterministic=True)
        head = next_head(data, parse_record(data).commit)
        records.append(data)
    return write_record(records, table.seed)


def test_resealing_without_a_change_holds() -> None:
    assert verify(resealed()).holds


def another_draw(commit: log_pb2.Commit) -> None:
    draw = commit.draws[0]
    values = list(draw.values)
    del draw.values[:]
    draw.values.extend(values[::-1])


def another_block(commit: log_pb2.Commit) -> None:
    commit.draw_index += 1


def another_seat(commit: log_pb2.Commit) -> None:
    cause = log_pb2.MatchCause.FromString(commit.cause.body)
    cause.command.seat = cause.command.seat % 3 + 1
    commit.cause.body = cause.SerializeToString(deterministic=True)


def somebody_else(commit: log_pb2.Commit) -> None:
    commit.cause.actor = "engine"


def garbage(commit: log_pb2.Commit) -> None:
    commit.cause.body = b"\xff\xff"


def another_ending(commit: log_pb2.Commit) -> None:
    commit.ending.outcome.results[0].winner = not commit.ending.outcome.results[0].winner


def no_ending(commit: log_pb2.Commit) -> None:
    commit.ClearField("ending")


def other_entropy(commit: log_pb2.Commit) -> None:
    cause = log_pb2.MatchCause.FromString(commit.cause.body)
    cause.create.seats[0].entropy = b"another contribution"
    commit.cause.body = cause.SerializeToString(deterministic=True)


def twice(commit: log_pb2.Commit) -> None:
    commit.cause.command_id, commit.cause.actor = commit_at(1).cause.command_id, commit_at(1).cause.actor


@pytest.mark.parametrize(
    ("sequence", "change"),
    [
        (1, another_draw),
        (1, another_block),
        (1, other_entropy),
        (2, another_seat),
        (3, somebody_else),
        (4, garbage),
        (4, drop_events),
        (LAST + 1, another_ending),
        (LAST + 1, no_ending),
    ],
)
def test_a_match_that_is_written_again_is_found_by_replay(
    sequence: int, change: Callable[[log_pb2.Commit], None]
) -> None:
    report = verify(resealed(**{f"c{sequence}": change}))
    assert not report.holds
    assert report.checks[-1].name == "replay", report
    assert report.broken_sequence == sequence, report


def test_a_command_that_was_done_twice_is_found() -> None:
    """The second commit of the same seat under the same command id."""
    actor = commit_at(1).cause.actor
    later = next(place for place in range(2, LAST) if commit_at(place).cause.actor == actor)
    assert verify(resealed(**{f"c{later + 1}": twice})).broken_sequence == later + 1


def test_another_seed_breaks_the_promise() -> None:
    table = finished()
    report = verify(write_record(table.records, bytes(32)))
    assert (report.checks[-1].name, report.checks[-1].verdict) == ("commitment", Verdict.BROKEN)


def test_another_commitment_or_receipt_than_was_kept_is_found() -> None:
    table = finished()
    assert verify(file_of(), commitment=commitment(table.seed)).holds
    assert not verify(file_of(), commitment=bytes(32)).holds
    receipt = receipt_of(table)
    another = Ed25519PrivateKey.generate()
    for wrong in (
        receipt.__class__(receipt.match_id + "x", receipt.commitment, receipt.key_id, b"", receipt.public_key),
        receipt.__class__(receipt.match_id, "00" * 32, receipt.key_id, receipt.signature, receipt.public_key),
        receipt.__class__(receipt.match_id, receipt.commitment, "k", receipt.signature, receipt.public_key),
        receipt.__class__(receipt.match_id, receipt.commitment, receipt.key_id, bytes(64), receipt.public_key),
        receipt.__class__(receipt.match_id, receipt.commitment, receipt.key_id, receipt.signature, "not hex"),
    ):
        assert not verify(file_of(), receipt=wrong).holds
    assert not verify(file_of(), public_keys=[another.public_key().public_bytes_raw()]).holds


def test_receipt_and_head_may_be_signed_with_different_keys_of_the_platform() -> None:
    """The key was changed between the promise and the end: each signature is checked, with the keys that are given."""
    table, older = finished(), Ed25519PrivateKey.generate()
    old_key = older.public_key().public_bytes_raw()
    now = receipt_of(table)
    kept = msgspec.structs.replace(now, signature=older.sign(now.signed_bytes()), public_key=old_key.hex())
    report = verify(file_of(), receipt=kept, public_keys=[PUBLIC_KEY, old_key])
    assert report.holds
    assert old_key.hex()[:16] in next(check.detail for check in report.checks if check.name == "commitment")
    for keys, broken in (([PUBLIC_KEY], "commitment"), ([old_key], "signature")):
        (check,) = [
            one for one in verify(file_of(), receipt=kept, public_keys=keys).checks if one.verdict is Verdict.BROKEN
        ]
        assert check.name == broken


def test_a_head_signed_for_another_match_is_found() -> None:
    table = finished()
    lines = file_of().splitlines(keepends=True)
    other = write_record(finished("other").records, finished("other").seed, key=KEY).splitlines(keepends=True)
    assert table.setting.match_id not in other[0].decode()
    assert not verify(b"".join([*lines[:-1], other[-1]])).holds


def test_a_match_that_isnt_over_doesnt_hold() -> None:
    table = finished()
    report = verify(write_record(table.records[:-1], table.seed))
    assert (report.holds, report.broken_sequence) == (False, LAST)


def test_other_rules_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    build = catalogue.build
    monkeypatch.setattr(catalogue, "build", lambda name, data: replace(build(name, data), rules_version="0"))
    report = verify(file_of())
    assert (report.holds, report.checks[-1].verdict) == (False, Verdict.CANNOT_CHECK)
    assert report.broken_sequence == 0


def test_the_rooms_own_content_serves_where_other_is_given() -> None:
    other = {name: data + b"\n# another edition\n" for name, data in catalogue.read_content(NAME).items()}
    assert verify(file_of(), content=lambda _: other).holds


def test_overridden_content_travels_in_the_record() -> None:
    """A match played with other files verifies where only the printed ones are."""
    files = catalogue.read_content(NAME)
    first = next(iter(files))
    other = {**files, first: files[first] + b"\n"}
    rulebook = catalogue.build(NAME, other)
    table = Table(rulebook, replace(finished().setting))
    bots = {Seat(seat): random_command for seat in range(1, table.setting.seats + 1)}
    play(table, Players.seeded(dict(bots), "content"))
    assert verify(write_record(table.records, table.seed, content={first: other[first]})).holds
    assert verify(write_record(table.records, table.seed)).checks[-1].verdict is Verdict.CANNOT_CHECK
