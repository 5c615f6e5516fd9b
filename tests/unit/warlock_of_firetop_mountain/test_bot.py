"""The explorer knows what is worth something: keys wherever they are, looks, trades, and which keys to name."""

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Seat, Seated, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_goals import goal
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_worth import look_worth, worth
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
TABLES = read_tables(RULEBOOK.content)
ME, SEATS = Seat(1), 3
BUNCH_147, BUNCH_258, BUNCH_369, BUNCH_156, SKELETONS = "T01", "T02", "T03", "T04", ("T10", "T11")
KEYS = {1: (3, 5), 2: (6, 7), 3: (8, 9)}
"""So that 1, 2 and 4 lie under the chest."""
EVERYTHING: dict[str, Any] = {
    "complete": [2, 3],
    "seen": [{"seat": seat, "card": f"KEY_CARD_{key}"} for seat in (2, 3) for key in KEYS[seat]],
}
ROOMS = [chr(letter) for letter in (*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("f")))]
T = TypeVar("T")


class First(BlockChance):
    """Always takes the first choice: the explorer says what it has to say."""

    def __init__(self) -> None:
        super().__init__(b"f" * 32)

    def choose(self, purpose: str, options: Sequence[T]) -> T:
        return options[0]


def player(seat: int, place: str, *cards: str, notebook: dict[str, Any] | None = None, **sheet: Any) -> dict[str, Any]:
    return {
        "seat": seat,
        "adventurer": {"place": place, **sheet},
        "key_cards": [f"KEY_CARD_{key}" for key in KEYS[seat]],
        "rucksack": [{"card": card} for card in cards],
        "notebook": notebook or {},
    }


def world(*players: dict[str, Any], more_looks: bool = False, **parts: Any) -> Game:
    """A position in which no room holds treasure, at the start of the first seat's turn."""
    stacks = parts.pop("stacks", {})
    rooms = [{"id": f"R_{room}", "stack": {"cards": stacks.get(room, [])}} for room in ROOMS]
    turn = {"number": 9, "round": 3, "seat": 1}
    described = {"players": list(players), "rooms": rooms, "turn": turn, "pvp_unlocked": True, **parts}
    options = pb.Options(more_looks=more_looks)
    game = RULEBOOK.from_position(json_format.ParseDict(described, pb.Position()), SEATS, options)
    assert isinstance(game, Game)
    return game


def mind(game: Game) -> Mind:
    seen = RULEBOOK.view(game, Seated(ME))
    assert isinstance(seen, pb.View)
    return Mind(TABLES, seen, ME)


def answer(game: Game) -> Message | None:
    """What the explorer in seat 1 does."""
    legal = RULEBOOK.legal_commands(game, ME)
    return RULEBOOK.bots["explorer"](RULEBOOK.view(game, Seated(ME)), legal, ME, First())


def test_the_keys_named_at_the_chest_are_a_set_that_may_be_right() -> None:
    """A Skeleton Key that was named is gone, and what it was named for needs no other."""
    game = world(player(1, "R_h", BUNCH_156, *SKELETONS, notebook=EVERYTHING), player(2, "c15_0"), player(3, "c15_0"))
    for _ in range(3):
        command = answer(game)
        assert isinstance(command, pb.ChestChallenge)
        for event in judge(RULEBOOK, game, Commanded(ME, command), SEATS, BlockChance(b"b" * 32)):
            after = RULEBOOK.evolve(game, event)
            assert isinstance(after, Game)
            game = after
    assert game.winner == ME


@pytest.mark.parametrize("owner", [0, 1])
def test_a_key_that_lies_about_is_fetched(owner: int) -> None:
    lying = {"item": 1, "place": "c25_11", "owner": owner, "left_by": 1, "held": {"card": BUNCH_147, "known_by": [1]}}
    game = world(player(1, "c15_3", notebook=EVERYTHING), player(2, "c2_3"), player(3, "c2_3"), items=[lying])
    assert goal(mind(game)) == "c25_11"


def test_anothers_grave_is_left_alone() -> None:
    lying = {"item": 1, "place": "c25_11", "owner": 2, "left_by": 2, "held": {"card": BUNCH_147, "known_by": [1, 2]}}
    game = world(player(1, "c15_3", notebook=EVERYTHING), player(2, "c2_3"), player(3, "c2_3"), items=[lying])
    assert goal(mind(game)) != "c25_11"


@pytest.mark.parametrize(("gold", "wanted"), [(0, False), (3, True)])
def test_shylock_is_visited_with_money_only(gold: int, *, wanted: bool) -> None:
    known = [{"card": BUNCH_147, "known_by": [1]}]
    me = player(1, "c14_27", notebook=EVERYTHING, gold=gold)
    game = world(me, player(2, "c2_3"), player(3, "c2_3"), stacks={"Y": known})
    assert (goal(mind(game)) == "R_Y") == wanted


