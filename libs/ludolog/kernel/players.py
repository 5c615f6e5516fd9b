"""Filling in legal commands: for the random player, for tests, for whoever plays without knowing the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ludolog.kernel.chance import Chance
from ludolog.kernel.commands import Choices, Domain, IntegerRange, Kind, LegalCommand, Multiset, Parameter, TextLimit
from ludolog.kernel.ids import Seat


def candidates(legal: Sequence[LegalCommand], kind: Kind = Kind.MOVE) -> list[LegalCommand]:
    """The entries of one kind, in order."""
    return [entry for entry in legal if entry.kind is kind]


def random_command(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """The random bot: any legal move with any legal parameters; None where there is none."""
    del view, seat
    moves = candidates(legal)
    return fill(chance.choose("move", moves), chance) if moves else None


def fill(entry: LegalCommand, chance: Chance) -> Message:
    """Return a copy of the entry's command with every parameter filled in at random (optional ones half the time)."""
    command = type(entry.command)()
    command.CopyFrom(entry.command)
    for parameter in entry.parameters:
        if parameter.optional and chance.choose("leave out", (True, False)):
            continue
        _set(command, parameter, chance)
    return command


def _set(command: Message, parameter: Parameter, chance: Chance) -> None:
    *parents, name = parameter.path.split(".")[1:]
    target = command
    for parent in parents:
        target = getattr(target, parent)
    value: Any = _sample(parameter.domain, chance)
    field = target.DESCRIPTOR.fields_by_name[name]
    if field.message_type is not None:
        # A multiset: repeated {id, count} items, by the platform's convention.
        for key, number in value:
            getattr(target, name).add(id=key, count=number)
    elif field.is_repeated:
        getattr(target, name).extend(_cast(field, item) for item in value)
    else:
        setattr(target, name, _cast(field, value[0] if isinstance(value, list) else value))


def _cast(field: Any, value: object) -> object:
    """Ids of enum fields are the names of their values; ids of number fields are decimal."""
    if field.enum_type is not None and isinstance(value, str):
        return field.enum_type.values_by_name[value].number
    if isinstance(value, str) and field.type != FieldDescriptor.TYPE_STRING:
        return int(value)
    return value


def _sample(domain: Domain, chance: Chance) -> int | str | list[str] | list[tuple[str, int]]:
    match domain:
        case IntegerRange(minimum, maximum):
            return chance.choose("number", range(minimum, maximum + 1))
        case Choices(choices, minimum, maximum):
            count = chance.choose("how many", range(minimum, maximum + 1))
            return list(chance.shuffle("which", [key for key, _ in choices])[:count])
        case Multiset(items, minimum_sum, maximum_sum):
            bag = chance.shuffle("which", [key for key, most, _ in items for _ in range(most)])
            count = chance.choose("how many", range(minimum_sum, min(maximum_sum, len(bag)) + 1))
            taken = bag[:count]
            return [(key, taken.count(key)) for key, _, _ in items if key in taken]
        case TextLimit(maximum):
            return "a" * chance.choose("length", range(min(maximum, 8) + 1))
        case _:
            assert_never(domain)
