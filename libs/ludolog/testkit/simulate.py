"""Many matches offline, through the same kernel, causes and blocks as on the platform; what they come to in figures."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any, Literal, TypeAlias

from ludolog.kernel import Bot, Content, Refusal, Rulebook, Seat, parse
from ludolog.record.file import overridden, write_record
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Course, Players, play

Who: TypeAlias = Literal["random", "bot", "mixed"]
CHUNKS_A_JOB = 8
SHOWN_FAULTS = 5


@dataclass(frozen=True)
class Plan:
    """What to simulate. Match number i (from `first`) is a function of this and i, whatever else is played."""

    rulebook: str
    seats: tuple[int, ...]
    matches: int
    seed: str
    options: bytes = b""
    players: Who = "random"
    first: int = 1
    records: Path | None = None
    content: Content | None = None
    keep: bool = False

    def load(self) -> Rulebook[Any]:
        """The rulebook, with the printed content or another."""
        if self.content is None:
            return catalogue.load(self.rulebook)
        return catalogue.build(self.rulebook, self.content)


@dataclass(frozen=True, slots=True)
class Fault:
    """A match that went wrong."""

    number: int
    problem: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """What one match came to."""

    number: int
    ending: str
    moves: int
    talk: int
    timeouts: int
    scores: tuple[int, ...]
    bots: tuple[tuple[str, bool], ...]
    """For each seat: kind of player, and whether it won."""
    seats: int = 0
    length: int | None = None
    """By the rulebook's own count; None where it has none."""