def test_who_holds_the_keys_is_hunted_by_who_is_stronger() -> None:
    holder = player(2, "c12_3", BUNCH_147, stamina=4, skill=9, initial_skill=9)
    game = world(player(1, "c15_3", notebook=EVERYTHING), holder, player(3, "c2_3"))
    assert goal(mind(game)) == "c12_3"
    holder["adventurer"] |= {"stamina": 24, "initial_stamina": 24, "skill": 11, "initial_skill": 11}
    me = player(1, "c15_3", BUNCH_258, notebook=EVERYTHING, stamina=4)
    assert goal(mind(world(me, holder, player(3, "c2_3")))) != "c12_3"


def test_cards_are_worth_what_they_add() -> None:
    own = mind(world(player(1, "c15_3", BUNCH_147, notebook=EVERYTHING), player(2, "c2_3"), player(3, "c2_3")))
    assert own.triples == [(1, 2, 4)]
    assert worth(own, BUNCH_258) == 30
    assert worth(own, BUNCH_156) == worth(own, BUNCH_369) == 0
    assert worth(own, BUNCH_147) == 60
    assert look_worth(own, 2) == 0


def test_a_look_is_offered_for_a_look() -> None:
    game = world(player(1, "c15_3"), player(2, "c15_3"), player(3, "c2_3"))
    assert answer(game) == pb.OfferTrade(to=2, give=pb.Goods(look=True), take=pb.Goods(look=True))


def test_no_look_is_offered_once_the_other_is_known_or_the_turns_talk_is_used() -> None:
    known = {"complete": [2], "seen": EVERYTHING["seen"][:2]}
    others = player(2, "c15_3"), player(3, "c2_3")
    assert not isinstance(answer(world(player(1, "c15_3", notebook=known), *others)), pb.OfferTrade)
    talked = world(player(1, "c15_3"), *others, talks=[1, 0, 0])
    assert not isinstance(answer(talked), pb.OfferTrade)


@pytest.mark.parametrize(
    ("cards", "give", "take", "accepted"),
    [
        ((), {"look": True}, {"look": True}, False),  # it knows everything
        ((BUNCH_147,), {"gold": 5}, {"cards": [BUNCH_147]}, False),
        ((BUNCH_369,), {"gold": 2}, {"cards": [BUNCH_369]}, True),
        ((BUNCH_369,), {"cards": [BUNCH_258]}, {"cards": [BUNCH_369]}, True),
        ((BUNCH_147,), {"cards": [BUNCH_258]}, {"cards": [BUNCH_147]}, False),
        ((), {"gold": 1}, {"provisions": 2}, False),
    ],
)
def test_offers_are_answered_by_worth(
    cards: tuple[str, ...], give: dict[str, Any], take: dict[str, Any], *, accepted: bool
) -> None:
    offer = {"seat": 2, "to": 1, "give": give, "take": take}
    other = player(2, "c15_3", *(card for card in (BUNCH_258,) if card in give.get("cards", ())), gold=5)
    game = world(player(1, "c15_3", *cards, notebook=EVERYTHING), other, player(3, "c2_3"), offer=offer)
    assert isinstance(answer(game), pb.AcceptTrade if accepted else pb.DeclineTrade)


def test_a_look_for_a_look_is_accepted_while_it_teaches_something() -> None:
    offer = {"seat": 2, "to": 1, "give": {"look": True}, "take": {"look": True}}
    others = player(2, "c15_3"), player(3, "c2_3")
    assert isinstance(answer(world(player(1, "c15_3"), *others, offer=offer)), pb.AcceptTrade)
    ahead = {
        "complete": [3],
        "seen": EVERYTHING["seen"][2:],
        "lacks": [{"seat": 2, "card": f"KEY_CARD_{key}"} for key in (1, 2)],
    }
    assert isinstance(answer(world(player(1, "c15_3", notebook=ahead), *others, offer=offer)), pb.DeclineTrade)


def test_a_victor_keeps_what_can_be_carried_and_leaves_what_is_missed_least() -> None:
    others = player(2, "c2_3"), player(3, "c2_3")
    window = {"kind": "WINDOW_KIND_OVER", "seat": 1}
    leaving = {"seat": 1, "optional": True}
    few = world(player(1, "c15_3", BUNCH_147, BUNCH_369), *others, leaving=leaving, window=window)
    assert answer(few) == pb.KeepAll()
    needed = BUNCH_147, BUNCH_258, *SKELETONS, "T12", "T31"
    many = world(player(1, "c15_3", *needed, BUNCH_369, notebook=EVERYTHING), *others, leaving=leaving, window=window)
    assert isinstance(left := answer(many), pb.LeaveBehind)
    assert worth(mind(many), left.card) == 0


