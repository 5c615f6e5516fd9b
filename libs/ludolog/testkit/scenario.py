"""Playing a scenario: each step through the same door as in a match, each expectation compared."""

from __future__ import annotations

import contextlib
import difflib
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from google.protobuf.message import Message

from ludolog.kernel import (
    OMNISCIENT,
    SPECTATOR,
    Cause,
    Commanded,
    Events,
    Kind,
    LegalCommand,
    Refusal,
    Resigned,
    Rulebook,
    Seat,
    Seated,
    TimedOut,
    Viewer,
    judge,
    open_match,
    wire,
)
from ludolog.testkit.matching import as_json, as_text, differences, parse_json
from ludolog.testkit.scenario_file import UNSET, Scenario, ScenarioError, Step
from ludolog.testkit.scripted import ScriptedChance, ScriptError
from ludolog.testkit.words import enum_names, legal_words, words


class ScenarioFailed(Exception):
    """The rules do something else than the scenario says."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a scenario went: without problems it passed."""

    scenario: Scenario
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True if everything was as the scenario says."""
        return not self.problems


@dataclass(slots=True)
class _Table:
    """A match under way in a scenario."""

    scenario: Scenario
    rulebook: Rulebook[Any]
    options: Message
    chance: ScriptedChance
    state: Any
    happened: list[tuple[Any, Message, Any]] = field(default_factory=list)

    def apply(self, events: Events) -> None:
        """Fold events as a reader of the log would: from their bytes."""
        for event in events:
            decoded = self.rulebook.events.decode_event(self.rulebook.events.encode(event))
            before, self.state = self.state, self.rulebook.evolve(self.state, decoded)
            self.happened.append((before, decoded, self.state))


def run(scenario: Scenario, load: Callable[[str], Rulebook[Any]]) -> Result:
    """Play one scenario. `load` finds a rulebook by its name, LookupError where there is none."""
    try:
        return Result(scenario, _problems(scenario, load))
    except (ScenarioError, ScenarioFailed, ScriptError, LookupError) as error:
        return Result(scenario, (str(error),))


def _problems(scenario: Scenario, load: Callable[[str], Rulebook[Any]]) -> tuple[str, ...]:
    try:
        return tuple(_play(scenario, load))
    except (ScenarioError, ScenarioFailed, ScriptError, LookupError):
        raise
    except Exception as error:  # whatever one scenario meets, the others are played
        raise ScenarioFailed(f"the room failed\n{_trace(error)}") from error


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(error)[-3:])


def happenings(scenario: Scenario, load: Callable[[str], Rulebook[Any]]) -> tuple[tuple[Any, Message, Any], ...]:
    """(state before, event, state after) for every event of a scenario, as far as it goes."""
    table = _table(scenario, load)
    with contextlib.suppress(ScenarioError, ScenarioFailed, ScriptError):
        _take_all(table)
    return tuple(table.happened)


def _play(scenario: Scenario, load: Callable[[str], Rulebook[Any]]) -> Iterator[str]:
    table = _table(scenario, load)
    _take_all(table)
    if left := table.chance.left_over():
        yield f"given.draws: left over: {left}"
    if table.state is not table.rulebook.blank:
        yield from _expect(table)


def _table(scenario: Scenario, load: Callable[[str], Rulebook[Any]]) -> _Table:
    rulebook = load(scenario.rulebook)
    options = parse_json(rulebook.options_type(), scenario.options, "given.options")
    return _Table(scenario, rulebook, options, ScriptedChance(scenario.draws), rulebook.blank)


def _take_all(table: _Table) -> None:
    """Play every step, the set-up first where there is no position."""
    scenario, steps = table.scenario, table.scenario.steps
    if scenario.position is not None:
        table.state = _from_position(table)
    elif not steps or steps[0].kind != "setup":
        steps = (Step(kind="setup"), *steps)
    first = 0 if len(steps) > len(scenario.steps) else 1
    for number, step in enumerate(steps, first):
        _take(table, step, _where(number, step))


def _where(number: int, step: Step) -> str:
    if step.kind == "command":
        name = next(iter(step.command), "nothing") if isinstance(step.command, dict) else step.command
        return f"step {number} (seat {step.seat}: {name})"
    if step.kind == "setup":
        return f"step {number} (set-up)" if number else "set-up"
    return f"step {number} (seat {step.seat}: {step.kind})"


def _from_position(table: _Table) -> Any:
    position = parse_json(table.rulebook.position_type(), table.scenario.position, "given.position")
    try:
        return table.rulebook.from_position(position, table.scenario.seats, table.options)
    except ValueError as error:
        raise ScenarioFailed(f"given.position: {error}") from error
    except Exception as error:  # a fault of the room is this scenario's failure, with its place
        raise ScenarioFailed(f"given.position: the room failed to read it\n{_trace(error)}") from error


def _take(table: _Table, step: Step, where: str) -> None:
    """Play one step. ScenarioFailed where it goes otherwise than expected."""
    drawn = len(table.chance.draws)
    before = _snapshot(table)
    try:
        events = _ask(table, step, where)
    except Refusal as refusal:
        if len(table.chance.draws) != drawn:
            raise ScenarioFailed(f"{where}: refused after it had drawn: {refusal}") from refusal
        if _snapshot(table) != before:
            raise ScenarioFailed(f"{where}: the refusal changed the state: {refusal}") from refusal
        _expect_refusal(step, refusal, where)
        return
    except (ScriptError, ScenarioError) as error:
        raise ScenarioFailed(f"{where}: {error}") from error
    except Exception as error:  # a fault of the rules is a failed scenario, with its place
        raise ScenarioFailed(f"{where}: the rules failed\n{_trace(error)}") from error
    if step.refused:
        done = "\n".join(_event_lines(table.rulebook, events))
        raise ScenarioFailed(f"{where}: expected the refusal {step.refused}, but it was accepted:\n{done}")
    if step.events is not None:
        _expect_events(table.rulebook, step.events, events, where)
    table.apply(events)


def _ask(table: _Table, step: Step, where: str) -> Events:
    if step.kind == "setup":
        return open_match(table.rulebook, table.options, table.scenario.seats, table.chance)
    return judge(table.rulebook, table.state, _cause(table, step, where), table.scenario.seats, table.chance)


def _cause(table: _Table, step: Step, where: str) -> Cause:
    rulebook, seat = table.rulebook, Seat(step.seat)
    match step.kind:
        case "timed_out":
            mine = [d.decision_id for d in rulebook.awaiting(table.state) if d.seat == seat]
            return TimedOut(step.decision_id or (mine[0] if mine else "none"), seat)
        case "resigned":
            return Resigned(seat)
        case _:
            command = parse_json(rulebook.command_type(), step.command, f"{where}: command")
            payload = rulebook.commands.decode_command(command.SerializeToString(deterministic=True))
            return Commanded(seat, payload, step.decision_id)


def _snapshot(table: _Table) -> bytes:
    return msgspec.msgpack.encode(table.state)


def _expect_refusal(step: Step, refusal: Refusal, where: str) -> None:
    if not step.refused:
        raise ScenarioFailed(f"{where}: refused: {refusal}")
    problems = []
    if refusal.reason != step.refused:
        problems.append(f"reason: expected {step.refused}, found {refusal.reason}")
    if step.section is not None and refusal.section != step.section:
        problems.append(f"section: expected {step.section!r}, found {refusal.section!r}")
    for name, value in (step.facts or {}).items():
        if name not in refusal.facts or refusal.facts[name] != value:
            problems.append(f"fact {name}: expected {value!r}, found {refusal.facts.get(name)!r}")
    if problems:
        raise ScenarioFailed(f"{where}: another refusal ({refusal}): " + "; ".join(problems))


def _event_lines(rulebook: Rulebook[Any], events: Sequence[Message]) -> list[str]:
    return [line for event in events for line in as_text(rulebook.events.wrap(event)).splitlines()]


def _expect_events(rulebook: Rulebook[Any], expected: list[Any], events: Events, where: str) -> None:
    wanted = []
    for number, item in enumerate(expected, 1):
        payload = rulebook.events.unwrap(parse_json(rulebook.event_type(), item, f"{where}: event {number}"))
        if payload is None:
            raise ScenarioError(f"{where}: event {number}: names no event")
        wanted.append(payload)
    if [(type(e), e) for e in wanted] != [(type(e), e) for e in events]:
        lines = difflib.unified_diff(
            _event_lines(rulebook, wanted), _event_lines(rulebook, events), "expected", "found", lineterm="", n=6
        )
        raise ScenarioFailed(f"{where}: other events\n" + "\n".join(lines))


def _expect(table: _Table) -> Iterator[str]:
    """Yield where the end isn't as expected."""
    then, rulebook, state = table.scenario.then, table.rulebook, table.state
    for who, wanted in then.views.items():
        for problem in differences(wanted, rulebook.view(state, _checked(table, who))):
            yield f"view of {_name(who)}: {problem}"
    for who, names in then.hidden.items():
        seen = _seen(table, _checked(table, who))
        for name in names:
            _check_name(rulebook, name)
            if name in seen:
                yield f"hidden from {_name(who)}: {name} stands in its {seen[name]}"
    for seat, entries in then.legal.items():
        _checked(table, Seated(Seat(seat)))
        yield from _expect_legal(
            rulebook.legal_commands(state, Seat(seat)), entries, rulebook, f"legal for seat {seat}"
        )
    if then.awaiting is not UNSET:
        yield from _expect_awaiting(table, then.awaiting)
    if then.outcome is not UNSET:
        yield from _expect_outcome(table, then.outcome)


