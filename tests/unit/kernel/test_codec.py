"""The checks that proto3 doesn't make, and the oneofs around payloads."""

from __future__ import annotations

import pytest

from ludolog.api.gateway.v1 import replays_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import BadInput, Union, UnknownEvent, check, parse


def test_payloads_travel_in_their_oneof() -> None:
    causes = Union(replays_pb2_like())
    for payload in (log_pb2.Resigned(seat=2), log_pb2.Aborted(), log_pb2.TimedOut(decision_id="d", seat=1)):
        assert causes.decode_event(causes.encode(payload)) == payload
        assert causes.unwrap(causes.wrap(payload)) == payload


def replays_pb2_like() -> type[log_pb2.MatchCause]:
    """A message of the platform's own that is one oneof over distinct types."""
    return log_pb2.MatchCause


def test_a_payload_of_another_family_is_refused() -> None:
    with pytest.raises(KeyError):
        Union(log_pb2.MatchCause).wrap(match_pb2.Label())


@pytest.mark.parametrize("message_type", [log_pb2.Record, match_pb2.Label, match_pb2.Parameter])
def test_only_a_oneof_is_a_union(message_type: type[log_pb2.Record]) -> None:
    with pytest.raises(ValueError, match="isn't exactly one oneof"):
        Union(message_type)


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xa2\x06\x00"])
def test_an_event_of_an_unknown_type_stops_the_reader(data: bytes) -> None:
    with pytest.raises(UnknownEvent):
        Union(log_pb2.MatchCause).decode_event(data)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"", "command"),
        (b"\xff", "command"),
        (b"\xa2\x06\x00", "command"),
        (b"\x22\x02\x78\x01", "command.resigned"),
    ],
)
def test_what_cant_be_a_command_is_refused(data: bytes, field: str) -> None:
    with pytest.raises(BadInput) as found:
        Union(log_pb2.MatchCause).decode_command(data)
    assert found.value.field == field
    assert found.value.reason == "INVALID_FIELD"


def test_required_fields_must_not_be_zero() -> None:
    with pytest.raises(BadInput) as found:
        check(replays_pb2.GetFrameRequest(sequence=1), "request")
    assert found.value.field == "request.name"
    check(replays_pb2.GetFrameRequest(name="replays/x"), "request")


def test_unknown_enum_values_are_refused_at_any_depth() -> None:
    update = match_pb2.Update(legal_commands=[match_pb2.LegalCommand(kind=99)])  # type: ignore[arg-type]
    with pytest.raises(BadInput) as found:
        parse(match_pb2.Update, update.SerializeToString(), "update")
    assert found.value.field == "update.legal_commands.kind"
