"""What an owner of the game writes into the content is what the rules count with, and what the cards say."""

from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Commanded, Rulebook, Seat, judge
from ludolog.rulebooks import catalogue
from ludolog.testkit.scripted import ScriptedChance

NAME = "warlock_of_firetop_mountain"
CONTENT = catalogue.read_content(NAME)


def owned(file: str, *changes: tuple[str, str]) -> Rulebook[Any]:
    """The rulebook with other values in a file."""
    text = CONTENT[file].decode()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return catalogue.build(NAME, {**CONTENT, file: text.encode()})


def played(
    rulebook: Rulebook[Any], command: Message, draws: dict[str, list[Any]], **position: Any
) -> list[dict[str, Any]]:
    """What happens when seat 1 of two does something in a position."""
    message = json_format.ParseDict(position, pb.Position())
    game = rulebook.from_position(message, 2, pb.Options())
    events = judge(rulebook, game, Commanded(Seat(1), command), 2, ScriptedChance(draws))
    wrapped = [rulebook.events.wrap(event) for event in events]
    return [json_format.MessageToDict(event, preserving_proto_field_name=True) for event in wrapped]


def sheet(**adventurer: Any) -> dict[str, Any]:
    return {"seat": 1, "adventurer": {"stamina": 12, "initial_stamina": 20, **adventurer}}


THEN = "you may take one card of his stack."
ESCAPE = [
    ('penalty = "skill"\namount = 1', {}, {"skill_changed": {"seat": 1, "by": -1, "skill": 9}}),
    ('penalty = "stamina"\namount = 3', {}, {"stamina_changed": {"seat": 1, "by": -3, "stamina": 9}}),
    ('penalty = "gold"\namount = 2', {"gold": 5}, {"gold_changed": {"seat": 1, "by": -2, "gold": 3}}),
    ('penalty = "gold"\namount = 2', {"gold": 1}, {"gold_changed": {"seat": 1, "by": -1}}),
    ('penalty = "gold"\namount = 2', {}, None),
    (
        'penalty = "gold"\namount = 2\notherwise = { penalty = "luck", amount = 3 }',
        {},
        {"luck_changed": {"seat": 1, "by": -3, "luck": 6}},
    ),
    ('penalty = "provisions"\namount = 2', {}, {"provisions_changed": {"seat": 1, "by": -2, "provisions": 1}}),
    ('penalty = "lantern"', {"lanterns": 0}, None),
]


@pytest.mark.parametrize(("penalty", "adventurer", "change"), ESCAPE)
def test_the_escape_table_takes_what_is_printed(
    penalty: str, adventurer: dict[str, Any], change: dict[str, Any] | None
) -> None:
    rulebook = owned("tables.toml", ('penalty = "stamina"\namount = 4', penalty))
    fight = {"seat": 1, "encounter": "E10", "place": "R_A", "rounds": 1}
    players = [sheet(place="R_A", entered_by="c12_5", **adventurer)]
    events = played(rulebook, pb.Escape(), {"escape": [1]}, players=players, fight=fight)
    assert list(events[0]) == ["escape_rolled"]
    assert events[1] == (change or {"encounter_hidden": {"room": "R_A"}})


ARRIVAL = {"turn": {"die": 1, "pips_left": 1}}
ROOM = {"id": "R_A", "stack": {}}
CARDS = [
    ("E25", "gains_stamina = 4", "gains_stamina = 6", {}, {"stamina_changed": {"seat": 1, "by": 6, "stamina": 18}}),
    (
        "E23",
        'loses_stamina = 2\neffect = "STAMINA',
        'loses_stamina = 5\neffect = "STAMINA',
        {},
        {"stamina_changed": {"seat": 1, "by": -5, "stamina": 7}},
    ),
    (
        "E22",
        'missed_turns = 1\neffect = "Test',
        'missed_turns = 2\neffect = "Test',
        {"luck": [6, 6]},
        {"turn_forfeited": {"seat": 1, "turns": 2}},
    ),
    ("E21", "missed_turns = 1\nopens", "missed_turns = 3\nopens", {}, {"turn_forfeited": {"seat": 1, "turns": 3}}),
]


@pytest.mark.parametrize(("card", "old", "new", "draws", "change"), CARDS)
def test_traps_and_springs_count_what_is_printed(
    card: str, old: str, new: str, draws: dict[str, list[Any]], change: dict[str, Any]
) -> None:
    rulebook = owned("encounters.toml", (old, new))
    inside = {"rooms": [ROOM | {"encounter": card}], "players": [sheet(place="c12_5")]}
    assert change in played(rulebook, pb.Move(to="R_A"), draws, **inside, **ARRIVAL)
    amount = new.split(" = ")[1][0]
    printed = rulebook.printed
    assert isinstance(printed, pb.Printed)
    assert amount in next(one.effect for one in printed.encounters if one.id == card)


