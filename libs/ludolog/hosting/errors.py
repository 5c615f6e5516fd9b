"""How things that went wrong become gRPC statuses: one table, for sockets and for in-process calls alike.

Every status carries `google.rpc.Status` details: ErrorInfo always; BadRequest, PreconditionFailure and RetryInfo
where they help. Servicers just raise. What isn't in the table is our bug: it is logged, and the caller learns
INTERNAL and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from ludolog.eventlog import answers
from ludolog.eventlog.port import LogError, LogOverloaded, RecordTooLarge
from ludolog.kernel import BadInput, Refusal
from ludolog.rulebooks.catalogue import UnknownRulebook
from ludolog.sessions.port import CacheUnavailable

DETAILS_KEY = "grpc-status-details-bin"
RETRY_MS = 100
LOG_UNAVAILABLE = "LOG_UNAVAILABLE"
"""Reason of UNAVAILABLE while no command can be written."""
CODES = {code.value[0]: code for code in grpc.StatusCode}
# What an upstream answers about our own behaviour is our bug, not the caller's.
NOT_RELAYED = frozenset({grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNKNOWN})


class ApiError(Exception):
    """An error of the API.

    `code` and `reason` (UPPER_SNAKE) are for programs, `message` for people; `domain` is the rulebook or service, by
    default the service that answers; `metadata` are facts; `field_violations` are (field, problem); `preconditions`
    are (type, subject, description); `retry_after_ms` tells when a repeat may help.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        domain: str = "",
        metadata: Mapping[str, object] | None = None,
        field_violations: Iterable[tuple[str, str]] = (),
        retry_after_ms: int | None = None,
        preconditions: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.domain = domain
        self.metadata = {key: _fact(value) for key, value in (metadata or {}).items()}
        self.field_violations = tuple(field_violations)
        self.preconditions = tuple(preconditions)
        self.retry_after_ms = retry_after_ms


class NotFound(ApiError):
    """There is no such thing, or not for this caller."""

    def __init__(self, message: str, *, reason: str = "NOT_FOUND", **metadata: object) -> None:
        super().__init__(grpc.StatusCode.NOT_FOUND, reason, message, metadata=metadata)


class Unauthenticated(ApiError):
    """No token, or not a good one."""

    def __init__(self, message: str = "sign in first", *, reason: str = "UNAUTHENTICATED") -> None:
        super().__init__(grpc.StatusCode.UNAUTHENTICATED, reason, message)


def no_such_player() -> Unauthenticated:
    """What whoever shows the token of an erased player is told."""
    return Unauthenticated("this player isn't here any more", reason="NO_SUCH_PLAYER")


class PermissionDenied(ApiError):
    """The caller is known and may not do this."""

    def __init__(self, message: str, *, reason: str = "PERMISSION_DENIED", **metadata: object) -> None:
        super().__init__(grpc.StatusCode.PERMISSION_DENIED, reason, message, metadata=metadata)


class Unavailable(ApiError):
    """Unknown: repeat with the same id."""

    def __init__(
        self, message: str, *, reason: str = "UNAVAILABLE", retry_after_ms: int = RETRY_MS, **metadata: object
    ) -> None:
        super().__init__(grpc.StatusCode.UNAVAILABLE, reason, message, retry_after_ms=retry_after_ms, metadata=metadata)


class NotOwner(Unavailable):
    """The instance doesn't own the partition; `address` is the owner's where it is known."""

    def __init__(self, message: str = "another instance owns this partition", *, address: str = "") -> None:
        super().__init__(message, reason="NOT_OWNER", retry_after_ms=0, **({"address": address} if address else {}))


class TooMuch(ApiError):
    """A limit is reached: RESOURCE_EXHAUSTED with a retry hint."""

    def __init__(self, reason: str, message: str, *, retry_after_ms: int, **metadata: object) -> None:
        super().__init__(
            grpc.StatusCode.RESOURCE_EXHAUSTED, reason, message, retry_after_ms=retry_after_ms, metadata=metadata
        )


class OutOfRange(ApiError):
    """A number beyond what there is."""

    def __init__(self, message: str, *, reason: str = "OUT_OF_RANGE", **metadata: object) -> None:
        super().__init__(grpc.StatusCode.OUT_OF_RANGE, reason, message, metadata=metadata)


def _bad_input(error: BadInput) -> ApiError:
    return ApiError(
        grpc.StatusCode.INVALID_ARGUMENT,
        error.reason,
        f"{error.field}: {error.problem}",
        metadata={"field": error.field},
        field_violations=[(error.field, error.problem)],
    )


def _refusal(error: Refusal) -> ApiError:
    return ApiError(
        grpc.StatusCode.FAILED_PRECONDITION,
        error.reason,
        str(error),
        metadata=error.facts,
        preconditions=[(error.reason, error.section, str(error))],
    )


def _command_id_reused(error: Exception) -> ApiError:
    problem = "was used with another body"
    return ApiError(
        grpc.StatusCode.INVALID_ARGUMENT,
        "COMMAND_ID_REUSED",
        f"command_id {problem}",
        field_violations=[("command_id", problem)],
    )


def _too_large(error: Exception) -> ApiError:
    return ApiError(grpc.StatusCode.INVALID_ARGUMENT, "TOO_LARGE", "the command is larger than the log takes")


