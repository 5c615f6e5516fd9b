"""From requests to commands. Pure; BadInput names the field that can't be, a Refusal the rulebook's rule."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.hosting import Caller, names
from ludolog.kernel import BadInput, Rulebook, check, open_match
from ludolog.kernel.codec import parse
from ludolog.record.match import ENTROPY_BYTES
from ludolog.rulebooks import catalogue
from services.matchmaking.lobby import Key

LONGEST_DECISION_S = 30 * 24 * 3600
LARGEST_OPTIONS = 16 * 1024
NANOS = 1_000_000_000
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without those that people mistake for each other."""
CODE_GROUPS, CODE_GROUP = 2, 5
"""31 letters, ten of them: 49 bits."""
PAGE, LARGEST_PAGE = 50, 100
RANDOM_ID = 26


def check_request(request: Message) -> None:
    """Refuse what a request can't be: unknown fields, unknown enum values, required fields that are missing."""
    try:
        check(request, "request")
    except BadInput as bad:
        raise BadInput(bad.field.removeprefix("request."), bad.problem) from None


def derived_id(secret: bytes, kind: str, player_id: str, request_id: str, letters: int = RANDOM_ID) -> str:
    """Random part of an id: the same for the same player's request, and not to be guessed by anybody else."""
    parts = f"{kind}\0{player_id}\0{request_id}".encode()
    digest = hmac.digest(secret, parts, hashlib.sha256)
    return base64.b32encode(digest).decode().lower()[:letters]


def short_of(rulebook: str) -> str:
    """What ids of a rulebook's tables, tickets and matches start with."""
    return catalogue.CATALOGUE[rulebook]


def new_table_id(rulebook: str) -> str:
    """Id of a table that a queue will form."""
    return names.new_id(short_of(rulebook))


def invite_code() -> str:
    """A new invite code, for example "K7QMW-2XPDA"."""
    groups = ("".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_GROUP)) for _ in range(CODE_GROUPS))
    return "-".join(groups)


def known_rulebook(name: str) -> Rulebook[Any]:
    """The rulebook of "rulebooks/{rulebook}". UnknownRulebook."""
    return catalogue.load(names.rulebook_of(name, "rulebook"))


def open_table(request: tables_pb2.CreateTableRequest, host_id: str) -> pb.OpenTable:
    """What CreateTable asks for, but for the commitment and the invite code. Refuses what the rulebook does."""
    check_request(request)
    rulebook = known_rulebook(request.rulebook)
    _check_seats(rulebook, request.seat_count)
    options = _options(rulebook, request)
    # The set-up is played once with throwaway draws: what it refuses now, it needn't refuse to a full table.
    _ = open_match(rulebook, options, request.seat_count, BlockChance(secrets.token_bytes(32)))
    command = pb.OpenTable(
        host_id=host_id,
        rulebook=rulebook.name,
        options=options.SerializeToString(deterministic=True),
        seat_count=request.seat_count,
        visibility=request.visibility or tables_pb2.TABLE_VISIBILITY_PUBLIC,
        spectators_forbidden=request.spectators_forbidden,
    )
    given = request.decision_time if request.HasField("decision_time") else None
    command.decision_time.CopyFrom(_decision_time(rulebook, given))
    return command


def formed_table(rulebook_name: str, seat_count: int, commitment: bytes) -> pb.OpenTable:
    """The table that a queue forms: the rulebook's defaults, and no host."""
    rulebook = catalogue.load(rulebook_name)
    command = pb.OpenTable(
        rulebook=rulebook.name,
        options=rulebook.options_type().SerializeToString(deterministic=True),
        seat_count=seat_count,
        visibility=tables_pb2.TABLE_VISIBILITY_PUBLIC,
        commitment=tables_pb2.CommitmentReceipt.FromString(commitment),
    )
    command.decision_time.CopyFrom(_decision_time(rulebook, None))
    return command


def _check_seats(rulebook: Rulebook[Any], seat_count: int) -> None:
    if seat_count not in rulebook.seats:
        raise BadInput("seat_count", f"must be {rulebook.seats[0]} to {rulebook.seats[-1]}")


