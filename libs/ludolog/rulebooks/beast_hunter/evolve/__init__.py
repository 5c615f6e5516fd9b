"""State × event → state: remembers, doesn't judge. Old events fold for ever.

Every event makes the state one moment older. The state before a placement is kept until dice are drawn, or until the
player does something else than placing: `PlacementUndone` goes back to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve import combat, searching, village
from ludolog.rulebooks.beast_hunter.state import Game

BEFORE_A_PLACEMENT = frozenset({pb.DiePlaced, pb.TowerDiePlaced, pb.ForgeDiePlaced, pb.FaultMade})
"""The first event of a placement's commit: the state before it can be come back to."""
SETTLES = frozenset(
    {
        *(pb.DayActionChosen, pb.SearchStarted, pb.SearchSpentOnLair, pb.QuickTravelled, pb.SearchDayEnded),
        *(pb.DieAdjusted, pb.RollAccepted, pb.FindChosen, pb.FightAnswered, pb.DamageDealt, pb.EscapeSucceeded),
        *(pb.ItemCrafted, pb.TotemPlaced, pb.ForgeRefined, pb.ElderApproved, pb.TowerDamaged),
    }
)
"""What the player does besides placing: earlier placements can't be taken back after it."""
DRAWS = frozenset({pb.DiceRolled, pb.DiceRerolled})
CHOSEN_FIGHTS = frozenset({pb.COMBAT_SOURCE_LURE, pb.COMBAT_SOURCE_BAIT})
"""Fights that the player seeks with an item, not what a placement brought."""


def evolve(game: Game, event: Message) -> Game:
    """Apply one event. KeyError for a message that isn't one of the rulebook's events."""
    kind = type(event)
    after = _APPLY[kind](game, event)
    changes: dict[str, Any] = {"moment": game.moment + 1}
    if kind in DRAWS:
        changes |= {"undo": (), "undone": 0}
    elif kind in SETTLES or (isinstance(event, pb.CombatStarted) and event.source in CHOSEN_FIGHTS):
        changes |= {"undo": ()}
    elif kind in BEFORE_A_PLACEMENT:
        changes |= {"undo": (*game.undo, replace(game, undo=()))}
    elif isinstance(event, pb.BuildAborted):
        # Its fault was told of like one that is patched, but nothing was placed.
        changes |= {"undo": () if event.given_up else game.undo[:-1]}
    return replace(after, **changes)


def _placement_undone(game: Game, event: pb.PlacementUndone) -> Game:
    *earlier, before = game.undo
    return replace(before, undo=tuple(earlier), undone=game.undone + 1)


_APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    **searching.APPLY,
    **combat.APPLY,
    **village.APPLY,
    pb.PlacementUndone: _placement_undone,
}
