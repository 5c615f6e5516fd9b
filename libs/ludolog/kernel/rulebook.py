"""A rulebook is a value: functions bound to checked content. One host plays them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar

from google.protobuf.message import Message

from ludolog.kernel.causes import Cause
from ludolog.kernel.chance import Chance
from ludolog.kernel.codec import Union
from ludolog.kernel.commands import Decision, LegalCommand, Outcome
from ludolog.kernel.ids import Seat, Viewer
from ludolog.kernel.refusal import OtherContent

S = TypeVar("S")
Events: TypeAlias = tuple[Message, ...]
Content: TypeAlias = Mapping[str, bytes]
"""A rulebook's content files: name → bytes, checked by `load`."""


class Bot(Protocol):
    """A house player: sees what its seat sees and nothing else. Stateless: what it needs to remember is in the view."""

    def __call__(self, view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
        """Return a command's payload, or None to wait. Called after each update that offers the seat something."""


@dataclass(frozen=True, slots=True)
class Component:
    """One kind of component in the box, for `GetRulebook`."""

    key: str
    title: str
    count: int
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Length(Generic[S]):
    """How a game counts its own length: in turns, rounds or days by the book, for comparing with the box's time."""

    unit: str
    """In the plural: "turns"."""
    of: Callable[[S], int]
    """So many were begun (days: crossed out) until this state, 0 or more."""


class Messages(TypedDict):
    """The message types that every rulebook has."""

    options_type: type[Message]
    position_type: type[Message]
    command_type: type[Message]
    event_type: type[Message]
    public_event_type: type[Message]
    view_type: type[Message]


def messages_of(contract: ModuleType) -> Messages:
    """The message types of a rulebook's generated module: Options, Position, Command, Event, PublicEvent and View.

    AttributeError where the module lacks one.
    """
    return Messages(
        options_type=contract.Options,
        position_type=contract.Position,
        command_type=contract.Command,
        event_type=contract.Event,
        public_event_type=contract.PublicEvent,
        view_type=contract.View,
    )


@dataclass(frozen=True)
class Rulebook(Generic[S]):
    """A game. Every function is pure and synchronous.

    Commands and events are payload messages (`OpenChamber`, `ChamberOpened`); the oneof messages around them are
    `command_type`, `event_type` and, for what an audience may know of an event, `public_event_type`. A view
    that is read is of `view_type`, so that a room's functions name their own View.
    """

    name: str
    title: str
    summary: str
    rules_version: str
    seats: range
    options_type: type[Message]
    options_schema: Mapping[str, Any]
    position_type: type[Message]
    command_type: type[Message]
    event_type: type[Message]
    public_event_type: type[Message]
    view_type: type[Message]
    state_type: type[S]
    blank: S
    """The state before set-up; the first event of `setup` turns it into a game."""
    setup: Callable[[Message, int, Chance], Events]
    """(options, number of seats, chance) → the opening events. Refuses options that the book doesn't allow."""
    decide: Callable[[S, Cause, Chance], Events]
    """The rules: (state, cause, chance) → events, or a Refusal, raised before the first draw."""
    evolve: Callable[[S, Message], S]
    """(state, event) → state. No rules, no randomness, no refusal."""
    awaiting: Callable[[S], tuple[Decision, ...]]
    legal_commands: Callable[[S, Seat], tuple[LegalCommand, ...]]
    view: Callable[[S, Viewer], Message]
    feed: Callable[[S, Message, S, Viewer], Events]
    """(before, event, after, viewer) → payloads of public events."""
    determinize: Callable[[Any, Viewer, Chance], S]
    """(view, viewer, chance) → a random full state that this viewer can't tell from the real one."""
    outcome: Callable[[S], Outcome | None]
    position: Callable[[S], Message]
    """The whole state as a message, for scenarios and debugging."""
    from_position: Callable[[Message, int, Message], S]
    """(position, number of seats, options) → a state, for scenarios. Refuses impossible positions with ValueError."""
    may_recall: Callable[[S, Viewer], bool]
    """May this viewer be shown earlier updates again while the match is on? False where players have to remember."""
    secrets: Callable[[S, Viewer], tuple[str, ...]]
    """Names (enum values, ids) that must appear nowhere in what this viewer is sent; for the contract suite."""
    board_text: Callable[[Any, int], str]
    """(view, width in columns) → the table drawn for a plain terminal (ANSI colours allowed)."""
    bots: Mapping[str, Bot]
    """House players by kind, the best first; `catalogue.build` adds "random" to every room's."""
    components: tuple[Component, ...]
    longest_match: int
    """No match has more commits than this with moves only: the bound for simulations."""
    content: Content = field(default_factory=dict, repr=False)
    """What it was bound to, stamped with its digest by `catalogue.build`."""
    endings: tuple[str, ...] = ()
    """Reasons that an outcome may have by the book, in its order; what the platform adds (ABORTED) isn't among them."""
    content_digest: bytes = b""
    how_to_play: str = ""
    """The rules in short for who never saw the game: the room's `how_to_play.md`, read by `catalogue.build`."""
    default_decision_ms: int | None = None
    """Time to decide where a table sets none, in milliseconds; None: no clock. A table
    may set another time, or none."""
    tell: Callable[[Message, Mapping[int, str], Any], str] | None = None
    """(payload of a public event, seat → name, view of the match) → what happened in one line of plain text for the
    terminal's log; "" leaves the event out. None: a line is made of the message's name and fields."""
    printed: Message | None = None
    """What never changes in a match and is too much for every view, such as boards: clients get it once."""
    length: Length[S] | None = None
    """How long a match was by the book's own count, for `ludolog simulate`; None: it counts decisions only."""
    earlier: Mapping[bytes, Rulebook[S]] = field(default_factory=dict, repr=False, compare=False)
    """The same game with content that matches were begun with before, by its digest."""

    def has_content(self, digest: bytes) -> bool:
        """A match with content of this digest can be played and shown here; b"": it names none."""
        return not digest or digest == self.content_digest or digest in self.earlier

    def edition(self, digest: bytes) -> Rulebook[S]:
        """The game with the content of this digest: a match is played, shown and judged with what it was begun with.

        b"" means our own. OtherContent where it isn't here.
        """
        if not self.has_content(digest):
            raise OtherContent(digest)
        return self.earlier.get(digest, self)

    @cached_property
    def commands(self) -> Union[Any]:
        """The rulebook's Command."""
        return Union(self.command_type)

    @cached_property
    def events(self) -> Union[Any]:
        """The rulebook's Event, as logged."""
        return Union(self.event_type)

    @cached_property
    def public_events(self) -> Union[Any]:
        """The rulebook's PublicEvent, as sent to an audience."""
        return Union(self.public_event_type)
