"""The explorer opens the chest, among random players and among its own kind; the room's README has more figures."""

from statistics import median
from time import perf_counter

import pytest
from google.protobuf.message import Message

from ludolog.kernel import Bot, Seat, random_command
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Setting, Table, match_id_of
from ludolog.testkit.playing import Players, play

NAME = "warlock_of_firetop_mountain"
RULEBOOK = catalogue.load(NAME)
EXPLORER = RULEBOOK.bots["explorer"]


def match(seats: int, bots: dict[Seat, Bot], seed: str) -> Table:
    """Play one match to its end."""
    setting = Setting(match_id_of(NAME, seed), seats, RULEBOOK.options_type(), b"k" * 32)
    table = Table(RULEBOOK, setting, keep=False)
    play(table, Players.seeded(bots, seed))
    return table


@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_random_players(seats: int) -> None:
    """Each seat in turn; by chance it would win one match in `seats`, and random players don't open a chest in time."""
    won = 0
    for number in range(8):
        seat = Seat(number % seats + 1)
        bots = {Seat(other): EXPLORER if other == seat else random_command for other in range(1, seats + 1)}
        outcome = match(seats, bots, f"strength/{seats}/{number}").match.outcome
        won += outcome is not None and any(result.winner and result.seat == seat for result in outcome.results)
    assert won >= 6


def test_its_answers_are_quick() -> None:
    answers_ms = []

    def timed(view: Message, legal: object, seat: Seat, chance: SeededChance) -> Message | None:
        begun = perf_counter()
        answer = EXPLORER(view, legal, seat, chance)  # type: ignore[arg-type]
        answers_ms.append((perf_counter() - begun) * 1000)
        return answer

    match(3, {Seat(seat): timed for seat in (1, 2, 3)}, "quick")  # type: ignore[misc]
    assert median(answers_ms) < 10