def _options(rulebook: Rulebook[Any], request: tables_pb2.CreateTableRequest) -> Message:
    if not request.HasField("options"):
        return rulebook.options_type()
    expected = rulebook.options_type.DESCRIPTOR.full_name
    if request.options.TypeName() != expected:
        raise BadInput("options", f"must be a {expected}")
    if len(request.options.value) > LARGEST_OPTIONS:
        raise BadInput("options", f"must be at most {LARGEST_OPTIONS} bytes")
    return parse(rulebook.options_type, request.options.value, "options")


def _decision_time(rulebook: Rulebook[Any], given: Duration | None) -> Duration:
    time = Duration()
    if given is None:
        time.FromMilliseconds(rulebook.default_decision_ms or 0)
        return time
    if not 0 <= given.seconds <= LONGEST_DECISION_S or not 0 <= given.nanos < NANOS:
        raise BadInput("decision_time", "must be 0 (no clock) to 30 days")
    time.FromMilliseconds(given.ToMilliseconds())
    if time.seconds >= LONGEST_DECISION_S and (time.seconds > LONGEST_DECISION_S or time.nanos):
        raise BadInput("decision_time", "must be 0 (no clock) to 30 days")
    return time


def take_seat(request: tables_pb2.JoinTableRequest, caller: Caller) -> pb.TakeSeat:
    """What JoinTable asks for."""
    check_request(request)
    _check_entropy(request.entropy)
    return pb.TakeSeat(
        player_id=caller.player_id,
        seat=request.seat,
        entropy=request.entropy,
        house_player="house" in caller.roles,
        invite_code=request.invite_code,
    )


def want_bots(request: tables_pb2.AddBotsRequest, player_id: str) -> pb.WantBots:
    """What AddBots asks for."""
    check_request(request)
    kinds = tuple(catalogue.load(names.rulebook_of_match(names.table_of(request.name))).bots)
    if request.bot_kind and request.bot_kind not in kinds:
        raise BadInput("bot_kind", f"must be one of {', '.join(kinds)}")
    if request.count < 1:
        raise BadInput("count", "must be at least 1")
    return pb.WantBots(player_id=player_id, count=request.count, bot_kind=request.bot_kind)


def enqueue(request: tables_pb2.CreateTicketRequest, player_id: str, secret: bytes) -> tuple[str, pb.Enqueue]:
    """What CreateTicket asks for: (rulebook, command)."""
    check_request(request)
    rulebook = known_rulebook(request.rulebook)
    _check_seats(rulebook, request.seat_count)
    _check_entropy(request.entropy)
    request_id = names.command_id(request.request_id, "request_id")
    letters = derived_id(secret, "ticket", player_id, f"{rulebook.name}\0{request_id}", RANDOM_ID - 1)
    ticket_id = f"{short_of(rulebook.name)}-t{letters}"
    command = pb.Enqueue(
        ticket_id=ticket_id, player_id=player_id, seat_count=request.seat_count, entropy=request.entropy
    )
    return rulebook.name, command


def _check_entropy(entropy: bytes) -> None:
    if len(entropy) not in ENTROPY_BYTES:
        raise BadInput("entropy", f"must be {ENTROPY_BYTES[0]} to {ENTROPY_BYTES[-1]} random bytes")


# ---- pages


def page_size(given: int) -> int:
    """How many tables an answer has."""
    if not 0 <= given <= LARGEST_PAGE:
        raise BadInput("page_size", f"must be 0 ({PAGE}) to {LARGEST_PAGE}")
    return given or PAGE


def page_token(after: Key) -> str:
    """Token of the page after a table."""
    return base64.urlsafe_b64encode(f"{after[0]} {after[1]}".encode()).decode()


def page_key(token: str) -> Key | None:
    """The table that a page comes after; None for the first page."""
    if not token:
        return None
    try:
        time, _, table_id = base64.urlsafe_b64decode(token.encode()).decode().partition(" ")
        return int(time), table_id
    except (binascii.Error, ValueError):
        raise BadInput("page_token", "isn't one of ours") from None