def _checked(table: _Table, who: Viewer) -> Viewer:
    if isinstance(who, Seated) and who.seat > table.scenario.seats:
        raise ScenarioError(f"then: there is no seat {who.seat}, only {table.scenario.seats}")
    return who


def _name(who: Viewer) -> str:
    return f"seat {who.seat}" if isinstance(who, Seated) else {SPECTATOR: "spectator", OMNISCIENT: "omniscient"}[who]


def _check_name(rulebook: Rulebook[Any], name: str) -> None:
    """A misspelt enum value (PREFIX_NAME) would be hidden from everybody: those must exist. Ids of cards are free."""
    known = enum_names(rulebook.view_type.DESCRIPTOR.file)
    if name.isupper() and "_" in name and name not in known:
        raise ScenarioError(f"then.hidden: {name} isn't one of {', '.join(sorted(known))}")


def _seen(table: _Table, who: Viewer) -> dict[str, str]:
    """Every word that a viewer was sent since the beginning → where it stood."""
    rulebook = table.rulebook
    seen: dict[str, str] = {}
    for before, event, after in table.happened:
        for public in rulebook.feed(before, event, after, who):
            seen |= dict.fromkeys(words(public), f"feed: {as_json(public)}")
    if isinstance(who, Seated):
        entries = rulebook.legal_commands(table.state, who.seat)
        seen |= dict.fromkeys(legal_words(rulebook, entries), "legal commands")
    return seen | dict.fromkeys(words(rulebook.view(table.state, who)), "view")


