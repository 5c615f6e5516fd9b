"""What is done to whom: drawn by a seed, so that it can be done again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

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
TWO_AT_ONCE = 0.2
DOUBLED = (ENGINE, GATEWAY, SPECTATOR)
"""There are two processes of each."""


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


Step: TypeAlias = tuple[Attack, ...] | str
"""One attack, or two at once; or an upset."""


def plan(seed: int, kills: int, only: str = "") -> Iterator[Step]:
    """Attacks, with an upset now and then. `only`: victims of one kind, one at a time."""
    chance = random.Random(seed)
    attacks = _attacks(chance, kills, only)
    upsets: list[str] = []
    since = 0
    for attack in attacks:
        blows: tuple[Attack, ...] = (attack,)
        if not only and chance.random() < TWO_AT_ONCE and (other := next(attacks, None)) is not None:
            if other.victim == attack.victim and attack.victim in DOUBLED:
                other = replace(other, which=(attack.which + 0.5) % 1)
            blows = (attack, other)
        # What is there once can't be hit twice at once.
        yield from [blows] if len({_process(blow) for blow in blows}) == len(blows) else [(blow,) for blow in blows]
        since += len(blows)
        if since >= UPSET_EVERY and not only:
            since -= UPSET_EVERY
            upsets = upsets or chance.sample(UPSETS, len(UPSETS))
            yield upsets.pop()


def _attacks(chance: random.Random, kills: int, only: str) -> Iterator[Attack]:
    """Card after card; a new deck when the old one is through."""
    cards: list[tuple[str, str]] = []
    for number in range(1, kills + 1):
        if not cards:
            cards = [card for card in DECK if only in ("", card[0], " ".join(card))]
            chance.shuffle(cards)
        victim, how = cards.pop()
        yield Attack(number, victim, how, chance.random(), chance.uniform(0.0, 3.0))


def _process(attack: Attack) -> tuple[str, int]:
    return attack.victim, int(attack.which * 2) if attack.victim in DOUBLED else 0
