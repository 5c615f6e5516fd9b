"""From an update to what a house player does. Pure: nothing but the update goes in, and luck as an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Chance, Kind, LegalCommand, Rulebook, Seat, random_command, wire
from ludolog.kernel.rulebook import Bot

MOST_TALK = 8
"""Commands that aren't moves, said in a row: then the bot is shown its moves only. No conversation goes on for ever."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A command, the decision that it answers ("": none), and whether it is a move."""

    command: AnyMessage
    decision_id: str
    is_move: bool


def bot_of(rulebook: Rulebook[Any], kind: str) -> Bot:
    """The bot of a kind; the rulebook's best where there is none such."""
    return rulebook.bots.get(kind) or next(iter(rulebook.bots.values()))


def think(
    rulebook: Rulebook[Any], bot: Bot, seat: Seat, update: match_pb2.Update, chance: Chance, talked: int
) -> Thought | None:
    """What a bot does after an update; None to wait. `talked`: commands in a row that weren't moves."""
    legal = [wire.legal_command_from(rulebook, entry) for entry in update.legal_commands]
    if talked >= MOST_TALK:
        legal = [entry for entry in legal if entry.kind is Kind.MOVE]
    if not legal:
        return None
    view = rulebook.view_type()
    if not update.view.Unpack(view):
        raise ValueError(f"{update.view.TypeName()} isn't a view of {rulebook.name}")
    payload = bot(view, legal, seat, chance)
    return None if payload is None else _thought(rulebook, payload, legal)


def any_move(rulebook: Rulebook[Any], seat: Seat, update: match_pb2.Update, chance: Chance) -> Thought | None:
    """Any legal move, for where a bot's own was refused."""
    return think(rulebook, random_command, seat, update, chance, MOST_TALK)


def _thought(rulebook: Rulebook[Any], payload: Message, legal: Sequence[LegalCommand]) -> Thought:
    """The entry that a command was made from: the equal one, else the first of its type."""
    same_type = [entry for entry in legal if entry.command.DESCRIPTOR is payload.DESCRIPTOR]
    entry = next((one for one in same_type if one.command == payload), same_type[0] if same_type else None)
    return Thought(
        command=wire.pack(rulebook.commands.wrap(payload)),
        decision_id=entry.decision_id if entry else "",
        is_move=entry is None or entry.kind is Kind.MOVE,
    )
