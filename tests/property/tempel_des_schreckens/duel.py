"""How strong is a player? Each deal is played twice: once the adventurers are bots of the kind, once the guardians are.

`python -m tests.property.tempel_des_schreckens.duel belief random 400 3 5 7 10` prints the table of the room's README.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from statistics import median

from ludolog.kernel import Bot, Seat
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.state import EndReason, Role
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Players, Timed, play

NAME = "tempel_des_schreckens"


@dataclass(frozen=True)
class Score:
    """Wins of a kind in as many deals, as adventurers and as guardians."""

    deals: int
    as_adventurers: int
    as_guardians: int

    @property
    def share(self) -> float:
        """Share of matches won; an equal player would win half of them."""
        return (self.as_adventurers + self.as_guardians) / (2 * self.deals)

    @property
    def margin(self) -> float:
        """Half of the 95 % interval of the share, the two matches of a deal taken as independent."""
        return 1.96 * math.sqrt(self.share * (1 - self.share) / (2 * self.deals))


def adventurers_win(seats: int, deal: int, adventurers: Bot, guardians: Bot, *, memory_mode: bool = False) -> bool:
    """Play a deal. The same number of a deal gives the same cards, whoever plays."""
    rulebook = catalogue.load(NAME)
    match_id = match_id_of(NAME, "duel", seats, deal)
    options = rulebook.options_type(memory_mode=memory_mode)
    table = Table(rulebook, Setting(match_id, seats, options, digest_of("duel")), keep=False)
    bots = {
        Seat(seat): adventurers if role is Role.ADVENTURER else guardians
        for seat, role in enumerate(table.game.roles, 1)
    }
    play(table, Players.seeded(bots, f"duel/{seats}/{deal}"))
    return bool(table.game.ending is EndReason.ALL_GOLD)


def duel(kind: Bot, other: Bot, seats: int, deals: int, *, memory_mode: bool = False) -> Score:
    """Play so many deals twice."""
    numbers = range(deals)
    won = sum(adventurers_win(seats, deal, kind, other, memory_mode=memory_mode) for deal in numbers)
    lost = sum(adventurers_win(seats, deal, other, kind, memory_mode=memory_mode) for deal in numbers)
    return Score(deals, won, deals - lost)


def main(kind: str, other: str, deals: str, *seats: str) -> None:
    """Print a row for each number of seats, in the open and in memory mode."""
    bots = catalogue.load(NAME).bots
    for number in map(int, seats):
        for memory_mode in (False, True):
            timed = Timed(bots[kind])
            score = duel(timed, bots[other], number, int(deals), memory_mode=memory_mode)
            thinking = [ms for ms in timed.answers_ms if ms > 0.1] or timed.answers_ms
            print(  # noqa: T201 - for a person at a terminal
                f"| {number} | {'on' if memory_mode else 'off'} | {score.as_adventurers / score.deals:.0%} | "
                f"{score.as_guardians / score.deals:.0%} | {score.share:.1%} ± {score.margin:.1%} | "
                f"{median(thinking):.2f} / {max(timed.answers_ms):.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
