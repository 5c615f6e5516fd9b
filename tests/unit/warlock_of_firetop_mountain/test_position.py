"""Positions: what is left out is filled in, what can't be is refused with the reason."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Cause, Commanded, Resigned, Seat, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Window, WindowKind
from ludolog.testkit.scripted import ScriptedChance
from tests.property.warlock_of_firetop_mountain.playing import apply

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")


def read(seats: int = 2, **parts: Any) -> Game:
    game = RULEBOOK.from_position(json_format.ParseDict(parts, pb.Position()), seats, pb.Options())
    assert isinstance(game, Game)
    return game


def test_an_empty_position_is_a_game_that_begins() -> None:
    game = read(4)
    assert [len(player.key_cards) for player in game.players] == [2, 2, 1, 1]
    assert game.chest == (1, 2, 3)
    assert {player.ready.place for player in game.players if player.ready} == {"c15_0"}
    assert sum(len(room.stack) for room in game.rooms) == 32
    assert RULEBOOK.from_position(RULEBOOK.position(game), 4, pb.Options()) == game


def sheet(**adventurer: Any) -> dict[str, Any]:
    return {"players": [{"seat": 1, "adventurer": adventurer}]}


def notebook(**facts: Any) -> dict[str, Any]:
    """What seat 1, who holds 4, 5 and 6, has noted; seat 2 holds 7, 8 and 9."""
    hands = [{"seat": 1, "key_cards": [4, 5, 6]}, {"seat": 2, "key_cards": [7, 8, 9]}]
    return {"players": [hands[0] | {"notebook": facts}, hands[1]]}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"players": [{"seat": 3}]}, "players: one for each seat"),
        ({"players": [{"seat": 1, "adventurer": {"place": "c0_0"}}]}, "stands nowhere"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01"}, {"card": "T01"}]}]}, "treasures: a card stands twice"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T33"}]}]}, "isn't in the box"),
        ({"rooms": [{"id": "R_A", "encounter": "E01"}, {"id": "R_B", "encounter": "E01"}]}, "encounters: a card"),
        ({"rooms": [{"id": "R_0"}]}, "aren't on the board"),
        ({"chest": [1, 2, 3], "players": [{"seat": 1, "key_cards": [3]}]}, "each number once"),
        ({"maze": [{"id": "X7"}]}, "maze: boxes are"),
        ({"items": [{"item": 1, "place": "here", "held": {"card": "T01"}}]}, "lies nowhere"),
        ({"turn": {"number": -1}}, "the game has begun"),
        (
            {"turn": {"seat": 2}, "window": {"kind": "WINDOW_KIND_START", "seat": 1}},
            "START of seat 1, who isn't on turn",
        ),
        (
            {"players": [{"seat": 1, "dead": True}], "window": {"kind": "WINDOW_KIND_START"}},
            "START of seat 1, who has no",
        ),
        ({"players": [{"seat": 1, "stage": "STAGE_PASSIVE"}], "turn": {"seat": 1}}, "turn.seat 1 plays no more"),
        ({"items": [{"place": "c12_5", "held": {"card": "T13"}}]}, "item 1: T13 is handed in when discovered"),
        ({"window": {"kind": "WINDOW_KIND_MOVE"}}, "MOVE, and turn.pips_left is 0"),
        ({"window": {"kind": "WINDOW_KIND_CAGE"}}, "CAGE of somebody who isn't caged"),
        ({"window": {"kind": "WINDOW_KIND_ENCOUNTER"}}, "no card that offers a choice"),
        ({"rooms": [{"id": "R_A", "encounter": "SHYLOCK"}]}, r"R_A: SHYLOCK can't lie there \(1.2\)"),
        ({"rooms": [{"id": "R_H", "encounter": "E01"}]}, "R_H: E01 can't lie there"),
        ({"rooms": [{"id": "R_h", "encounter": "E01"}]}, "R_h: E01 can't lie there"),
        ({"rooms": [{"id": "R_A", "encounter": "CROCODILE"}]}, "R_A: CROCODILE can't lie there"),
        (
            {"rooms": [{"id": "R_A", "encounter": "E01"}], "fight": {"seat": 1, "encounter": "E15", "place": "R_A"}},
            "'E15' isn't the creature of R_A",
        ),
        ({"talks": [1]}, "each of 2 seats"),
        ({"talks": [-1, 0]}, "0 or more for each"),
        ({"chest": [1, 2]}, "chest: 3 keys"),
        ({"maze": [{"id": f"X{n}", "card": "MAZE_CARD_THROUGH"} for n in range(1, 7)]}, "4 ways through, not 6"),
        ({"turn": {"number": 1, "round": 1, "seat": 1, "die": 7}}, "turn.die 7"),
        ({"turn": {"number": 1, "round": 1, "seat": 1, "die": 2, "pips_left": 3}}, "turn.pips_left 3"),
        ({"window": {"kind": "WINDOW_KIND_FIGHT", "seat": 1}}, "FIGHT without a battle"),
        (
            sheet(place="c12_5") | {"fight": {"seat": 1, "encounter": "E15", "place": "R_A"}},
            "not all who fight stand on 'R_A'",
        ),
        ({"fight": {"seat": 1, "encounter": "E15", "place": "c15_0", "stamina": 10}}, "fight.stamina 10: 1 to 9"),
        ({"fight": {"seat": 1, "encounter": "E22", "place": "c15_0"}}, "'E22' is no creature"),
        ({"fight": {"seat": 1, "opponent": 3, "place": "c15_0"}}, "fight: seats are 1 to 2"),
        ({"fight": {"seat": 1, "opponent": 2, "place": "c15_0", "escaped": 3}}, "fight.escaped: nobody"),
        ({"fight": {"seat": 1, "opponent": 1, "place": "c15_0"}}, "fight: seats are none, or the same"),
        (sheet(stamina=21, initial_stamina=20), r"stamina 21: 1 to 20, its Initial \(2.6\)"),
        (sheet(stamina=25), "initial_stamina 25: 1 to 24"),
        (sheet(stamina=0), "stamina 0: 1 to 20"),
        (sheet(skill=11, initial_skill=10), "skill 11: 0 to 10"),
        (sheet(luck=-1), "luck -1: 0 to 9"),
        (sheet(gold=-1), "gold below 0"),
        (sheet(place="c12_5", caged=True), "no room with the Cage Trap"),
        (sheet(place="c12_5", in_passage=True), "no Secret Passage space"),
        (sheet(place="c12_5", pending_encounter=True), "pending_encounter on c12_5, no room"),
        (sheet(place="c12_5", investigating="X1"), "investigating X1 from c12_5"),
        (sheet(place="R_A", entered_by="c12_4"), "no space beside R_A"),
        (sheet(must_leave="c12_5"), "must_leave c12_5: no room"),
        ({"players": [{"seat": 1, "rucksack": [{"card": f"T0{n}"} for n in range(1, 8)]}]}, "1 Treasure Cards over"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T22"}, {"card": "T23"}]}]}, "more than one magic sword"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T13"}]}]}, "T13 in the rucksack: handed in"),
        ({"players": [{"seat": 1, "dead": True, "stage": "STAGE_READY"}]}, "READY without an adventurer"),
        ({"players": [{"seat": 1, "lives": 1, "adventurer": {"life": 2}}]}, "seat 1: adventurer 2 of 1 lives"),
        ({"chest": [1, 2, 3], "offer": {"seat": 1, "to": 2, "give": {"key_cards": [1]}}}, "offer: Key Cards that"),
        ({"players": [{"seat": 1, "notebook": {"heard": [{"seat": 2, "number": 10}]}}]}, "seat 1: heard or told"),
        ({"players": [{"seat": 1, "notebook": {"told": [{"seat": 1, "number": 9}]}}]}, "seat 1: heard or told"),
        ({"players": [{"seat": 2, "notebook": {"told": [{"seat": 1, "number": 9, "owner": 3}]}}]}, "seat 2: heard"),
    ],
)
def test_an_impossible_position_is_refused(parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read(**parts)


def test_a_turn_that_begins_with_a_die_offers_what_begins_it_alone() -> None:
    lost = {"place": "S2", "in_passage": True, "lanterns": 0}
    game = read(players=[{"seat": 1, "adventurer": lost, "rucksack": [{"card": "T25"}]}, {"seat": 2}])
    assert [entry.command for entry in RULEBOOK.legal_commands(game, Seat(1))] == [pb.RollMovement()]
    assert RULEBOOK.legal_commands(game, Seat(2)) == ()
    assert RULEBOOK.from_position(RULEBOOK.position(game), 2, pb.Options()) == game


def test_everything_that_is_wrong_is_named() -> None:
    swords = [{"card": "T22", "shown": True}, {"card": "T23", "shown": True}]
    adventurer = {"initial_stamina": 20, "stamina": 25, "place": "c12_5"}
    with pytest.raises(ValueError, match=r"magic sword.*; seat 1: stamina 25: 1 to 20"):
        read(players=[{"seat": 1, "adventurer": adventurer, "rucksack": swords}])


def test_a_second_sword_is_a_position_while_one_is_left_behind() -> None:
    rucksack = [{"card": "T22"}, {"card": "T23"}]
    window = {"kind": "WINDOW_KIND_CLAIM", "seat": 1}
    game = read(players=[{"seat": 1, "rucksack": rucksack}], leaving={"seat": 1}, window=window)
    assert pb.LeaveBehind(card="T23") in [entry.command for entry in RULEBOOK.legal_commands(game, Seat(1))]


def test_a_battle_puts_who_fights_and_the_card_where_it_is() -> None:
    game = read(fight={"seat": 2, "encounter": "E15", "place": "R_A"})
    assert (game.adventurer(2).place, game.room("R_A").encounter, game.room("R_A").face_up) == ("R_A", "E15", True)
    assert game.turn.seat == game.window.seat == 2
    assert read(players=[{"seat": 1, "adventurer": {"place": "c12_5"}}], fight={"seat": 1, "opponent": 2}) == read(
        fight={"seat": 1, "opponent": 2, "place": "c12_5"}
    )


def test_a_roll_is_still_to_be_moved() -> None:
    game = read(turn={"seat": 2, "die": 4})
    assert (game.window.kind.name, game.window.seat, game.turn.pips_left, game.turn.number) == ("MOVE", 2, 4, 1)
    assert read(turn={"die": 1}).window.kind.name == "CHALLENGE"
    assert read(window={"kind": "WINDOW_KIND_START"}, turn={"seat": 2}).window.seat == 2
    fled = read(players=[{"seat": 1, "adventurer": {"place": "c12_5", "must_leave": "R_A"}}], turn={"die": 2})
    assert pb.Move(to="R_A") not in [entry.command for entry in RULEBOOK.legal_commands(fled, Seat(1))]


def test_adventurers_that_are_still_to_be_created_are_in_set_up() -> None:
    game = read(players=[{"seat": 1, "stage": "STAGE_PIECE"}, {"seat": 2, "stage": "STAGE_CHARACTER"}])
    assert (game.window.kind.name, game.turn.number, game.chest) == ("SET_UP", 0, (1, 2, 3))
    assert (game.undealt, [player.key_cards for player in game.players]) == ((4, 5, 6, 7, 8, 9), [(), ()])


def test_what_lies_about_is_numbered_and_who_stands_in_a_passage_has_landed_there() -> None:
    lying = [{"place": "c12_5", "held": {"card": "T01"}}, {"item": 4, "place": "c12_5", "held": {"card": "T02"}}]
    game = read(items=lying, players=[{"seat": 1, "adventurer": {"place": "S2", "lanterns": 0}}])
    assert [item.item for item in game.items] == [5, 4]
    assert game.turn.unbegun


def test_treasure_to_be_claimed_is_the_whole_stack_where_no_limit_is_said() -> None:
    window = {"kind": "WINDOW_KIND_CLAIM"}
    inside = [{"seat": 1, "adventurer": {"place": "R_H"}}]
    stack = {"cards": [{"card": "T01"}, {"card": "T02"}]}
    assert read(players=inside, rooms=[{"id": "R_H", "stack": stack}], window=window).window.limit == 2
    assert read(players=inside, rooms=[{"id": "R_H", "stack": stack}], window=window | {"limit": 1}).window.limit == 1


def test_a_card_that_is_dealt_with_lies_face_up() -> None:
    inside = [{"seat": 1, "adventurer": {"place": "R_A", "caged": True}}, {"seat": 2, "adventurer": {"place": "R_B"}}]
    rooms = [{"id": "R_A", "encounter": "E21"}, {"id": "R_B", "encounter": "E20"}, {"id": "R_C", "encounter": "E10"}]
    game = read(players=inside, rooms=rooms, window={"kind": "WINDOW_KIND_ENCOUNTER", "seat": 2})
    assert [game.room(room).face_up for room in ("R_A", "R_B", "R_C")] == [True, True, False]
    assert read(fight={"seat": 1, "opponent": 2}).pvp_unlocked


def test_an_adventurer_is_the_last_of_the_lives() -> None:
    assert read(**sheet(life=2)).player(1).lives == 2


def test_fights_are_open_where_everybody_has_left_a_room() -> None:
    out = [{"seat": seat, "adventurer": {"left_a_room": True}} for seat in (1, 2, 3)]
    assert read(3, players=out).pvp_unlocked
    assert not read(4, players=out).pvp_unlocked
    assert not read(3, players=out, pvp_unlocked=False).pvp_unlocked
    assert read(4, players=[*out, {"seat": 4, "stage": "STAGE_PASSIVE"}]).pvp_unlocked


def test_who_was_killed_may_leave_the_table_while_the_victor_sorts_the_spoils() -> None:
    fight = {"seat": 1, "opponent": 2, "place": "c12_5"}
    beaten = {"seat": 1, "adventurer": {"stamina": 2}, "rucksack": [{"card": "T01"}]}
    game = read(3, players=[beaten], fight=fight)
    causes: list[Cause] = [Commanded(Seat(1), pb.AttackRound()), Resigned(Seat(1)), Commanded(Seat(2), pb.KeepAll())]
    chance = ScriptedChance({"attack": [6, 6, 1, 1]})
    for cause in causes:
        for event in judge(RULEBOOK, game, cause, 3, chance):
            game = apply(game, event)
        assert RULEBOOK.from_position(RULEBOOK.position(game), 3, pb.Options()) == game
    assert (game.turn.seat, game.window.kind.name) == (2, "START")


def test_once_somebody_has_escaped_the_other_takes_spoils_if_there_are_any() -> None:
    battle = {"seat": 1, "opponent": 2, "place": "c15_0", "rounds": 1, "escaped": 2}
    assert read(fight=battle).window == Window(WindowKind.SPOILS, 1)
    poor = [{"seat": 2, "adventurer": {"lanterns": 0}}]
    assert read(fight=battle, players=poor).window == Window(WindowKind.FLIGHT, 2)


def test_who_stands_on_a_secret_passage_space_has_landed_there_unless_on_the_way() -> None:
    players = [{"seat": 1, "adventurer": {"place": "S2"}}, {"seat": 2, "adventurer": {"place": "N3"}}]
    came_out = {"number": 3, "round": 2, "seat": 1, "came_out": True}
    window = {"kind": "WINDOW_KIND_START", "seat": 1}
    landed = [
        [player.adventurer.in_passage for player in read(players=players, **parts).players if player.adventurer]
        for parts in ({}, {"turn": came_out}, {"window": window})
    ]
    assert landed == [[True, True], [False, True], [False, False]]


def offer(give: dict[str, Any] | None = None, take: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    """Seat 1 has offered seat 2 a trade at the Entrance."""
    return {"offer": {"seat": 1, "to": 2, "give": give or {}, "take": take or {}}, "turn": {"seat": 1}} | parts


LOOK = {"look": True}
TRADED = {"give": LOOK}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (offer({"gold": 100}), r"offer.give.gold 100: 0 to 0, what seat 1 has"),
        (offer({"provisions": 4}), "offer.give.provisions 4: 0 to 3"),
        (offer({"gold": -1}), "offer.give.gold -1"),
        (offer(LOOK, {"gold": 1}), "offer.take.gold 1: 0 to 0, what seat 2 has"),
        (offer({"cards": ["T01"]}), "offer.give.cards: T01: not with seat 1"),
        (offer(LOOK, {"cards": ["T01"]}), "offer.take.cards: T01: not with seat 2"),
        (
            offer({"cards": ["T01", "T01"]}, players=[{"seat": 1, "rucksack": [{"card": "T01"}]}]),
            "offer.give.cards: a card stands twice",
        ),
        (offer(LOOK, {"shows": 9}), "offer.take.shows 9: 0 to 3"),
        (offer(LOOK, {"shows": -1}), "offer.take.shows -1"),
        (offer({"shows": 1}), "offer: give names Key Cards, take says how many"),
        (offer(LOOK, {"key_cards": ["KEY_CARD_1"]}), "offer: give names Key Cards"),
        (offer({"look": True, "key_cards": [4]}), "offer.give: all Key Cards, or some"),
        (offer(), "offer: nothing for nothing"),
        (offer(offer={"seat": 1, "to": 9, **TRADED}), "offer: from seat 1 to 9: two different ones, 1 to 2"),
        (offer(offer={"seat": 0, "to": 2, **TRADED}), "offer: from seat 0 to 2"),
        (offer(offer={"seat": 1, "to": 1, **TRADED}), "offer: from seat 1 to 1"),
        (offer(LOOK, players=[{"seat": 2, "dead": True}]), "offer: seat 2 has no adventurer on the board"),
        (offer(LOOK, players=[{"seat": 2, "adventurer": {"place": "c12_3"}}]), "offer: the two don't stand"),
        (offer(LOOK, turn={"seat": 1, "die": 3}), "offer: in MOVE; before the roll"),
        (offer(LOOK, leaving={"seat": 1}), "offer: while cards are left behind"),
        ({"leaving": {"seat": 7}}, "leaving.seat 7: 1 to 2"),
        ({"leaving": {"seat": 2}, "players": [{"seat": 2, "dead": True}]}, "leaving.seat 2 has no adventurer"),
        (notebook(seen=[{"seat": 9, "card": 4}]), "seat 1: notebook names seats 9: others, 1 to 2"),
        (notebook(seen=[{"seat": 1, "card": 4}]), "notebook names seats 1"),
        (notebook(complete=[3]), "notebook names seats 3"),
        (notebook(shown=[{"seat": 0, "card": 4}]), "notebook names seats 0"),
        (notebook(lacks=[{"seat": 2, "card": "KEY_CARD_BLANK"}]), "notebook: Key Cards are 1 to 9"),
        (notebook(seen=[{"seat": 2, "card": 4}]), "notebook has seen a card where it isn't"),
        (notebook(lacks=[{"seat": 2, "card": 7}]), "notebook misses a card where it is"),
        (notebook(shown=[{"seat": 2, "card": 7}]), "a card was shown that isn't its own"),
        (notebook(complete=[2], seen=[{"seat": 2, "card": 7}]), "complete of a hand that wasn't all seen"),
    ],
)
def test_talk_that_can_not_have_been_is_refused(parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read(**parts)


def test_an_offer_of_two_who_are_elsewhere_on_turn_is_refused() -> None:
    with pytest.raises(ValueError, match="offer: neither of the two is on turn"):
        read(3, **offer(LOOK, turn={"seat": 3}))


def test_both_know_the_treasure_cards_of_an_offer() -> None:
    players = [{"seat": 1, "rucksack": [{"card": "T01"}]}, {"seat": 2, "rucksack": [{"card": "T02"}, {"card": "T03"}]}]
    game = read(3, **offer({"cards": ["T01"]}, {"cards": ["T02"]}, players=players))
    known = {held.card: [held.knows(seat) for seat in (1, 2, 3)] for one in game.players for held in one.rucksack}
    assert known == {"T01": [True, True, False], "T02": [True, True, False], "T03": [False, True, False]}
    assert RULEBOOK.from_position(RULEBOOK.position(game), 3, pb.Options()) == game


def at(kind: str, place: str = "c15_0", **parts: Any) -> dict[str, Any]:
    """A window of seat 1, who stands somewhere and carries a bunch with 1, 4 and 7."""
    player = {"seat": 1, "adventurer": {"place": place}, "rucksack": [{"card": "T01"}]}
    return {"window": {"kind": f"WINDOW_KIND_{kind}", "seat": 1}, "players": [player], **parts}


ESCAPED = {"seat": 1, "opponent": 2, "place": "c15_0", "rounds": 1, "escaped": 2}
KEY = {"number": 1, "card": "T01"}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (at("SPOILS"), "SPOILS, and nobody has escaped"),
        (at("FLIGHT"), "FLIGHT, and nobody has escaped"),
        (at("FLIGHT", fight=ESCAPED), "FLIGHT is seat 2's, not seat 1's"),
        (at("FIGHT", fight=ESCAPED), "fight.escaped: and still it goes on"),
        (at("START", fight=ESCAPED), "fight: in START"),
        (at("OVER"), "OVER, and nobody leaves cards behind"),
        (at("SET_UP", turn={"number": 1, "seat": 1}), "SET_UP, and the game has begun"),
        (at("SET_UP"), "SET_UP, and nobody creates an adventurer"),
        (at("SET_UP"), "SET_UP of seat 1; it is everybody's"),
        (at("REBIRTH"), "REBIRTH of seat 1, who has an adventurer"),
        (at("CHEST", named=[KEY]), "CHEST outside the Treasure Room"),
        (at("CHEST", "R_h"), "named: 1 or 2 of 3 keys"),
        (
            at("CHEST", "R_h", named=[{"number": 1, "card": "T99"}]),
            "named: keys that cards in the rucksack don't cover",
        ),
        (
            at("CHEST", "R_h", named=[{"number": 2, "card": "T01"}]),
            "named: keys that cards in the rucksack don't cover",
        ),
        (at("CHEST", "R_h", named=[KEY, KEY]), "named: a key or a Skeleton Key stands twice"),
        (
            {
                "window": {"kind": "WINDOW_KIND_CHEST", "seat": 1},
                "named": [{"number": 1, "card": "T10"}],
                "players": [{"seat": 1, "adventurer": {"place": "R_h"}, "rucksack": [{"card": "T10"}]}],
            },
            "CHEST, and no keys to go on with",
        ),
        (at("START", named=[KEY]), "named: in START; keys are named at the CHEST"),
        (
            {"turn": {"seat": 1, "die": 3, "open_box": "X1"}, "maze": [{"id": "X1", "card": "MAZE_CARD_DEAD_END"}]},
            "turn.open_box X1: no way through",
        ),
        ({"turn": {"seat": 1, "bought": 9}}, "turn.bought 9: 0 to 3"),
        ({"turn": {"seat": 1, "round": 101}}, "turn.round 101: 0 to 100"),
        ({"turn": {"seat": 1, "number": 2**31 - 1}}, "turn.number 2147483647: 0 to 1000000"),
        (at("ARRIVAL", turn={"seat": 1, "unbegun": True}), "turn.unbegun: at START, with nothing in between"),
        (at("CLAIM", turn={"seat": 1, "unbegun": True}), "turn.unbegun: at START"),
        (offer(LOOK, turn={"seat": 1, "unbegun": True}), "turn.unbegun: at START"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01", "known_by": [0]}]}]}, "T01: known_by names seats"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01", "known_by": [-1]}]}]}, "T01: known_by names seats"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01", "known_by": [7]}]}]}, "T01: known_by names seats"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01", "known_by": [3]}]}]}, "known_by names seats beyond 2"),
        ({"rooms": [{"id": "R_A", "stack": {"cards": [{"card": "T01", "known_by": [3]}]}}]}, "R_A: stack: known_by"),
        ({"chest_tries": [{"seat": 1, "numbers": [1, 2, 10], "wrong": 1}]}, "chest_tries: .* can't be"),
        ({"chest": [1, 2, 3], "chest_tries": [{"seat": 1, "numbers": [1, 2, 4], "wrong": 2}]}, "chest_tries: "),
        ({"challenges": [{"seat": 3, "number": 1}]}, "challenges: seat 3, number 1"),
        ({"winner": 1}, "winner: and the game isn't over"),
        ({"winner": 3, "ending": "END_REASON_CHEST_OPENED"}, "winner 3: 0 to 2"),
        ({"rooms": [{"id": "R_A", "encounter": "E01", "face_up": True, "revealed": False}]}, "R_A: E01 lies face up"),
        ({"rooms": [{"id": "R_J", "revealed": False}]}, "R_J: FOOL lies face up, and wasn't revealed"),
        ({"players": [{"seat": 1, "dead": True, "rucksack": [{"card": "T01"}]}]}, "Treasure Cards without an adv"),
        ({"players": [{"seat": 1, "dead": True, "adventurer": {"skill": 9}}]}, "seat 1: dead, and an adventurer"),
        ({"players": [{"seat": 1, "piece": "PIECE_BLUE"}, {"seat": 2, "piece": "PIECE_BLUE"}]}, "piece 2 stands twice"),
        ({"rooms": [{"id": "R_g", "stack": {"cards": [{"card": "T01"}]}}]}, "R_g: a treasure stack in Study"),
        ({"gone": ["FOOL"], "rooms": [{"id": "R_J", "encounter": ""}]}, "gone: fixed encounters stay"),
        ({"last_item": 2**31 - 1}, "last_item 2147483647: 0 to 1000000"),
        ({"items": [{"place": "R_K", "owner": 1}]}, "item 1 at 'R_K': held names the card that lies there"),
        ({"items": [{"place": "R_K", "owner": 9, "held": {"card": "T01"}}]}, "item 1: owner 9: 0 to 6"),
        ({"items": [{"place": "R_K", "owner": 3, "held": {"card": "T01"}}]}, "item 1: owner and left_by are seats"),
        (
            {"items": [{"item": 2, "place": "R_K", "held": {"card": f"T0{n}"}} for n in (1, 2)]},
            "items: a number stands",
        ),
        (sheet(gold=2**31 - 1), "gold above 10000"),
        (sheet(misses_turns=2**31 - 1), "misses_turns above 10000"),
    ],
)
def test_a_position_that_could_not_go_on_is_refused(parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read(**parts)
