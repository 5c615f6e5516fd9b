"""Is a command listed? The question that `legal_commands` answers for people, asked of a filled-in command."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ludolog.kernel import Choices, Domain, IntegerRange, LegalCommand, Multiset, Parameter, TextLimit


def listed(legal: Iterable[LegalCommand], command: Message) -> bool:
    """True if some entry, with its parameters filled in somehow, is this command."""
    return any(covers(entry, command) for entry in legal)


def covers(entry: LegalCommand, command: Message) -> bool:
    """True if the entry, with its parameters filled in somehow, is this command."""
    if type(entry.command) is not type(command):
        return False
    asked, prototype = _copy(command), _copy(entry.command)
    for parameter in entry.parameters:
        if _lacks_part(command, entry.command, parameter):
            return False
        parent, field = _field_of(asked, parameter)
        if not _fits(parameter, parent, field):
            return False
        parent.ClearField(field.name)
        own_parent, own_field = _field_of(prototype, parameter)
        own_parent.ClearField(own_field.name)
    return asked.SerializeToString(deterministic=True) == prototype.SerializeToString(deterministic=True)


def _copy(message: Message) -> Message:
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def _lacks_part(command: Message, prototype: Message, parameter: Parameter) -> bool:
    """Whether a message that the prototype has on the way to the parameter isn't in the command."""
    for part in parameter.path.split(".")[1:-1]:
        if prototype.HasField(part) and not command.HasField(part):
            return True
        command, prototype = getattr(command, part), getattr(prototype, part)
    return False


def _field_of(command: Message, parameter: Parameter) -> tuple[Message, FieldDescriptor]:
    *parents, name = parameter.path.split(".")[1:]
    for parent in parents:
        command = getattr(command, parent)
    return command, cast("FieldDescriptor", command.DESCRIPTOR.fields_by_name[name])


def _fits(parameter: Parameter, parent: Message, field: FieldDescriptor) -> bool:
    value = getattr(parent, field.name)
    if field.is_repeated:
        unset = not value
    elif field.has_presence:
        unset = not parent.HasField(field.name)
    else:
        unset = value == field.default_value
    if unset and parameter.optional:
        return True
    if unset and not field.is_repeated and field.has_presence:
        return False
    return _in_domain(parameter.domain, field, value)


def _in_domain(domain: Domain, field: FieldDescriptor, value: Any) -> bool:
    match domain:
        case IntegerRange(minimum, maximum):
            return bool(minimum <= value <= maximum)
        case Choices(choices, minimum, maximum):
            chosen = [_id(field, item) for item in (value if field.is_repeated else [value])]
            known = {key for key, _ in choices}
            return minimum <= len(chosen) <= maximum and len(set(chosen)) == len(chosen) and known >= set(chosen)
        case Multiset(items, minimum_sum, maximum_sum):
            most = {key: maximum for key, maximum, _ in items}
            ids = [item.id for item in value]
            fits = all(item.id in most and 1 <= item.count <= most[item.id] for item in value)
            total = sum(item.count for item in value)
            return fits and len(set(ids)) == len(ids) and minimum_sum <= total <= maximum_sum
        case TextLimit(maximum):
            return len(value) <= maximum and value.isprintable()
        case _:
            assert_never(domain)


def _id(field: FieldDescriptor, value: Any) -> str:
    """Ids of enum fields are the names of their values; ids of number fields are decimal."""
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else ""
    return str(value)
