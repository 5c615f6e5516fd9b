"""What can go wrong, as exceptions. Each carries the status's code, reason, message and facts."""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

DETAILS_KEY = "grpc-status-details-bin"
CODES = {code.value[0]: code for code in grpc.StatusCode}


class ApiError(Exception):
    """An answer that isn't the one asked for.

    `code`: gRPC's; `reason`: UPPER_SNAKE, for programs ("" where the server gave none); `message`: for people;
    `domain`: the rulebook or service that says so; `facts`: details by name; `retry_after_s`: when a repeat may help,
    or None.
    """

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode,
        reason: str = "",
        domain: str = "",
        facts: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(f"{reason}: {message}" if reason and not message.startswith(reason) else message)
        self.code = code
        self.reason = reason
        self.message = message
        self.domain = domain
        self.facts = dict(facts or {})
        self.retry_after_s = retry_after_s


class Refused(ApiError):
    """The rules (or the platform's own) forbid it; nothing has changed. `section` is the rulebook's."""

    section = ""


class InvalidField(ApiError):
    """The request can't be one. `field` is its path, `problem` what is wrong with it."""

    field = ""
    problem = ""


class NotFound(ApiError):
    """There is no such thing, or not for this player."""


class NotSignedIn(ApiError):
    """Sign in first: no token, or it has ended."""


class NotAllowed(ApiError):
    """Not for this player."""


class OutOfRange(ApiError):
    """A number beyond what there is."""


class TooMuch(ApiError):
    """A limit was reached."""


class Unavailable(ApiError):
    """Nobody knows whether it was done. Repeat it, a command with the same id (`command_id`, where it was one)."""

    command_id = ""


class BrokenPromise(Exception):
    """The platform shows another commitment for a match than before. Don't play it; keep both receipts."""


KINDS: Mapping[grpc.StatusCode, type[ApiError]] = {
    grpc.StatusCode.FAILED_PRECONDITION: Refused,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidField,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.UNAUTHENTICATED: NotSignedIn,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.OUT_OF_RANGE: OutOfRange,
    grpc.StatusCode.RESOURCE_EXHAUSTED: TooMuch,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: Unavailable,
    grpc.StatusCode.CANCELLED: Unavailable,
}


NOT_OURS = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN})
"""Codes that the platform always gives with details: without them they come from a connection that broke."""


def from_call(error: grpc.aio.AioRpcError) -> ApiError:
    """The exception for a failed call."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return from_status(status_pb2.Status.FromString(value))
            except DecodeError:
                break
    kind = Unavailable if error.code() in NOT_OURS else KINDS.get(error.code(), ApiError)
    return kind(error.details() or error.code().name, code=error.code())


def from_status(status: status_pb2.Status) -> ApiError:
    """The exception for a status that came in-band."""
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    bad, failure = error_details_pb2.BadRequest(), error_details_pb2.PreconditionFailure()
    retry_after_s = None
    for detail in status.details:
        if detail.Unpack(retry):
            retry_after_s = retry.retry_delay.ToMilliseconds() / 1000
        else:
            _ = detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(failure)
    code = CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    error = KINDS.get(code, ApiError)(
        status.message,
        code=code,
        reason=info.reason,
        domain=info.domain,
        facts=info.metadata,
        retry_after_s=retry_after_s,
    )
    if isinstance(error, Refused) and failure.violations:
        error.section = failure.violations[0].subject
    if isinstance(error, InvalidField) and bad.field_violations:
        error.field, error.problem = bad.field_violations[0].field, bad.field_violations[0].description
    return error