def test_the_shield_the_jewel_and_the_hell_hound_count_what_is_printed() -> None:
    """9.3: the Warlock rolls 6, 6 with SKILL 10 less 5; the shield saves 2 of 2 on a 4."""
    rulebook = owned(
        "treasures.toml",
        *(("saves_on = 6", "saves_on = 4"), ("saves_stamina = 1", "saves_stamina = 2")),
        ("warlock_skill = 2", "warlock_skill = 5"),
    )
    carried = [{"card": "T31", "shown": True}, {"card": "T32", "shown": True}]
    study = sheet(place="R_g", entered_by="c22_36") | {"rucksack": carried}
    fight = {"seat": 1, "encounter": "WARLOCK", "place": "R_g"}
    draws = {"attack": [6, 6, 1, 1], "shield": [4]}
    rolled, _, wounded = played(rulebook, pb.AttackRound(), draws, players=[study], fight=fight)
    assert rolled["attack_rolled"]["opponent_total"] == 17
    assert wounded == {"wounded": {"seat": 1, "stamina": 12}}
    hound = owned("encounters.toml", ("fire_up_to = 2", "fire_up_to = 5"), ("fire_stamina = 1", "fire_stamina = 3"))
    fight = {"seat": 1, "encounter": "E03", "place": "R_A"}
    draws = {"attack": [6, 6, 1, 1], "fire": [5]}
    *_, burnt = played(hound, pb.AttackRound(), draws, players=[sheet(place="R_A")], fight=fight)
    assert burnt == {"stamina_changed": {"seat": 1, "by": -3, "stamina": 7}}


def test_a_potion_may_restore_so_many_points() -> None:
    potion = (
        'restores = "initial"\neffect = "STAMINA back to {restores}',
        'restores = 3\neffect = "STAMINA +{restores}',
    )
    carried = sheet() | {"rucksack": [{"card": "T26"}]}
    *_, drunk = played(owned("treasures.toml", potion), pb.UseTreasure(card="T26"), {}, players=[carried])
    assert drunk == {"stamina_changed": {"seat": 1, "by": 3, "stamina": 15}}


def test_the_raft_takes_the_unlucky_where_the_table_says() -> None:
    rulebook = owned("tables.toml", ('unlucky = "fall"', 'unlucky = "stay"'))
    raft = pb.CrossRiver(way=pb.RIVER_WAY_RAFT)
    events = played(rulebook, raft, {"luck": [6, 6]}, players=[sheet(place="c15_14")])
    assert [next(iter(event)) for event in events[:3]] == ["river_tried", "luck_tested", "turn_ended"]


def test_shylock_may_pay_less_than_he_asks() -> None:
    rulebook = owned("tables.toml", ('key = "shylock_pays"\ngold = 3', 'key = "shylock_pays"\ngold = 1'))
    sell = pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_SELL, card="T01")
    seller = sheet(place="R_Y") | {"rucksack": [{"card": "T01"}]}
    window = {"kind": "WINDOW_KIND_ENCOUNTER", "seat": 1}
    events = played(rulebook, sell, {}, players=[seller], window=window, turn={"die": 3})
    assert {"gold_changed": {"seat": 1, "by": 1, "gold": 1}} in events


def test_a_text_says_amounts_in_the_book_s_words() -> None:
    """What is printed on the cards as they are, and with other values."""
    ghoul, cage, thief = ("deadly_wound = 4", "opens_from = 5", "steals_up_to = 2\nsteals_gold = 1")
    changed = ((thief, "steals_up_to = 3\nsteals_gold = 2"), (ghoul, "deadly_wound = 3"), (cage, "opens_from = 4"))
    found = []
    for rulebook in (owned("encounters.toml"), owned("encounters.toml", *changed)):
        assert isinstance(rulebook.printed, pb.Printed)
        effects = {card.id: card.effect for card in rulebook.printed.encounters}
        found.append([effects[name] for name in ("PICKPOCKET", "E02", "E21")])
    assert found == [
        [
            f"One die: 1 or 2, he takes a card at random (else 1 Gold Piece); 3 to 6, {THEN}",
            "Its fourth wound in a battle kills.",
            "Catches you: miss a turn, then Test for Luck or roll 5 or 6 to get out.",
        ],
        [
            f"One die: 1 to 3, he takes a card at random (else 2 Gold Pieces); 4 to 6, {THEN}",
            "Its third wound in a battle kills.",
            "Catches you: miss a turn, then Test for Luck or roll 4 to 6 to get out.",
        ],
    ]


def test_a_maze_box_takes_as_many_spaces_as_the_board_says() -> None:
    """A49: with boxes of three, a 4 leads through one and a 3 onto it; the step costs as much."""
    rulebook = owned("two_hour.toml", ("box_spaces = 1", "box_spaces = 3"))
    beyond, players = "c9_34", [sheet(place="c9_32")]
    found = []
    for die in (2, 3, 4):
        turn = {"seat": 1, "die": die, "pips_left": die, "open_box": "X1"}
        message = json_format.ParseDict({"players": players, "turn": turn}, pb.Position())
        game = rulebook.from_position(message, 2, pb.Options())
        entries = rulebook.legal_commands(game, Seat(1))
        labels = {entry.command.to: entry.label.text for entry in entries if isinstance(entry.command, pb.Move)}
        stepped = pb.Step(to="X1") in [entry.command for entry in entries]
        found.append((labels.get("X1", "")[:12], labels.get(beyond, "")[:12], stepped))
    assert found == [("", "", False), ("Move 3 to ma", "", False), ("Move 3 of 4 ", "Move 4 to pa", True)]
    turn = {"seat": 1, "die": 4, "pips_left": 4, "open_box": "X1"}
    moved = played(rulebook, pb.Step(to="X1"), {}, players=players, turn=turn)
    assert moved == [{"moved": {"seat": 1, "path": ["X1"], "pips_left": 1}}]
