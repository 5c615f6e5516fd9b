"""Odds of a battle, by 2d6 against 2d6 (9), in parts of a thousand."""

from __future__ import annotations

from functools import cache

WOUND = 2
SIDES = range(1, 7)
WAYS = 6**4
THOUSAND = 1000


@cache
def round_odds(advantage: int) -> tuple[int, int]:
    """Ways of 1,296 to win and to lose a round with so much more SKILL than the other side."""
    totals = [a + b for a in SIDES for b in SIDES]
    win = sum(mine + advantage > theirs for mine in totals for theirs in totals)
    lose = sum(mine + advantage < theirs for mine in totals for theirs in totals)
    return win, lose


@cache
def chance_to_win(advantage: int, stamina: int, other: int) -> int:
    """Parts of a thousand that a fight to the death is won. `other` is the STAMINA of the other side."""
    if other <= 0:
        return THOUSAND
    if stamina <= 0:
        return 0
    win, lose = round_odds(advantage)
    after = win * chance_to_win(advantage, stamina, other - WOUND)
    after += lose * chance_to_win(advantage, stamina - WOUND, other)
    return after // (win + lose)
