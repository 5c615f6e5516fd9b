"""The shape of a rulebook. Pure: no I/O, no clock, no randomness of its own; never names a game."""

from ludolog.kernel.causes import Cause, Commanded, Resigned, TimedOut
from ludolog.kernel.chance import Chance, Draw
from ludolog.kernel.codec import Union, UnknownEvent, check, parse
from ludolog.kernel.commands import (
    Choices,
    Decision,
    Domain,
    IntegerRange,
    Kind,
    Label,
    LegalCommand,
    Multiset,
    Outcome,
    Parameter,
    SeatResult,
    TextLimit,
)
from ludolog.kernel.ids import OMNISCIENT, SPECTATOR, Omniscient, Seat, Seated, Spectator, Viewer
from ludolog.kernel.judge import fold, judge, open_match
from ludolog.kernel.players import candidates, random_command
from ludolog.kernel.refusal import BadInput, Fact, OtherContent, Refusal, StaleDecision
from ludolog.kernel.rulebook import Bot, Component, Content, Events, Length, Rulebook, messages_of

__all__ = [
    "OMNISCIENT",
    "SPECTATOR",
    "BadInput",
    "Bot",
    "Cause",
    "Chance",
    "Choices",
    "Commanded",
    "Component",
    "Content",
    "Decision",
    "Domain",
    "Draw",
    "Events",
    "Fact",
    "IntegerRange",
    "Kind",
    "Label",
    "LegalCommand",
    "Length",
    "Multiset",
    "Omniscient",
    "OtherContent",
    "Outcome",
    "Parameter",
    "Refusal",
    "Resigned",
    "Rulebook",
    "Seat",
    "SeatResult",
    "Seated",
    "Spectator",
    "StaleDecision",
    "TextLimit",
    "TimedOut",
    "Union",
    "UnknownEvent",
    "Viewer",
    "candidates",
    "check",
    "fold",
    "judge",
    "messages_of",
    "open_match",
    "parse",
    "random_command",
]
