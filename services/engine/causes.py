"""From requests to the causes that stand in the log. Pure; BadInput names the field that can't be."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from ludolog.api.engine.v1 import engine_pb2
from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.hosting import names
from ludolog.kernel import BadInput, Rulebook, check

LARGEST_COMMAND = 16 * 1024
LONGEST_DECISION_ID = 128
LONGEST_REASON = 256
MATCHMAKING, ENGINE = "matchmaking", "engine"


def create_cause(match_id: str, request: engine_pb2.CreateMatchRequest) -> log_pb2.Cause:
    """The founding of a match: one command id for each match, so that repeats are one command.

    Not checked here: refusing it is definite, so the owner does it, after a barrier.
    """
    return _cause(MATCHMAKING, f"create:{match_id}", log_pb2.MatchCause(create=request.founding))


def abort_cause(match_id: str, request: engine_pb2.AbortMatchRequest) -> log_pb2.Cause:
    """The platform calls a match off."""
    check_request(request)
    if len(request.reason) > LONGEST_REASON:
        raise BadInput("reason", f"must be at most {LONGEST_REASON} characters")
    return _cause(ENGINE, f"abort:{match_id}", log_pb2.MatchCause(aborted=log_pb2.Aborted(reason=request.reason)))


def command_cause(rulebook: Rulebook[Any], seat: int, request: play_pb2.SubmitCommandRequest) -> log_pb2.Cause:
    """A seat's command. Its bytes are kept as they came; whether these rules know such a command, the owner judges."""
    check_request(request)
    expected = rulebook.command_type.DESCRIPTOR.full_name
    if request.command.TypeName() != expected:
        raise BadInput("command", f"must be a {expected}")
    if len(request.command.value) > LARGEST_COMMAND:
        raise BadInput("command", f"must be at most {LARGEST_COMMAND} bytes")
    if len(request.decision_id) > LONGEST_DECISION_ID or not request.decision_id.isprintable():
        raise BadInput("decision_id", f"must be at most {LONGEST_DECISION_ID} printable characters")
    command = log_pb2.SeatCommand(seat=seat, command=request.command.value, decision_id=request.decision_id)
    return _cause(_seat(seat), names.command_id(request.command_id), log_pb2.MatchCause(command=command))


def resign_cause(seat: int, request: play_pb2.ResignRequest) -> log_pb2.Cause:
    """A seat gives up."""
    check_request(request)
    body = log_pb2.MatchCause(resigned=log_pb2.Resigned(seat=seat))
    return _cause(_seat(seat), names.command_id(request.command_id), body)


def check_request(request: Message) -> None:
    """Refuse what a request can't be: unknown fields, unknown enum values, required fields that are missing."""
    try:
        check(request, "request")
    except BadInput as bad:
        raise BadInput(bad.field.removeprefix("request."), bad.problem) from None


def _seat(seat: int) -> str:
    return f"seats/{seat}"


def _cause(actor: str, command_id: str, body: Message) -> log_pb2.Cause:
    return log_pb2.Cause(actor=actor, command_id=command_id, body=body.SerializeToString(deterministic=True))
