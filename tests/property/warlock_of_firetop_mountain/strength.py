"""How strong the explorer is, and how quick: `python -m tests.property.warlock_of_firetop_mountain.strength [matches]`.

For 2, 4 and 6 seats: so many matches (200) of one explorer among random players, each seat in turn. Prints the share
that it wins with the 95 % interval (Wilson), what it would win by chance, and how long its answers take (ms of CPU).
"""

from __future__ import annotations

import sys
from math import sqrt
from statistics import median

from ludolog.kernel import Bot, Seat, random_command
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Setting, Table, match_id_of
from ludolog.testkit.playing import Players, Timed, play

NAME = "warlock_of_firetop_mountain"
RULEBOOK = catalogue.load(NAME)
EXPLORER = RULEBOOK.bots["explorer"]
Z = 1.96
"""Of the normal distribution, for 95 %."""


def match(seats: int, bots: dict[Seat, Bot], seed: str) -> Table:
    """Play one match to its end."""
    setting = Setting(match_id_of(NAME, seed), seats, RULEBOOK.options_type(), b"k" * 32)
    table = Table(RULEBOOK, setting, keep=False)
    play(table, Players.seeded(bots, seed))
    return table


def wins(seats: int, number: int, explorer: Bot = EXPLORER) -> bool:
    """Whether the explorer wins match `number` against random players; its seat goes round."""
    seat = Seat(number % seats + 1)
    bots = {Seat(other): explorer if other == seat else random_command for other in range(1, seats + 1)}
    outcome = match(seats, bots, f"strength/{seats}/{number}").match.outcome
    return outcome is not None and any(result.winner and result.seat == seat for result in outcome.results)


def wilson(won: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, square = won / of, Z * Z
    middle, half = share + square / (2 * of), Z * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return (middle - half) / (1 + square / of), (middle + half) / (1 + square / of)


def main(matches: int) -> None:
    """Print a line for each number of seats."""
    for seats in (2, 4, 6):
        timed = Timed(EXPLORER)
        won = sum(wins(seats, number, timed) for number in range(matches))
        low, high = wilson(won, matches)
        middle_ms, worst_ms = median(timed.answers_ms), max(timed.answers_ms)
        sys.stdout.write(
            f"{seats} seats: {won} of {matches} won, {won / matches:.1%} ({low:.1%} to {high:.1%}), by chance "
            f"{1 / seats:.1%}; answers: median {middle_ms:.2f} ms, worst {worst_ms:.0f} ms\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
