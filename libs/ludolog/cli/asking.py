"""Asking a person at a terminal: which command, with which parameters."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from rich.console import Console

from ludolog.api.match.v1 import match_pb2


class Left(Exception):
    """Nobody answers any more."""


class Cancelled(Exception):
    """The command isn't wanted any more."""


class Lines:
    """Lines that a person types, or that a test pipes in, without blocking the loop: a thread of its own reads them.

    A daemon thread: a person who types nothing doesn't keep the program from ending.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._begun = False

    async def next(self) -> str:
        """The next line. Left at the end of the input."""
        if not self._begun:
            self._begun = True
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, args=[loop], name="stdin", daemon=True).start()
        line = await self._queue.get()
        if not line:
            self._queue.put_nowait("")
            raise Left
        return line.strip()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        stdin = sys.stdin
        while True:
            line = stdin.readline()
            try:
                loop.call_soon_threadsafe(self._queue.put_nowait, line)
            except RuntimeError:
                return  # the loop is gone: nobody asks any more
            if not line:
                return


class Asker:
    """Asks for parameters one by one, with their range."""

    def __init__(self, console: Console, lines: Lines) -> None:
        self._console = console
        self._lines = lines
        self._question: tuple[str, Sequence[str]] | None = None

    async def line(self, prompt: str, offered: Sequence[str] = ()) -> str:
        """Ask for a line, below what is on offer. Left where nobody answers; Cancelled for "q"."""
        self._question = prompt, offered
        self.ask_again()
        try:
            answer = await self._lines.next()
        finally:
            self._question = None
        if answer == "q":
            raise Cancelled
        return answer

    @property
    def asking(self) -> bool:
        """A question is open."""
        return self._question is not None

    def ask_again(self) -> bool:
        """Show the open question anew, for when something else was printed meanwhile. False where there is none."""
        if self._question is None:
            return False
        prompt, offered = self._question
        for text in offered:
            self._console.print(text, markup=False, highlight=False)
        self._console.print(prompt, end=" ", style="bold", markup=False, highlight=False)
        return True

    async def fill(self, command: Message, entry: match_pb2.LegalCommand) -> Message:
        """Return the command (the rulebook's oneof) with every parameter of the entry filled in."""
        for parameter in entry.parameters:
            *parents, name = parameter.path.split(".")
            target = command
            for parent in parents:
                target = getattr(target, parent)
            await self._ask(target, name, parameter)
        return command

    async def _ask(self, target: Any, name: str, parameter: match_pb2.Parameter) -> None:
        field: Any = target.DESCRIPTOR.fields_by_name[name]
        kind = parameter.WhichOneof("domain")
        if kind == "multiset":
            for item, count in (await self._counts(parameter.multiset)).items():
                getattr(target, name).add(id=item, count=count)
            return
        values: list[Any]
        if kind == "choices":
            values = await self._choice(parameter)
        elif kind == "range":
            low, high = parameter.range.minimum, parameter.range.maximum
            text = f"{parameter.label.text or name} ({low}–{high}{', empty: none' if parameter.optional else ''})"
            number = await self._number(text, low, high, optional=parameter.optional)
            values = [] if number is None else [number]
        else:
            text = await self._text(parameter.label.text or name, parameter.text.maximum_characters)
            values = [text] if text else []
        if field.is_repeated:
            getattr(target, name).extend(typed(field, value) for value in values)
        elif values:
            setattr(target, name, typed(field, values[0]))

    async def _number(self, text: str, low: int, high: int, *, optional: bool = False) -> int | None:
        while True:
            answer = await self.line(f"{text}:")
            if optional and not answer:
                return None
            if answer.removeprefix("-").isdecimal() and low <= int(answer) <= high:
                return int(answer)
            self._console.print(f"A whole number from {low} to {high}, please.")

    async def _counts(self, multiset: match_pb2.Parameter.Multiset) -> dict[str, int]:
        """How many of each id, ids with none left out."""
        low, high = multiset.minimum_sum, multiset.maximum_sum
        while True:
            counts = {
                item.id: await self._number(f"{item.label.text or item.id} (0–{item.maximum})", 0, item.maximum) or 0
                for item in multiset.items
            }
            if low <= sum(counts.values()) <= high:
                return {item: count for item, count in counts.items() if count}
            self._console.print(f"Together they must be {low} to {high}.")

    async def _text(self, label: str, most: int) -> str:
        while len(text := await self.line(f"{label}:")) > most:
            self._console.print(f"At most {most} characters, please.")
        return text

    async def _choice(self, parameter: match_pb2.Parameter) -> list[str]:
        choices = parameter.choices
        offered = [
            f"    {number}  {choice.label.text or choice.id}" for number, choice in enumerate(choices.choices, 1)
        ]
        few = choices.minimum if not parameter.optional else 0
        count = f"{few}" if few == choices.maximum else f"{few} to {choices.maximum}"
        while True:
            single = "a number" if few else "a number, or nothing"
            how = single if choices.maximum == 1 else f"{count} of them, numbers with spaces"
            answer = await self.line(f"{parameter.label.text} ({how}):", offered)
            picked = answer.split()
            in_range = all(one.isdecimal() and 1 <= int(one) <= len(choices.choices) for one in picked)
            if in_range and len(set(picked)) == len(picked) and few <= len(picked) <= choices.maximum:
                return [choices.choices[int(one) - 1].id for one in picked]
            self._console.print(f"{count} different numbers from 1 to {len(choices.choices)}, please.")


def typed(field: Any, value: Any) -> Any:
    """An id as the field's type: enum values by name, numbers in decimal."""
    if field.enum_type is not None and isinstance(value, str):
        return field.enum_type.values_by_name[value].number
    if isinstance(value, str) and field.type != FieldDescriptor.TYPE_STRING:
        return int(value)
    return value


def options_message(message: Message, settings: Mapping[str, str]) -> Message:
    """Fill a rulebook's Options from NAME=VALUE pairs. ValueError names what is wrong."""
    for name, text in settings.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None or field.message_type is not None or field.is_repeated:
            known = ", ".join(message.DESCRIPTOR.fields_by_name)
            raise ValueError(f"there is no option {name!r}; there are {known}")
        try:
            if field.type == FieldDescriptor.TYPE_BOOL:
                setattr(message, name, {"true": True, "yes": True, "false": False, "no": False}[text.lower()])
            else:
                setattr(message, name, typed(field, text))
        except (KeyError, ValueError, TypeError):
            raise ValueError(f"{name} can't be {text!r}") from None
    return message
