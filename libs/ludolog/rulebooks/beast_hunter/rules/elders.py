"""Elders' Approval, and what comes after it. Digest A1 (1.11), C7, B6, rulings A18 to A20, A29, A31, A42, A48."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import DeterminationReason, Elder, EndReason, Item, RecoveryReason, Window
from ludolog.rulebooks.beast_hunter.rules.course import Course, require
from ludolog.rulebooks.beast_hunter.rules.death import recover
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination
from ludolog.rulebooks.beast_hunter.rules.game_end import end_game
from ludolog.rulebooks.beast_hunter.rules.time_track import cross_day
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Elders' Approval"
FEAST, GUIDANCE = 2, 2


def approval_due(course: Course, *, towers: bool) -> bool:
    """One elder for each deed, while one is left (ruling A31). True if the player is to choose."""
    if all(course.game.elders):
        return False
    course.tell(pb.ApprovalGained(towers=towers))
    return True


def after_terrible_beast(course: Course) -> None:
    """C7: an elder, then victory if it was the third; the day goes on otherwise (rulings A18, A19)."""
    if not approval_due(course, towers=False):
        _go_on(course)


def _go_on(course: Course) -> None:
    game = course.game
    if all(region.defeated for region in game.regions):
        end_game(course, EndReason.VICTORY)
    elif game.today.tower_completed:
        cross_day(course)


def used_items(tables: Tables, game: Game) -> list[Item]:
    """Items with a used mark: of the toolbelt, or crafted; a Crab Plate with one use left is one of them (A29)."""
    return [
        item
        for item, printed in tables.items.items()
        if (item.toolbelt or game.crafted[item - 1]) and game.uses_left(item) < printed.uses
    ]


def check_choose_elder(tables: Tables, game: Game, command: pb.ChooseElder) -> None:
    """Any elder that hasn't approved yet (ruling A31); Nikandros with a used item, if there is one (A29)."""
    require(game, SECTION, Window.ELDER)
    elder = Elder(command.elder)
    if game.elders[elder - 1]:
        raise Refusal("ELDER_APPROVED", SECTION, elder=elder.name)
    if elder is not Elder.NIKANDROS:
        if command.item:
            raise Refusal("NO_ITEM_WANTED", SECTION, elder=elder.name)
        return
    used = used_items(tables, game)
    if not command.item and used:
        raise Refusal("ITEM_NEEDED", SECTION, elder=elder.name)
    if command.item and Item(command.item) not in used:
        raise Refusal("ITEM_NOT_USED", SECTION, item=Item(command.item).name)


def choose_elder(course: Course, command: pb.ChooseElder) -> None:
    """Mark the elder's box and take the reward."""
    course.tell(pb.ElderApproved(elder=command.elder))
    match Elder(command.elder):
        case Elder.EPIPHOROS:
            recover(course, RecoveryReason.EPIPHOROS, FEAST)
        case Elder.SIPPOROS:
            gain_determination(course, DeterminationReason.SIPPOROS, GUIDANCE)
        case Elder.NIKANDROS if command.item:
            left = course.game.uses_left(Item(command.item)) + 1
            course.tell(pb.ItemRecharged(item=command.item, uses_left=left))
    _go_on(course)
