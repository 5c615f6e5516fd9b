"""Between payloads and the oneof messages that carry them, and the checks that proto3 doesn't make."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Generic, TypeVar

from google.api import field_behavior_pb2
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from ludolog.kernel.refusal import BadInput

M = TypeVar("M", bound=Message)


class UnknownEvent(Exception):
    """A stored event of a type that this version doesn't know. A reader stops here."""


class Union(Generic[M]):
    """A message that is one oneof and nothing else, such as a rulebook's Command or Event."""

    def __init__(self, message_type: type[M]) -> None:
        """Read the oneof off the descriptor. ValueError unless there is exactly one, over distinct message types."""
        descriptor = message_type.DESCRIPTOR
        if len(descriptor.oneofs) != 1 or len(descriptor.oneofs[0].fields) != len(descriptor.fields):
            msg = f"{descriptor.full_name} isn't exactly one oneof"
            raise ValueError(msg)
        self.message_type = message_type
        self._parse = message_type.FromString
        self.oneof = descriptor.oneofs[0].name
        self.field_of = {field.message_type.full_name: field.name for field in descriptor.fields if field.message_type}
        if len(self.field_of) != len(descriptor.fields):
            msg = f"{descriptor.full_name} has two fields of one type"
            raise ValueError(msg)

    def wrap(self, payload: Message) -> M:
        """Put a payload into a new oneof message. KeyError for a payload that doesn't belong to it."""
        return self.message_type(**{self.field_of[payload.DESCRIPTOR.full_name]: payload})

    def encode(self, payload: Message) -> bytes:
        """Serialise a payload inside its oneof message."""
        return self.wrap(payload).SerializeToString(deterministic=True)

    def unwrap(self, message: M) -> Message | None:
        """Return the payload; None where nothing is set."""
        name = message.WhichOneof(self.oneof)
        return None if name is None else getattr(message, name)

    def decode_event(self, data: bytes) -> Message:
        """Return a stored event's payload. UnknownEvent where this version doesn't know it."""
        try:
            message = self._parse(data)
        except DecodeError as error:
            msg = f"{self.message_type.DESCRIPTOR.full_name}: {error}"
            raise UnknownEvent(msg) from error
        name = message.WhichOneof(self.oneof)
        if name is None:
            msg = f"{self.message_type.DESCRIPTOR.full_name}: an event type that this version doesn't know"
            raise UnknownEvent(msg)
        payload: Message = getattr(message, name)
        return payload

    def decode_command(self, data: bytes) -> Message:
        """Return a client's command. BadInput where it can't be one, see `check`."""
        message = parse(self.message_type, data, "command")
        payload = self.unwrap(message)
        if payload is None:
            raise BadInput("command", "nothing is set")
        return payload


def parse(message_type: type[M], data: bytes, field: str) -> M:
    """Parse a client's bytes strictly. BadInput names the field that is wrong, starting with `field`."""
    try:
        message = message_type.FromString(data)
    except DecodeError:
        raise BadInput(field, f"isn't a {message_type.DESCRIPTOR.full_name}") from None
    check(message, field)
    return message


def check(message: Message, field: str) -> None:
    """BadInput for unknown fields, unknown enum values, and zeros where field_behavior says REQUIRED, at any depth."""
    if len(UnknownFieldSet(message)):
        raise BadInput(field, "has fields that this version doesn't know")
    set_fields = message.ListFields()
    if required := _required(message.DESCRIPTOR):
        _check_present(required, frozenset(descriptor.name for descriptor, _ in set_fields), field)
    for descriptor, value in set_fields:
        path = f"{field}.{descriptor.name}"
        values = value if descriptor.is_repeated else (value,)
        if descriptor.enum_type is not None:
            for number in values:
                if number not in descriptor.enum_type.values_by_number:
                    raise BadInput(path, f"{number} isn't a value of {descriptor.enum_type.name}")
        elif descriptor.message_type is not None and not descriptor.message_type.GetOptions().map_entry:
            for item in values:
                check(item, path)


def _check_present(required: Iterable[str], present: frozenset[str], field: str) -> None:
    for name in required:
        if name not in present:
            raise BadInput(f"{field}.{name}", "is required and must not be zero or empty")


@cache
def _required(descriptor: Descriptor) -> tuple[str, ...]:
    """Names of a message's required fields. Reading options is slow, and there are few message types."""
    return tuple(field.name for field in descriptor.fields if _is_required(field))


def _is_required(field: Any) -> bool:
    behaviours = field.GetOptions().Extensions[field_behavior_pb2.field_behavior]
    return field_behavior_pb2.REQUIRED in behaviours