def test_the_scroll_of_asking_asks_what_is_open() -> None:
    """It stands in for Gold Pieces where the table plays with it (L5)."""
    scroll = "T18"
    others = player(2, "c2_3"), player(3, "c2_3")
    asked = answer(world(player(1, "c15_3", scroll), *others, more_looks=True))
    assert isinstance(asked, pb.UseTreasure)
    assert asked.number not in KEYS[1]
    knowing = world(player(1, "c15_3", scroll, notebook=EVERYTHING), *others, more_looks=True)
    assert not isinstance(answer(knowing), pb.UseTreasure)


def at_the_study(provisions: int) -> Game:
    """Ready for the chest, at the Warlock's door, and weaker than it could be."""
    me = player(1, "c22_36", BUNCH_156, *SKELETONS, notebook=EVERYTHING, stamina=14, provisions=provisions)
    return world(me, player(2, "c2_3"), player(3, "c2_3"))


def test_it_eats_before_a_guard_and_then_goes_in() -> None:
    """Nobody waits at a door for ever: where nothing is left to be eaten, it goes in."""
    assert isinstance(answer(at_the_study(2)), pb.EatProvisions)
    assert isinstance(answer(at_the_study(0)), pb.RollMovement)
    moving = {"number": 9, "round": 3, "seat": 1, "die": 2, "pips_left": 2, "started_at": "c22_36"}
    me = player(1, "c22_36", BUNCH_156, *SKELETONS, notebook=EVERYTHING, stamina=14, provisions=0)
    assert answer(world(me, player(2, "c2_3"), player(3, "c2_3"), turn=moving)) == pb.Move(to="R_g")


@pytest.mark.parametrize(("provisions", "flees"), [(3, True), (0, False)])
def test_it_flees_from_a_guard_only_to_come_back_stronger(provisions: int, *, flees: bool) -> None:
    fight = {"seat": 1, "encounter": "WARLOCK", "place": "R_g", "skill": 10, "stamina": 12, "rounds": 2}
    me = player(1, "R_g", BUNCH_156, notebook=EVERYTHING, stamina=4, provisions=provisions, entered_by="c22_36")
    answered = answer(world(me, player(2, "c2_3"), player(3, "c2_3"), fight=fight))
    assert isinstance(answered, pb.Escape if flees else pb.AttackRound)


@pytest.mark.parametrize(
    ("notebook", "shown"),
    [
        ({}, ["KEY_CARD_3"]),
        ({"shown": [{"seat": 2, "card": "KEY_CARD_5"}]}, ["KEY_CARD_5"]),  # shown before: it teaches nothing
        ({"seen": EVERYTHING["seen"][:1]}, None),  # who offers may show that one again
        (
            {"lacks": [{"seat": 3, "card": "KEY_CARD_2"}], "heard": [{"seat": 2, "number": 4, "holds": True}]},
            ["KEY_CARD_3"],
        ),
    ],
)
def test_one_key_card_for_one(notebook: dict[str, Any], shown: list[str] | None) -> None:
    offer = {"seat": 2, "to": 1, "give": {"key_cards": ["KEY_CARD_6"]}, "take": {"shows": 1}}
    game = world(player(1, "c15_3", notebook=notebook), player(2, "c15_3"), player(3, "c2_3"), offer=offer)
    answered = answer(game)
    if shown is None:
        assert answered == pb.DeclineTrade()
    else:
        assert answered == pb.AcceptTrade(key_cards=[pb.KeyCard.Value(card) for card in shown])
        assert judge(RULEBOOK, game, Commanded(ME, answered), SEATS, First())


def test_nobody_waits_on_a_secret_passage_space_for_a_passage() -> None:
    """Staying is no arrival (A4): one gets into the passage by stepping off and back."""
    lying = {"item": 1, "place": "S4", "owner": 0, "left_by": 2, "held": {"card": BUNCH_147, "known_by": [1]}}
    turn = {"number": 9, "round": 3, "seat": 1, "die": 4, "pips_left": 4, "started_at": "S3"}
    others = player(2, "c2_3"), player(3, "c2_3")
    game = world(player(1, "S3", notebook=EVERYTHING), *others, items=[lying], turn=turn)
    assert goal(mind(game)) == "S4"
    stepped = answer(game)
    assert isinstance(stepped, pb.Move)
    assert stepped.to != "S3"
