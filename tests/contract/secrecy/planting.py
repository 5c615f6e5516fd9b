"""The services with one event more than a rulebook has: "this is the state now". So any world can be put into a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import msgspec
import pytest

from ludolog.kernel import Content, Events, Rulebook, Viewer
from ludolog.kernel.codec import Union
from ludolog.rulebooks import catalogue

MARK = b"\xff\xffplanted"
"""Begins no protobuf message: field number and wire type can't be."""
Change = Callable[[Rulebook[Any]], Rulebook[Any]]


@dataclass(frozen=True, slots=True)
class Planted:
    """The event: from here on, this is the game."""

    game: Any


def planted_event(game: Any) -> bytes:
    """The event as it stands in the log: the state as snapshots write it."""
    return MARK + msgspec.msgpack.encode(game)


class _Events(Union[Any]):
    """The rulebook's events, and the planted one."""

    def __init__(self, rulebook: Rulebook[Any]) -> None:
        super().__init__(rulebook.event_type)
        self._state_type = rulebook.state_type

    def decode_event(self, data: bytes) -> Any:
        """Return the event's payload."""
        if data.startswith(MARK):
            return Planted(msgspec.msgpack.decode(data[len(MARK) :], type=self._state_type))
        return super().decode_event(data)


class _Planting(Rulebook[Any]):
    """A type of its own: whatever copies it with other content keeps the way it reads events."""

    @cached_property
    def events(self) -> Union[Any]:
        """The rulebook's Event, and the planted one."""
        return _Events(self)


def planting(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    """The same rulebook, which also folds planted states. Nobody is told of them."""

    def evolve(state: Any, event: Any) -> Any:
        return event.game if isinstance(event, Planted) else rulebook.evolve(state, event)

    def feed(before: Any, event: Any, after: Any, viewer: Viewer) -> Events:
        return () if isinstance(event, Planted) else rulebook.feed(before, event, after, viewer)

    honest = {one.name: getattr(rulebook, one.name) for one in fields(rulebook)}
    return _Planting(**{**honest, "evolve": evolve, "feed": feed})


@contextmanager
def planting_services(change: Change | None = None) -> Iterator[None]:
    """Services that are started meanwhile load planting rulebooks, `change`d before where a mutant is wanted."""
    build = catalogue.build

    def built(name: str, content: Content) -> Rulebook[Any]:
        honest = build(name, content)
        return planting(change(honest) if change else honest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "build", built)
        catalogue.load.cache_clear()
        try:
            yield
        finally:
            catalogue.load.cache_clear()
