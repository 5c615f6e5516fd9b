"""What is done to whom: drawn by a seed, so that it can be done again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

KILL, PAUSE, STOP = "kill", "pause", "stop"
ENGINE, GATEWAY, SPECTATOR = "engine", "gateway", "spectator"
REPLAY, RNG, MATCHMAKING = "replay", "rng", "matchmaking"
REDIS, POSTGRES, BROKER = "redis", "postgres", "broker"
FLUSH, DROP, REBUILD = "flush", "drop", "rebuild"
UPSETS = (FLUSH, DROP, REBUILD)
"""The cache is emptied; the archive's tables are dropped; the archive begins again from the start of the log."""

# Twenty cards: with as many kills, everything happens once at least.
DECK = (
    *[(ENGINE, KILL)] * 4,
    *[(ENGINE, PAUSE)] * 2,
    (ENGINE, STOP),
    *[(GATEWAY, KILL)] * 2,
    (GATEWAY, PAUSE),
    *[(SPECTATOR, KILL)] * 2,
    (SPECTATOR, PAUSE),
    (REPLAY, KILL),
    (RNG, KILL),
    *[(MATCHMAKING, KILL)] * 2,
    (REDIS, KILL),
    (POSTGRES, KILL),
    (BROKER, KILL),
)
UPSET_EVERY = 6


@dataclass(frozen=True, slots=True)
class Attack:
    """One of the kills. `which`: 0 to 1, over the processes of that kind; `down_s`: until it is started again."""

    number: int
    victim: str
    how: str
    which: float
    down_s: float

    @property
    def kind(self) -> str:
        """Whom and how, for tables."""
        return f"{self.victim} {self.how}"


def plan(seed: int, kills: int, only: str = "") -> Iterator[Attack | str]:
    """Attacks, with an upset now and then. `only`: victims of one kind."""
    chance = random.Random(seed)
    cards: list[tuple[str, str]] = []
    upsets: list[str] = []
    for number in range(1, kills + 1):
        if not cards:
            cards = [card for card in DECK if only in ("", card[0], " ".join(card))]
            chance.shuffle(cards)
        victim, how = cards.pop()
        yield Attack(number, victim, how, chance.random(), chance.uniform(0.0, 3.0))
        if number % UPSET_EVERY == 0 and not only:
            if not upsets:
                upsets = list(UPSETS)
                chance.shuffle(upsets)
            yield upsets.pop()
