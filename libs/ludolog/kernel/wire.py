"""The kernel's values as messages, and back where a client needs them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, assert_never

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel.commands import (
    Choices,
    Decision,
    IntegerRange,
    Kind,
    Label,
    LegalCommand,
    Multiset,
    Outcome,
    Parameter,
    TextLimit,
)
from ludolog.kernel.rulebook import Rulebook

REMEMBERED = 4096
"""Labels and parameters whose messages are kept: a rulebook says the same few again and again, to every audience."""
MADE = "made"
"""Where a legal command keeps its bytes."""


def pack(message: Message) -> AnyMessage:
    """Pack a message deterministically."""
    packed = AnyMessage()
    pack_into(packed, message)
    return packed


def pack_into(packed: AnyMessage, message: Message) -> None:
    """Pack a message deterministically: as Any.Pack does, at a third of its cost."""
    packed.type_url = f"type.googleapis.com/{message.DESCRIPTOR.full_name}"
    packed.value = message.SerializeToString(deterministic=True)


@lru_cache(REMEMBERED)
def label(value: Label) -> match_pb2.Label:
    """Label → message, shared: it is copied where it is put, never changed."""
    arguments = [match_pb2.Label.Argument(name=name, value=text) for name, text in value.arguments]
    return match_pb2.Label(key=value.key, text=value.text, arguments=arguments)


def label_from(message: match_pb2.Label) -> Label:
    """Message → label."""
    return Label(message.key, message.text, tuple((a.name, a.value) for a in message.arguments))


@lru_cache(REMEMBERED)
def parameter(value: Parameter, *, is_list: bool = False) -> match_pb2.Parameter:
    """Parameter → message, shared as labels are. `is_list`: its field of the command is repeated."""
    message = match_pb2.Parameter(path=value.path, label=label(value.label), optional=value.optional)
    match value.domain:
        case IntegerRange(minimum, maximum):
            message.range.minimum, message.range.maximum = minimum, maximum
            message.range.SetInParent()
        case Choices(choices, minimum, maximum):
            message.choices.minimum, message.choices.maximum, message.choices.is_list = minimum, maximum, is_list
            message.choices.choices.extend(
                match_pb2.Parameter.Choices.Choice(id=key, label=label(text)) for key, text in choices
            )
        case Multiset(items, minimum_sum, maximum_sum):
            message.multiset.minimum_sum, message.multiset.maximum_sum = minimum_sum, maximum_sum
            message.multiset.items.extend(
                match_pb2.Parameter.Multiset.Item(id=key, maximum=most, label=label(text)) for key, most, text in items
            )
        case TextLimit(maximum):
            message.text.maximum_characters = maximum
        case _:
            assert_never(value.domain)
    return message


def parameter_from(message: match_pb2.Parameter) -> Parameter:
    """Message → parameter. ValueError where the domain isn't known."""
    domain: IntegerRange | Choices | Multiset | TextLimit
    match message.WhichOneof("domain"):
        case "range":
            domain = IntegerRange(message.range.minimum, message.range.maximum)
        case "choices":
            choices = tuple((c.id, label_from(c.label)) for c in message.choices.choices)
            domain = Choices(choices, message.choices.minimum, message.choices.maximum)
        case "multiset":
            items = tuple((i.id, i.maximum, label_from(i.label)) for i in message.multiset.items)
            domain = Multiset(items, message.multiset.minimum_sum, message.multiset.maximum_sum)
        case "text":
            domain = TextLimit(message.text.maximum_characters)
        case unknown:
            msg = f"parameter {message.path}: unknown domain {unknown}"
            raise ValueError(msg)
    return Parameter(message.path, label_from(message.label), domain, message.optional)


def legal_command(rulebook: Rulebook[Any], value: LegalCommand) -> match_pb2.LegalCommand:
    """Legal command → message."""
    return match_pb2.LegalCommand(
        prototype=pack(rulebook.commands.wrap(value.command)),
        label=label(value.label),
        kind=match_pb2.CommandKind.ValueType(value.kind.value),
        targets=value.targets,
        parameters=[parameter(p, is_list=_is_list(rulebook.command_type, p.path)) for p in value.parameters],
        decision_id=value.decision_id,
    )


def listed(rulebook: Rulebook[Any], values: Iterable[LegalCommand]) -> bytes:
    """Legal commands → an Update with nothing else, as bytes. Made once for an entry that a rulebook gives again."""
    return b"".join([value.__dict__.get(MADE) or _made(rulebook, value) for value in values])


def _made(rulebook: Rulebook[Any], value: LegalCommand) -> bytes:
    update = match_pb2.Update(legal_commands=[legal_command(rulebook, value)])
    made = update.SerializeToString(deterministic=True)
    value.__dict__[MADE] = made
    return made


def _is_list(command_type: type[Message], path: str) -> bool:
    *parents, name = path.split(".")
    fields: Any = command_type.DESCRIPTOR.fields_by_name
    for parent in parents:
        fields = fields[parent].message_type.fields_by_name
    return bool(fields[name].is_repeated)


def legal_command_from(rulebook: Rulebook[Any], message: match_pb2.LegalCommand) -> LegalCommand:
    """Message → legal command. ValueError where it belongs to another rulebook."""
    command = rulebook.command_type()
    if not message.prototype.Unpack(command) or (payload := rulebook.commands.unwrap(command)) is None:
        msg = f"{message.prototype.type_url} isn't a {rulebook.command_type.DESCRIPTOR.full_name}"
        raise ValueError(msg)
    return LegalCommand(
        command=payload,
        label=label_from(message.label),
        kind=Kind(message.kind),
        targets=tuple(message.targets),
        parameters=tuple(parameter_from(p) for p in message.parameters),
        decision_id=message.decision_id,
    )


def decisions(values: Iterable[Decision]) -> list[match_pb2.Decision]:
    """Decisions → messages, shared as labels are; without deadlines: those are the engine's."""
    return [_decision(value) for value in values]


@lru_cache(REMEMBERED)
def _decision(value: Decision) -> match_pb2.Decision:
    return match_pb2.Decision(
        decision_id=value.decision_id, seat=value.seat, blocking=value.blocking, label=label(value.label)
    )


def outcome(value: Outcome) -> match_pb2.Outcome:
    """Outcome → message."""
    results = [match_pb2.SeatResult(seat=r.seat, rank=r.rank, winner=r.winner, score=r.score) for r in value.results]
    return match_pb2.Outcome(reason=value.reason, results=results, label=label(value.label))
