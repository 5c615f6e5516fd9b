"""How strong is a player? Games of Beast Hunter on the same seeds, whoever plays.

`python -m tests.property.beast_hunter.solo planner 500` prints a row of the room's README.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from statistics import mean, median, stdev

from ludolog.kernel import Bot, Seat
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.names import EndReason
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Players, Timed, play

NAME = "beast_hunter"
NINETY_FIVE = 1.96


@dataclass(frozen=True)
class Games:
    """Scores and ends of some games."""

    scores: tuple[int, ...]
    ends: tuple[EndReason, ...]

    @property
    def mean(self) -> float:
        """Mean score."""
        return mean(self.scores)

    @property
    def margin(self) -> float:
        """Half of the 95 % interval of the mean score."""
        return NINETY_FIVE * stdev(self.scores) / math.sqrt(len(self.scores))

    @property
    def wins(self) -> float:
        """Share of games in which all three beasts died."""
        return self.ends.count(EndReason.VICTORY) / len(self.ends)

    @property
    def wins_margin(self) -> float:
        """Half of its 95 % interval."""
        return NINETY_FIVE * math.sqrt(self.wins * (1 - self.wins) / len(self.ends))


def game(bot: Bot, number: int) -> tuple[int, EndReason]:
    """Play a game; the same number gives the same dice as long as the same is done."""
    rulebook = catalogue.load(NAME)
    setting = Setting(match_id_of(NAME, "solo", number), 1, rulebook.options_type(), digest_of("solo"))
    table = Table(rulebook, setting, keep=False)
    play(table, Players.seeded({Seat(1): bot}, f"solo/{number}"))
    assert table.match.outcome is not None
    (result,) = table.match.outcome.results
    return result.score or 0, EndReason(table.game.ending)


def games(bot: Bot, numbers: range) -> Games:
    """Play these games."""
    scores, ends = zip(*(game(bot, number) for number in numbers), strict=True)
    return Games(scores, ends)


def main(kind: str, count: str) -> None:
    """Print a row: score, wins, ends, answers."""
    timed = Timed(catalogue.load(NAME).bots[kind])
    played = games(timed, range(int(count)))
    ends = ", ".join(f"{end.name} {played.ends.count(end)}" for end in EndReason if end in played.ends)
    print(  # noqa: T201 - for a person at a terminal
        f"| {kind} | {played.mean:.1f} ± {played.margin:.1f} | {played.wins:.1%} ± {played.wins_margin:.1%} | {ends} | "
        f"{median(timed.answers_ms):.2f} / {max(timed.answers_ms):.1f} |"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
