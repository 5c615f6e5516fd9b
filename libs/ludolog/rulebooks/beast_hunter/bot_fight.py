"""The house player in combat: exact odds of a fight to its end, by working back from its last blow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

FACES = range(1, 7)
WAYS = 36
GUARDED = 2
"""Rolls for which Ambush or cunning can last."""
ESCAPES_ON = 5
CRITICAL = 1
FIGHTS = 4096
"""Fights whose odds are remembered."""


@dataclass(frozen=True, slots=True)
class Foe:
    """What two dice do in a fight. `ignored`, `untouched`: rolls for which no damage is taken, or none dealt."""

    attacks_to: int
    hit_from: int
    cowed: bool = False
    doubles: bool = False
    capped: bool = False
    ignored: int = 0
    untouched: int = 0


@dataclass(frozen=True, slots=True)
class Stakes:
    """What is to be won: worth of each number of hit points (0: death), of a kill, of what is left of a beast."""

    health: tuple[float, ...]
    kill: float
    wound: float = 0.0
    blows: int = 0
    """Damage that items can deal at any moment; a beast that has no more left is as good as dead."""


def dealt(foe: Foe, dice: Sequence[int]) -> int:
    """What a combat roll does to a beast that can be touched."""
    critical = dice[0] == dice[1] and (dice[0] == FACES[-1] or (foe.doubles and dice[0] >= foe.hit_from))
    return sum(die >= foe.hit_from for die in dice) + CRITICAL * critical


def taken(foe: Foe, dice: Sequence[int], blow: int) -> int:
    """What it does to the hunter, if the beast lives."""
    most = max(foe.attacks_to - (foe.cowed and blow > 0), 1)
    hits = sum(die <= most for die in dice)
    return min(hits, 1) if foe.capped else hits


@cache
def _attacks(foe: Foe) -> tuple[tuple[int, int, float], ...]:
    count = Counter((dealt(foe, dice), taken(foe, dice, dealt(foe, dice))) for dice in product(FACES, FACES))
    return tuple((blow, bite, ways / WAYS) for (blow, bite), ways in sorted(count.items()))


@cache
def _escapes(foe: Foe) -> tuple[float, tuple[tuple[int, float], ...]]:
    stays = [dice for dice in product(FACES, FACES) if max(dice) < ESCAPES_ON]
    count = Counter(taken(foe, dice, 0) for dice in stays)
    return 1 - len(stays) / WAYS, tuple((bite, ways / WAYS) for bite, ways in sorted(count.items()))


class Fight:
    """Worth of every position of a fight, with the best of going on and escaping in each."""

    def __init__(self, foe: Foe, stakes: Stakes) -> None:
        self._foe = foe
        self.stakes = stakes
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}

    def worth(self, hit_points: int, beast: int, rolls: int = 0) -> float:
        """Of `hit_points` against `beast` hit points after so many rolls (those for which a guard lasts count)."""
        stakes = self.stakes
        if beast <= 0:
            return stakes.health[max(hit_points, 0)] + stakes.kill
        if hit_points <= 0:
            return stakes.health[0]
        if beast <= stakes.blows and rolls >= self._foe.untouched:
            return stakes.health[hit_points] + stakes.kill
        return max(self.choices(hit_points, beast, rolls))

    def choices(self, hit_points: int, beast: int, rolls: int = 0) -> tuple[float, float]:
        """Worth of an attack, and of an escape."""
        key = hit_points, beast, min(rolls, GUARDED)
        if key not in self._known:
            self._known[key] = self._work_out(*key)
        return self._known[key]

    def after(self, dice: Sequence[int], hit_points: int, beast: int, rolls: int) -> float:
        """Worth of a combat roll's outcome; `rolls` were made before it."""
        blow = 0 if rolls < self._foe.untouched else dealt(self._foe, dice)
        bite = 0 if rolls < self._foe.ignored or blow >= beast else taken(self._foe, dice, blow)
        return self.worth(hit_points - bite, beast - blow, rolls + 1)

    def fled(self, dice: Sequence[int], hit_points: int, beast: int, rolls: int) -> float:
        """Worth of an escape roll's outcome."""
        if max(dice) >= ESCAPES_ON:
            return self._away(hit_points, beast)
        bite = 0 if rolls < self._foe.ignored else taken(self._foe, dice, 0)
        return self.worth(hit_points - bite, beast, rolls + 1)

    def _away(self, hit_points: int, beast: int) -> float:
        return self.stakes.health[hit_points] - self.stakes.wound * beast

    def _work_out(self, hit_points: int, beast: int, rolls: int) -> tuple[float, float]:
        here = (hit_points, beast, min(rolls + 1, GUARDED))
        (attack, again), (escape, stuck) = self._attack(here, rolls), self._escape(here, rolls)
        if here[2] != rolls:
            return attack, escape
        # A roll without effect leads back here: the better choice is made again and again.
        best_attack = attack / (1 - again) if again < 1 else float("-inf")
        best_escape = escape / (1 - stuck)
        best = max(best_attack, best_escape)
        return attack + again * best, escape + stuck * best

    def _attack(self, after: tuple[int, int, int], before: int) -> tuple[float, float]:
        hit_points, beast, rolls = after
        total = again = 0.0
        for could, bites, chance in _attacks(self._foe):
            blow = could if before >= self._foe.untouched else 0
            bite = bites if before >= self._foe.ignored and blow < beast else 0
            if rolls == before and not blow and not bite:
                again += chance
            else:
                total += chance * self.worth(hit_points - bite, beast - blow, rolls)
        return total, again

    def _escape(self, after: tuple[int, int, int], before: int) -> tuple[float, float]:
        hit_points, beast, rolls = after
        away, stays = _escapes(self._foe)
        total, stuck = away * self._away(hit_points, beast), 0.0
        for bites, chance in stays:
            bite = bites if before >= self._foe.ignored else 0
            if rolls == before and not bite:
                stuck += chance
            else:
                total += chance * self.worth(hit_points - bite, beast, rolls)
        return total, stuck


@lru_cache(FIGHTS)
def fight(foe: Foe, stakes: Stakes) -> Fight:
    """The fight, with what was already worked out of it."""
    return Fight(foe, stakes)
