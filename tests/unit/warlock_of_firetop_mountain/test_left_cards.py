"""Cards that get a public number: nobody learns from it which hidden card lies where, or between which ids."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import SPECTATOR, Cause, Commanded, Resigned, Seat, Seated, TimedOut, Viewer, fold, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.testkit.chance import SeededChance

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
SEEDS = 40
ONE_SHOWN = [["T01", "T02"], ["T01", "T31"], ["T30", "T31"]]
"""Hidden cards beside T22, which everybody knows: ids before it, on both sides, after it."""
FIGHT = {
    "rooms": [{"id": "R_A", "encounter": "E13", "stack": {}}],
    "fight": {"seat": 1, "encounter": "E13", "place": "R_A"},
}


def position(rucksack: list[dict[str, Any]], **parts: Any) -> Game:
    adventurer = {"place": "R_A" if "fight" in parts else "c12_3", "stamina": 1, "skill": 1}
    players = [{"seat": 1, "rucksack": rucksack, "adventurer": adventurer}, {"seat": 2}, {"seat": 3}]
    message = json_format.ParseDict({"players": players, "turn": {"seat": 1, "number": 5}, **parts}, pb.Position())
    game = RULEBOOK.from_position(message, 3, pb.Options())
    assert isinstance(game, Game)
    return game


def after(game: Game, cause: Cause, seed: object) -> Game:
    found = fold(RULEBOOK, game, judge(RULEBOOK, game, cause, 3, SeededChance(f"left {seed}")))
    assert isinstance(found, Game)
    return found


def looks(game: Game, cause: Cause, viewer: Viewer) -> set[bytes]:
    """All that a viewer may see afterwards, by any draw."""
    return {
        RULEBOOK.view(after(game, cause, seed), viewer).SerializeToString(deterministic=True) for seed in range(SEEDS)
    }


def held(hidden: list[str], shown: str = "T22") -> list[dict[str, Any]]:
    return [{"card": shown, "shown": True}, *({"card": card} for card in hidden)]


@pytest.mark.parametrize("viewer", [SPECTATOR, Seated(Seat(2))])
def test_what_is_left_in_leaving_the_table_tells_no_ids(viewer: Viewer) -> None:
    one, *others = [looks(position(held(hidden)), Resigned(Seat(1)), viewer) for hidden in ONE_SHOWN]
    assert all(other == one for other in others)


def test_neither_does_a_grave() -> None:
    die = Commanded(Seat(1), pb.AttackRound())
    one, *others = [looks(position(held(hidden), **FIGHT), die, SPECTATOR) for hidden in ONE_SHOWN]
    assert all(other == one for other in others)


def test_who_knows_a_card_of_a_grave_learns_nothing_of_the_others() -> None:
    """Whichever the other card is, and whoever knows it: T12 is either item."""
    for other in ("T05", "T31"):
        rucksack: list[dict[str, Any]] = [{"card": "T12", "known_by": [1, 2]}, {"card": other, "known_by": [1, 3]}]
        game, die = position(rucksack, **FIGHT), Commanded(Seat(1), pb.AttackRound())
        graves = [found.items for seed in range(SEEDS) if (found := after(game, die, seed)).items]
        assert {[item.held.card for item in items].index("T12") for items in graves} == {0, 1}
        assert all(item.held.knows(2) == (item.held.card == "T12") for items in graves for item in items)


def test_the_feed_names_the_items_as_the_view_does() -> None:
    rucksack = [*held(["T30"]), {"card": "T12", "known_by": [1, 2]}, {"card": "T05", "known_by": [1, 3]}]
    before, graves = position(rucksack, **FIGHT), 0
    for seed in range(SEEDS):
        game = before
        chance = SeededChance(f"left {seed}")
        for event in judge(RULEBOOK, before, Commanded(Seat(1), pb.AttackRound()), 3, chance):
            later = RULEBOOK.evolve(game, event)
            if isinstance(event, pb.GraveLaid):
                graves += 1
                for viewer in (Seated(Seat(1)), Seated(Seat(2)), Seated(Seat(3)), SPECTATOR):
                    (told,) = RULEBOOK.feed(game, event, later, viewer)
                    view = RULEBOOK.view(later, viewer)
                    assert isinstance(told, pb.GraveLaid)
                    assert isinstance(view, pb.View)
                    seen = {item.item: item.card.id for item in view.items}
                    assert dict(zip(told.items, told.cards, strict=True)) == seen
            game = later
    assert graves


def test_whoever_runs_out_of_time_over_the_limit_leaves_any_card() -> None:
    timeouts = []
    for last in ("T06", "T31"):
        rucksack = held(["T01", "T02", "T03", "T04", "T05", last])
        game = position(rucksack, leaving={"seat": 1}, window={"kind": "WINDOW_KIND_START", "seat": 1})
        (decision,) = RULEBOOK.awaiting(game)
        cause = TimedOut(decision.decision_id, decision.seat)
        timeouts.append(looks(game, cause, SPECTATOR))
        assert len({after(game, cause, seed).items[0].held.card for seed in range(SEEDS)}) == len(rucksack)
    assert timeouts[0] == timeouts[1]
