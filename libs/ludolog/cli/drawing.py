"""Updates in a terminal: the room's drawing, what happened, who is to decide, what may be done."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Rulebook

KINDS = (
    (match_pb2.CommandKind.COMMAND_KIND_MOVE, "Moves"),
    (match_pb2.CommandKind.COMMAND_KIND_TRADE, "Trade"),
    (match_pb2.CommandKind.COMMAND_KIND_TALK, "Talk"),
)
PLAYER = re.compile(r"\bplayer (\d+)\b")
"""How labels call a player, by seat."""
LINES_OF_STORY = 8
"""Room that is left for what happened, in lines."""


class Table:
    """Draws the updates of one match. `rulebook` has the match's content; `names`: seat → name."""

    def __init__(self, rulebook: Rulebook[Any], names: Mapping[int, str], console: Console) -> None:
        self.rulebook = rulebook
        self.names = names
        self.console = console

    def draw(self, update: match_pb2.Update, *, brief: bool = False) -> None:
        """The table after an update, under what happened; `brief`: without a table that leaves it no room."""
        columns, rows = shutil.get_terminal_size()
        width = min(columns, 100)
        view = self.rulebook.view_type()
        update.view.Unpack(view)
        self.console.rule(f"move {update.sequence}")
        for line in filter(None, (self.story(event, view) for event in update.events)):
            self.console.print(f"  • {line}", style="italic", highlight=False, markup=False)
        board = self.rulebook.board_text(view, width)
        if brief and board.count("\n") + LINES_OF_STORY > rows:
            return
        players = "   ".join(f"{seat} {name}" for seat, name in sorted(self.names.items()))
        self.console.print(players, style="dim", highlight=False, markup=False)
        self.console.print(Text.from_ansi(board))
        verdict = update.outcome.label.text or update.outcome.reason
        if update.HasField("outcome") and verdict not in board:
            self.console.print(f"\n{verdict}", style="bold", markup=False)

    def story(self, event: AnyMessage, view: Message) -> str:
        """One public event in a line, in the room's words where it has some; "" for what isn't worth a line."""
        message = self.rulebook.public_event_type()
        if not event.Unpack(message):
            return event.type_url
        payload = self.rulebook.public_events.unwrap(message)
        if payload is None:
            return "something that this version doesn't know"
        if self.rulebook.tell is not None:
            return self.rulebook.tell(payload, self.names, view)
        return f"{_words(payload.DESCRIPTOR.name)}{_fields(payload)}"

    def list_commands(self, legal: Sequence[match_pb2.LegalCommand]) -> list[match_pb2.LegalCommand]:
        """Print the legal commands, numbered from 1, moves first, in as many columns as fit; return them in order."""
        ordered: list[match_pb2.LegalCommand] = []
        for kind, title in KINDS:
            entries = [entry for entry in legal if entry.kind == kind]
            if not entries:
                continue
            self.console.print(f"\n{title}", style="bold")
            lines = [self._numbered(number, entry) for number, entry in enumerate(entries, len(ordered) + 1)]
            self.console.print(Columns(lines, column_first=True, padding=(0, 2)))
            ordered += entries
        return ordered

    def waiting(self, update: match_pb2.Update) -> str:
        """Who is to decide what."""
        said = [f"{self.names.get(d.seat, f'seat {d.seat}')}: {d.label.text}" for d in update.awaiting]
        return "; ".join(said)

    def _numbered(self, number: int, entry: match_pb2.LegalCommand) -> Text:
        """A numbered command; "player 2" in its label is called by the name of seat 2."""
        more = " …" if entry.parameters else ""
        return Text.assemble((f"{number:>5}", "cyan"), f"  {self._called(entry.label.text)}{more}")

    def named(self, entry: match_pb2.LegalCommand) -> match_pb2.LegalCommand:
        """The entry with players called by their names in what its parameters are chosen from."""
        copy = match_pb2.LegalCommand()
        copy.CopyFrom(entry)
        for parameter in copy.parameters:
            for choice in parameter.choices.choices:
                choice.label.text = self._called(choice.label.text)
        return copy

    def _called(self, text: str) -> str:
        return PLAYER.sub(lambda found: self.names.get(int(found[1]), found[0]), text)


def _words(name: str) -> str:
    """ChamberOpened → "Chamber opened"."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return spaced[:1].upper() + spaced[1:]


def _fields(message: Message) -> str:
    found = [f"{field.name.replace('_', ' ')} {_value(field, value)}" for field, value in message.ListFields()]
    return f": {', '.join(found)}" if found else ""


def _value(field: FieldDescriptor, value: Any) -> str:
    if field.is_repeated:
        return " ".join(_one(field, item) for item in value)
    return _one(field, value)


def _one(field: FieldDescriptor, value: Any) -> str:
    if field.enum_type is not None:
        name: str = field.enum_type.values_by_number[value].name
        kind = _words(field.enum_type.name).replace(" ", "_").upper()
        return name.removeprefix(f"{kind}_").replace("_", " ").lower()
    if field.message_type is not None:
        inner = _fields(value)
        return f"({inner.removeprefix(': ')})"
    return str(value)
