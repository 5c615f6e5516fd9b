"""One small finished match for the tests of records."""

from __future__ import annotations

from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import commitment, receipt_bytes
from ludolog.kernel import Seat, random_command
from ludolog.record.file import Receipt, write_record
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import KEY_ID, Setting, Table, match_id_of
from ludolog.testkit.playing import Players, play

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC_KEY = KEY.public_key().public_bytes_raw()
NAME = min(catalogue.names(), key=lambda name: catalogue.load(name).longest_match)
"""The game that is over soonest."""


@cache
def finished(label: str = "record") -> Table:
    """A match of random players, played to the end."""
    rulebook = catalogue.load(NAME)
    seats = rulebook.seats[0]
    table = Table(rulebook, Setting(match_id_of(NAME, label), seats, rulebook.options_type(), bytes(range(32))))
    bots = {Seat(seat): random_command for seat in range(1, seats + 1)}
    play(table, Players.seeded(dict(bots), label))
    return table


def receipt_of(table: Table) -> Receipt:
    """The promise that was given before the match."""
    promised = commitment(table.seed)
    signature = KEY.sign(receipt_bytes(table.setting.match_id, promised, KEY_ID))
    return Receipt(table.setting.match_id, promised.hex(), KEY_ID, signature, PUBLIC_KEY.hex())


@cache
def file_of(label: str = "record", *, signed: bool = True) -> bytes:
    """The match as a record file, with receipt and signature or without."""
    table = finished(label)
    if not signed:
        return write_record(table.records, table.seed)
    return write_record(table.records, table.seed, receipt=receipt_of(table), key=KEY)


def forged(place: int, change: log_pb2.Commit) -> bytes:
    """The file of a forger who changes one commit and seals the file again, without the platform's key."""
    table = finished()
    records = list(table.records)
    record = log_pb2.Record(format_version=1, commit=change)
    records[place] = record.SerializeToString(deterministic=True)
    return write_record(records, table.seed)


def commit_at(place: int) -> log_pb2.Commit:
    """A copy of the commit at a place, from 0."""
    return log_pb2.Record.FromString(finished().records[place]).commit