def simulate(plan: Plan, jobs: int = 1, progress: Callable[[int], None] = lambda _: None) -> Iterator[Played | Fault]:
    """Play all matches of a plan in order of their numbers. `progress` is told how many more are done.

    UnknownRulebook, Refusal for options and seats that the book doesn't allow, before the first match.
    """
    check(plan)
    numbers = range(plan.first, plan.first + plan.matches)
    if jobs <= 1 or plan.matches == 1:
        rulebook = plan.load()
        for number in numbers:
            yield play_one(plan, rulebook, number)
            progress(1)
        return
    size = max(1, -(-plan.matches // (jobs * CHUNKS_A_JOB)))
    chunks = [numbers[start : start + size] for start in range(0, plan.matches, size)]
    from ludolog.testkit.worker import shared  # noqa: PLC0415 - a worker is a simulation too

    with contextlib.closing(shared(plan, chunks, jobs)) as played:
        for results in played:
            yield from results
            progress(len(results))


def check(plan: Plan) -> None:
    """Found one match for each number of seats, so that wrong arguments show as such and not as faults."""
    rulebook = plan.load()
    for seats in plan.seats:
        Table(rulebook, _setting(plan, rulebook, 0, seats), keep=False)


def play_chunk(plan: Plan, rulebook: Rulebook[Any], numbers: range) -> list[Played | Fault]:
    """Play some matches of a plan."""
    return [play_one(plan, rulebook, number) for number in numbers]


def _setting(plan: Plan, rulebook: Rulebook[Any], number: int, seats: int) -> Setting:
    options = parse(rulebook.options_type, plan.options, "options")
    match_id = match_id_of(plan.rulebook, plan.seed, number, seats)
    return Setting(match_id, seats, options, digest_of("simulate", plan.seed))


def play_one(plan: Plan, rulebook: Rulebook[Any], number: int) -> Played | Fault:
    """Play match `number` of a plan. Whatever goes wrong is a fault, never an exception."""
    seats = plan.seats[number % len(plan.seats)]
    seed = f"{plan.seed}/{plan.rulebook}/{seats}/{number}"
    kinds = _kinds(plan, rulebook, seats, seed)
    try:
        table = Table(rulebook, _setting(plan, rulebook, number, seats), keep=plan.keep or plan.records is not None)
        bots: dict[Seat, Bot] = {Seat(s): rulebook.bots[kind] for s, kind in enumerate(kinds, 1)}
        course = play(table, Players.seeded(bots, seed))
        if plan.records is not None:
            path = plan.records / f"{table.setting.match_id}.jsonl"
            path.write_bytes(write_record(table.records, table.seed, content=_overridden(plan)))
    except Exception as error:  # noqa: BLE001 - finding these is what a simulation is for
        problem = str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
        return Fault(number, problem, traceback.format_exc())
    return _played(number, table, course, kinds)


def _kinds(plan: Plan, rulebook: Rulebook[Any], seats: int, seed: str) -> tuple[str, ...]:
    """Which kind of player sits where; mixed: at least one of each, where there are two seats."""
    best = next(iter(rulebook.bots))
    if plan.players == "random":
        return ("random",) * seats
    if plan.players == "bot":
        return (best,) * seats
    chance = SeededChance(f"{seed}/kinds")
    some = [chance.choose("kind", ("random", best)) for _ in range(max(seats - 2, 0))]
    return chance.shuffle("kinds", [best, "random", *some][:seats])


def _overridden(plan: Plan) -> dict[str, bytes]:
    return overridden(plan.content, catalogue.read_content(plan.rulebook)) if plan.content is not None else {}


def _played(number: int, table: Table, course: Course, kinds: tuple[str, ...]) -> Played:
    outcome = table.rulebook.outcome(table.game)
    results = outcome.results if outcome else ()
    return Played(
        number=number,
        ending=table.match.outcome.reason if table.match.outcome else "",
        moves=course.moves,
        talk=course.talk,
        timeouts=course.timeouts,
        scores=tuple(result.score for result in results if result.score is not None),
        bots=tuple((kinds[result.seat - 1], result.winner) for result in results),
        seats=table.setting.seats,
        length=length.of(table.game) if (length := table.rulebook.length) else None,
    )


def summary(rulebook: Rulebook[Any], results: list[Played | Fault], seconds: float) -> dict[str, Any]:
    """The figures of a simulation, as `ludolog simulate --json` prints them; `seconds` is the time that it took."""
    played = [result for result in results if isinstance(result, Played)]
    endings = Counter(dict.fromkeys(rulebook.endings, 0))
    endings.update(result.ending for result in played)
    moves = [result.moves for result in played]
    figures: dict[str, Any] = {
        "rulebook": rulebook.name,
        "matches": len(results),
        "faults": len(results) - len(played),
        "endings": dict(endings),
        "decisions": {"median": median(moves) if moves else 0, "max": max(moves, default=0)},
        "seconds": round(seconds, 3),
    }
    if scores := [score for result in played for score in result.scores]:
        figures["scores"] = _distribution(scores)
    if rulebook.length is not None and played:
        figures["length"] = _lengths(rulebook.length.unit, played)
    if timeouts := sum(result.timeouts for result in played):
        figures["timeouts"] = timeouts
    if len(kinds := _wins(played)) > 1:
        figures["players"] = kinds
    return figures


def _distribution(scores: list[int]) -> dict[str, Any]:
    """How the scores of all seats lie: `deciles` has the nine cuts between ten parts of as many scores each."""
    cuts = quantiles(scores, n=10, method="inclusive") if len(scores) > 1 else scores * 9
    return {
        "min": min(scores),
        "median": median(scores),
        "max": max(scores),
        "mean": round(mean(scores), 2),
        "deciles": [round(cut, 1) for cut in cuts],
    }


def _lengths(unit: str, played: list[Played]) -> dict[str, Any]:
    """How long matches were by the rulebook's own count: in all, and for each number of seats."""
    found: dict[int, list[int]] = {seats: [] for seats in sorted({result.seats for result in played})}
    for result in played:
        found[result.seats].append(result.length or 0)
    by_seats = {str(seats): {"matches": len(some), **_spread(some)} for seats, some in found.items()}
    return {"unit": unit, **_spread([length for some in found.values() for length in some]), "by_seats": by_seats}


def _spread(values: list[int]) -> dict[str, float]:
    """Median, the tenth and ninetieth parts of a hundred, and the most."""
    cuts = quantiles(values, n=10, method="inclusive") if len(values) > 1 else values * 9
    return {"median": median(values), "p10": round(cuts[0], 1), "p90": round(cuts[-1], 1), "max": max(values)}


def _wins(played: list[Played]) -> Mapping[str, Mapping[str, int]]:
    seats: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for result in played:
        for kind, won in result.bots:
            seats[kind] += 1
            wins[kind] += won
    return {kind: {"seats": seats[kind], "wins": wins[kind]} for kind in sorted(seats)}


def timed(
    plan: Plan, jobs: int, progress: Callable[[int], None] = lambda _: None
) -> tuple[list[Played | Fault], float]:
    """Simulate and take the time, in seconds."""
    began = time.monotonic()
    results = list(simulate(plan, jobs, progress))
    return results, time.monotonic() - began