TABLE: dict[type[Exception], Callable[..., ApiError]] = {
    BadInput: _bad_input,
    Refusal: _refusal,
    UnknownRulebook: lambda error: NotFound(str(error), reason="NO_SUCH_RULEBOOK"),
    answers.LogAway: lambda error: Unavailable(str(error), reason=LOG_UNAVAILABLE, retry_after_ms=error.retry_after_ms),
    answers.NotOwner: lambda error: NotOwner(address=getattr(error, "address", "")),
    answers.BrokenStream: lambda _: ApiError(
        grpc.StatusCode.DATA_LOSS, "MATCH_CORRUPT", "the record of this match is damaged: it is stopped"
    ),
    answers.Unavailable: lambda error: Unavailable(str(error), retry_after_ms=error.retry_after_ms),
    answers.CommandIdReused: _command_id_reused,
    RecordTooLarge: _too_large,
    LogOverloaded: lambda _: TooMuch("OVERLOADED", "too much is under way", retry_after_ms=1000),
    LogError: lambda _: Unavailable(
        "the log doesn't answer", reason=LOG_UNAVAILABLE, retry_after_ms=answers.LOG_RETRY_MS
    ),
    CacheUnavailable: lambda _: Unavailable("the cache doesn't answer", reason="CACHE_UNAVAILABLE"),
    TimeoutError: lambda _: ApiError(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", "took too long"),
}


def api_error(error: Exception) -> ApiError | None:
    """The API's error for an exception; None for one that isn't in the table."""
    if isinstance(error, ApiError):
        return error
    for kind in type(error).__mro__:
        if (make := TABLE.get(kind)) is not None:
            return make(error)
    return None


def status_of(error: Exception, domain: str) -> status_pb2.Status:
    """The status for an exception; `domain` stands in where the error names none.

    INTERNAL for what isn't in the table.
    """
    if isinstance(error, grpc.aio.AioRpcError):
        return _relayed(error, domain)
    found = api_error(error)
    if found is None:
        found = ApiError(grpc.StatusCode.INTERNAL, "INTERNAL", "something went wrong on our side")
    return _status(found, domain)


def own_identity_refused(error: Exception) -> bool:
    """Whether an upstream doesn't take us for who we are."""
    return isinstance(error, grpc.aio.AioRpcError) and error.code() is grpc.StatusCode.UNAUTHENTICATED


def status_code(status: status_pb2.Status) -> grpc.StatusCode:
    """The code of a status, as grpc's enum."""
    return CODES.get(status.code, grpc.StatusCode.UNKNOWN)


def _status(error: ApiError, domain: str) -> status_pb2.Status:
    details: list[Message] = [
        error_details_pb2.ErrorInfo(reason=error.reason, domain=error.domain or domain, metadata=error.metadata)
    ]
    if error.field_violations:
        bad = error_details_pb2.BadRequest()
        for field, problem in error.field_violations:
            bad.field_violations.add(field=field, description=problem, reason=error.reason)
        details.append(bad)
    if error.preconditions:
        failure = error_details_pb2.PreconditionFailure()
        for kind, subject, description in error.preconditions:
            failure.violations.add(type=kind, subject=subject, description=description)
        details.append(failure)
    if error.retry_after_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(error.retry_after_ms)
        details.append(retry)
    return status_pb2.Status(code=error.code.value[0], message=error.message, details=[_pack(item) for item in details])


def _pack(message: Message) -> AnyMessage:
    packed = AnyMessage()
    # Facts are a map, whose order is a matter of chance otherwise: the same error is the same bytes everywhere.
    packed.Pack(message, deterministic=True)
    return packed


def _fact(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _relayed(error: grpc.aio.AioRpcError, domain: str) -> status_pb2.Status:
    """An upstream's answer, handed on.

    Without details it was made by gRPC itself and may name addresses: those stay here.
    """
    code = error.code()
    if code in NOT_RELAYED:
        return _status(ApiError(grpc.StatusCode.INTERNAL, "INTERNAL", "something went wrong on our side"), domain)
    if own_identity_refused(error):
        # Clocks that have jumped apart, or keys that are being changed: a repeat may find it mended.
        return _status(Unavailable("a service that is needed doesn't know us now"), domain)
    given = rich_status(error)
    if given is not None:
        return given
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return _status(Unavailable("a service that is needed doesn't answer"), domain)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return _status(TooMuch("OVERLOADED", "too much is under way", retry_after_ms=1000), domain)
    return _status(ApiError(code, code.name, code.value[1]), domain)


# ---- the other way: what a caller learns from a status


@dataclass(frozen=True, slots=True)
class Told:
    """A status, read.

    `reason` is "" where the status has no ErrorInfo; `retry_after_ms` None where a repeat isn't suggested.
    """

    code: grpc.StatusCode
    message: str
    reason: str = ""
    domain: str = ""
    metadata: Mapping[str, str] | None = None
    retry_after_ms: int | None = None


def rich_status(error: grpc.aio.AioRpcError) -> status_pb2.Status | None:
    """The google.rpc.Status of a failed call; None where it brought none."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                return None
    return None


def told(error: grpc.aio.AioRpcError | status_pb2.Status) -> Told:
    """Read a failed call or an in-band status."""
    if isinstance(error, status_pb2.Status):
        status: status_pb2.Status | None = error
        code, message = status_code(error), error.message
    else:
        status, code, message = rich_status(error), error.code(), error.details() or ""
        if status is None and code is grpc.StatusCode.UNKNOWN:
            # gRPC's own word for a connection that broke under a stream; services never answer so.
            code = grpc.StatusCode.UNAVAILABLE
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    wait = None
    for detail in status.details if status else ():
        if detail.Unpack(retry):
            wait = retry.retry_delay.ToMilliseconds()
        else:
            detail.Unpack(info)
    return Told(code, message, info.reason, info.domain, dict(info.metadata), wait)
