"""Playing an offline match to its end: who is asked, in which order, and what counts as a fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import thread_time

from google.protobuf.message import Message

from ludolog.kernel import (
    Bot,
    Chance,
    Decision,
    Kind,
    LegalCommand,
    Refusal,
    Seat,
    Seated,
    TimedOut,
    random_command,
)
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Table

TALK_PER_MOVE = 50
"""A match with more commits a move than this has players who talk for ever."""


class MatchFault(Exception):
    """A match that breaks what every rulebook promises."""


@dataclass(slots=True)
class Players:
    """Who plays a match: a bot for each seat, each with a chance of its own."""

    bots: Mapping[Seat, Bot]
    chances: Mapping[Seat, SeededChance]
    order: SeededChance

    @classmethod
    def seeded(cls, bots: Mapping[Seat, Bot], seed: str) -> Players:
        """Give each bot its own stream of chance, so that none disturbs another."""
        chances = {seat: SeededChance(f"{seed}/seat/{seat}") for seat in bots}
        return cls(bots, chances, SeededChance(f"{seed}/order"))


@dataclass(slots=True)
class Timed:
    """A bot whose answers are timed, in milliseconds of processor time: what else the machine does plays no part."""

    bot: Bot
    answers_ms: list[float] = field(default_factory=list)

    def __call__(self, view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
        """Answer as the bot does."""
        began_s = thread_time()
        command = self.bot(view, legal, seat, chance)
        self.answers_ms.append((thread_time() - began_s) * 1000)
        return command


@dataclass(slots=True)
class Course:
    """How a match went: MOVE commands, other commands, decisions that ran out."""

    moves: int = 0
    talk: int = 0
    timeouts: int = 0


def play(table: Table, players: Players) -> Course:
    """Play until the outcome. MatchFault for a refused legal command, a stuck match, or one beyond its bound."""
    course = Course()
    while table.match.outcome is None:
        decisions = table.rulebook.awaiting(table.game)
        if not _anybody_acts(table, players, decisions, course):
            _time_out(table, decisions, course)
        bound = table.rulebook.longest_match
        if course.moves + course.timeouts > bound:
            raise MatchFault(f"longer than {bound} moves")
        if course.talk > bound * TALK_PER_MOVE:
            raise MatchFault(f"more than {bound * TALK_PER_MOVE} commands without a move")
    return course


def _anybody_acts(table: Table, players: Players, decisions: tuple[Decision, ...], course: Course) -> bool:
    """Ask the seats in random order until one does something."""
    awaited = {decision.seat for decision in decisions}
    blocked = any(decision.blocking for decision in decisions)
    for seat in players.order.shuffle("who is asked", sorted(players.bots)):
        bot = players.bots[seat]
        if bot is random_command and blocked and seat not in awaited:
            continue  # it only moves, and nobody else can make a move before
        legal = table.rulebook.legal_commands(table.game, seat)
        command = bot(_view(table, bot, seat), legal, seat, players.chances[seat]) if legal else None
        if command is not None:
            _submit(table, seat, command, legal, course)
            return True
    return False


def _view(table: Table, bot: Bot, seat: Seat) -> Message:
    """The seat's view; the random bot doesn't look at it."""
    return table.rulebook.view_type() if bot is random_command else table.rulebook.view(table.game, Seated(seat))


def _submit(table: Table, seat: Seat, command: Message, legal: tuple[LegalCommand, ...], course: Course) -> None:
    entry = next((entry for entry in legal if type(entry.command) is type(command)), None)
    if entry is None:
        raise MatchFault(f"seat {seat} answers {command.DESCRIPTOR.name}, which isn't listed")
    try:
        table.command(seat, command, entry.decision_id)
    except Refusal as refusal:
        raise MatchFault(f"seat {seat}: {command.DESCRIPTOR.name} is listed and refused: {refusal}") from refusal
    if entry.kind is Kind.MOVE:
        course.moves += 1
    else:
        course.talk += 1


def _time_out(table: Table, decisions: tuple[Decision, ...], course: Course) -> None:
    """Nobody does anything: the platform's clock would take the default of an open decision."""
    if not decisions:
        raise MatchFault("nobody is to decide anything, and the match isn't over")
    try:
        table.happen(TimedOut(decisions[0].decision_id, decisions[0].seat))
    except Refusal as refusal:
        raise MatchFault(f"the default of {decisions[0].decision_id} is refused: {refusal}") from refusal
    course.timeouts += 1
