"""Does a message hold what proto-JSON says? Field by field, so that an unknown field or enum name is an error."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ludolog.testkit.scenario_file import ScenarioError

M = TypeVar("M", bound=Message)


def as_json(message: Message) -> Any:
    """A message as proto-JSON with the names of the .proto file."""
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def as_text(message: Message) -> str:
    """A message as readable proto-JSON, for differences."""
    return json.dumps(as_json(message), indent=1, ensure_ascii=False)


def parse_json(message: M, value: Any, where: str) -> M:
    """Fill a message from proto-JSON. ScenarioError for what doesn't belong there."""
    if not isinstance(value, dict):
        raise ScenarioError(f"{where}: must be a mapping, not {value!r}")
    try:
        return json_format.ParseDict(_text_keys(value), message)
    except json_format.ParseError as error:
        raise ScenarioError(f"{where}: {error}") from None


def differences(expected: Any, message: Message, path: str = "", ignore: Iterable[str] = ()) -> Iterator[str]:
    """Yield where a message lacks what is expected of it; paths in `ignore` match anything.

    Lists must have the same length; fields that aren't named may hold anything. ScenarioError for unknown names.
    """
    if not isinstance(expected, dict):
        raise ScenarioError(f"{path or 'the message'}: must be a mapping, not {expected!r}")
    for key, wanted in expected.items():
        field = _field(message.DESCRIPTOR, key, path)
        here = f"{path}.{field.name}" if path else field.name
        if here not in ignore:
            yield from _field_differences(field, wanted, message, here, ignore)


def _field_differences(
    field: FieldDescriptor, wanted: Any, message: Message, path: str, ignore: Iterable[str]
) -> Iterator[str]:
    if wanted is None:
        if any(present is field or present.name == field.name for present, _ in message.ListFields()):
            yield f"{path}: expected nothing, found {_value(field, message)}"
    elif _is_map(field):
        yield from _map_differences(field, wanted, message, path)
    elif field.is_repeated:
        if not isinstance(wanted, list):
            raise ScenarioError(f"{path}: must be a list, not {wanted!r}")
        found = list(getattr(message, field.name))
        if len(wanted) != len(found):
            yield f"{path}: expected {len(wanted)} entries {wanted}, found {len(found)}: {_value(field, message)}"
            return
        for index, (item, actual) in enumerate(zip(wanted, found, strict=True)):
            yield from _single(field, item, actual, f"{path}[{index}]", ignore)
    elif field.has_presence and not message.HasField(field.name):
        yield f"{path}: expected {wanted}, found nothing"
    else:
        yield from _single(field, wanted, getattr(message, field.name), path, ignore)


def _map_differences(field: FieldDescriptor, wanted: Any, message: Message, path: str) -> Iterator[str]:
    found: Mapping[str, Any] = as_json(message).get(field.name, {})
    if not isinstance(wanted, dict):
        raise ScenarioError(f"{path}: must be a mapping, not {wanted!r}")
    for key, value in wanted.items():
        if str(found.get(str(key))) != str(value):
            yield f"{path}.{key}: expected {value}, found {found.get(str(key))}"


def _single(field: FieldDescriptor, wanted: Any, actual: Any, path: str, ignore: Iterable[str]) -> Iterator[str]:
    if field.message_type is not None:
        if field.message_type.full_name.startswith("google.protobuf."):
            if as_json(actual) != wanted:
                yield f"{path}: expected {wanted}, found {as_json(actual)}"
        else:
            yield from differences(wanted, actual, path, ignore)
    elif field.enum_type is not None:
        if wanted not in field.enum_type.values_by_name:
            known = ", ".join(field.enum_type.values_by_name)
            raise ScenarioError(f"{path}: {wanted!r} isn't one of {known}")
        found = field.enum_type.values_by_number[actual].name if actual in field.enum_type.values_by_number else actual
        if wanted != found:
            yield f"{path}: expected {wanted}, found {found}"
    elif not _equal(field, wanted, actual, path):
        yield f"{path}: expected {wanted!r}, found {actual!r}"


def _equal(field: FieldDescriptor, wanted: Any, actual: Any, path: str) -> bool:
    """Compare a scalar as proto-JSON would write it: 64-bit numbers may be texts, bytes are base64."""
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bool(wanted == base64.b64encode(actual).decode())
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return wanted is actual
    if isinstance(actual, int) and isinstance(wanted, str):
        try:
            return int(wanted) == actual
        except ValueError:
            raise ScenarioError(f"{path}: {wanted!r} isn't a number") from None
    return bool(wanted == actual)


def _field(descriptor: Any, key: Any, path: str) -> FieldDescriptor:
    for field in descriptor.fields:
        if key in (field.name, field.json_name):
            found: FieldDescriptor = field
            return found
    known = ", ".join(field.name for field in descriptor.fields)
    raise ScenarioError(f"{path or descriptor.name}: {descriptor.name} has no field {key!r} (it has {known})")


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _value(field: FieldDescriptor, message: Message) -> Any:
    return as_json(message).get(field.name)


def _text_keys(value: Any) -> Any:
    """YAML reads the keys of a map field as numbers; proto-JSON wants texts."""
    if isinstance(value, dict):
        return {str(key): _text_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_text_keys(item) for item in value]
    return value