def _expect_legal(
    legal: Sequence[LegalCommand], expected: list[Any], rulebook: Rulebook[Any], where: str
) -> Iterator[str]:
    listed = [rulebook.commands.wrap(entry.command) for entry in legal]
    shown = "\n".join(f"  {as_json(command)}" for command in listed) or "  nothing"
    moves = [entry for entry in legal if entry.kind is not Kind.TALK]
    if not expected and moves:
        yield f"{where}: expected none, found\n{shown}"
    for wanted in expected:
        fits = [
            not list(differences(wanted, command, ignore=[parameter.path for parameter in entry.parameters]))
            for entry, command in zip(legal, listed, strict=True)
        ]
        if not fits:
            parse_json(rulebook.command_type(), wanted, where)
        if not any(fits):
            yield f"{where}: nothing fits {wanted} among\n{shown}"


def _expect_awaiting(table: _Table, expected: list[Any]) -> Iterator[str]:
    found = wire.decisions(table.rulebook.awaiting(table.state))
    left = list(found)
    for wanted in expected:
        fitting = [decision for decision in left if not list(differences(wanted, decision))]
        if not fitting:
            break
        left.remove(fitting[0])
    if left or len(expected) != len(found):
        yield f"awaiting: expected {expected}, found {[as_json(decision) for decision in found]}"


def _expect_outcome(table: _Table, expected: Any) -> Iterator[str]:
    found = table.rulebook.outcome(table.state)
    if expected is None:
        if found is not None:
            yield f"outcome: expected none, found {found.reason}"
        return
    if found is None:
        yield f"outcome: expected {expected}, found none"
        return
    wanted = {"reason": expected} if isinstance(expected, str) else dict(expected)
    if "winners" in wanted:
        winners = [result.seat for result in found.results if result.winner]
        if sorted(wanted.pop("winners")) != winners:
            yield f"outcome: winners: expected {expected['winners']}, found {winners}"
    for problem in differences(wanted, wire.outcome(found)):
        yield f"outcome: {problem}"
