"""What the page and the terminal show of a table, and say of what happens, is what the view and the events hold."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import SPECTATOR, Seat, Seated, Viewer
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from tests.tidy.tree import ROOMS
from tests.unit.drawn import NODE, drawn

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
TABLES = read_tables(RULEBOOK.content)
NAMES = {1: "Ann", 2: "Bob", 3: "Cleo"}


def seen(viewer: Viewer, seats: int = 2, **parts: Any) -> pb.View:
    """What a viewer sees of a position."""
    game = RULEBOOK.from_position(json_format.ParseDict(parts, pb.Position()), seats, pb.Options())
    view = RULEBOOK.view(game, viewer)
    assert isinstance(view, pb.View)
    return view


def text(view: pb.View, width: int = 200) -> list[str]:
    """The lines of the terminal."""
    return RULEBOOK.board_text(view, width).splitlines()


def told_on_the_page(kind: str, event: dict[str, Any]) -> str:
    """The page's line for an event."""
    if NODE is None:
        pytest.skip("node isn't installed: the browser suite draws the board in Chromium")
    board = json.dumps((ROOMS / RULEBOOK.name / "board.js").as_uri())
    call = f"tell({json.dumps({kind: event})}, {json.dumps({'names': NAMES})})"
    script = f"import {{tell}} from {board}; process.stdout.write({call})"
    done = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return done.stdout


SHOWN = {"seat": 1, "owner": 2, "cards": ["KEY_CARD_7", "KEY_CARD_8"]}
ANSWERS = {"seat": 1, "answers": [{"seat": 2, "cards": ["KEY_CARD_7"]}, {"seat": 3, "cards": ["KEY_CARD_BLANK"]}]}


@pytest.mark.parametrize(
    ("kind", "event", "line"),
    [
        ("key_cards_shown", SHOWN, "Bob shows Key Cards to Ann: 7, 8."),
        ("key_cards_shown", SHOWN | {"cards": []}, "Bob shows Key Cards to Ann."),
        ("key_cards_shown", SHOWN | {"by_magic": True}, "Ann sees Key Cards of Bob: 7, 8."),
        ("key_cards_shown", SHOWN | {"by_magic": True, "cards": []}, "Ann sees Key Cards of Bob."),
        ("chest_answered", ANSWERS, "Bob shows 7; Cleo shows a blank."),
        ("challenge_answered", ANSWERS, "Bob shows 7; Cleo shows a blank."),
        ("chest_answered", {"seat": 1, "answers": [{"seat": 2}, {"seat": 3}]}, "The others show their cards."),
    ],
)
def test_the_page_tells_which_key_cards_were_seen(kind: str, event: dict[str, Any], line: str) -> None:
    assert told_on_the_page(kind, event) == line


def hands(*cards: int) -> list[dict[str, Any]]:
    """Seat 1 has seen these cards of seat 2, who holds 6 and 7."""
    facts = [{"seat": 2, "card": card} for card in cards]
    first = {"seat": 1, "key_cards": [4, 5], "notebook": {"seen": facts}}
    return [first, {"seat": 2, "key_cards": [6, 7]}, {"seat": 3, "key_cards": [8, 9]}]


@pytest.mark.parametrize(("cards", "crossed"), [((6,), 0), ((6, 7), 7)])
def test_a_player_whose_cards_were_all_seen_one_by_one_is_crossed_out(cards: tuple[int, ...], crossed: int) -> None:
    page = drawn(RULEBOOK.name, seen(Seated(Seat(1)), 3, players=hands(*cards)), seat=1, names=NAMES)
    rows = re.findall(r"<text[^>]*>([✔✕★]?)</text>", page.partition("Your notebook of Key Cards")[2])
    bob = [rows[4 * row + 1] for row in range(9)]
    assert (bob.count("✔"), bob.count("✕")) == (len(cards), crossed)


def test_page_and_terminal_say_what_was_shown_to_whom() -> None:
    shown = [{"seat": 2, "card": 4}, {"seat": 3, "card": 4}, {"seat": 3, "card": 5}]
    view = seen(Seated(Seat(1)), 3, players=[{"seat": 1, "key_cards": [4, 5], "notebook": {"shown": shown}}])
    page = drawn(RULEBOOK.name, view, seat=1, names=NAMES)
    assert "You have shown Bob: 4<" in page
    assert "You have shown Cleo: 4, 5<" in page
    assert {"You have shown player 2: 4", "You have shown player 3: 4, 5"} <= set(text(view))


SWORD = TABLES.treasures["T05"].called
BLOW = {"seat": 1, "dice": [6, 6], "total": 22, "opponent_dice": [6, 2], "opponent_total": 14, "encounter": "E01"}


@pytest.mark.parametrize(
    ("kind", "event", "page", "terminal"),
    [
        (
            "attack_rolled",
            BLOW,
            "Ann ⚅⚅ + SKILL 10 = 22; the creature ⚅⚁ + SKILL 6 = 14.",
            "Ann 6+6 + SKILL 10 = 22; the Wererat 6+2 + SKILL 6 = 14.",
        ),
        (
            "attack_rolled",
            BLOW | {"opponent": 2, "encounter": "", "opponent_total": 22},
            "Ann ⚅⚅ + SKILL 10 = 22; Bob ⚅⚁ + SKILL 14 = 22. Nobody is hit.",
            "Ann 6+6 + SKILL 10 = 22; Bob 6+2 + SKILL 14 = 22. Nobody is hit.",
        ),
        ("wounded", {"stamina": 3, "encounter": "E01"}, "", "The Wererat is wounded: STAMINA 3."),
        ("wounded", {"seat": 2, "stamina": 3}, "Bob is wounded: STAMINA 3.", "Bob is wounded: STAMINA 3."),
        (
            "encounter_revealed",
            {"seat": 1, "room": "R_A", "encounter": "CROCODILE"},
            "Ann meets the Crocodile.",
            "Ann meets the Crocodile.",
        ),
        (
            "encounter_revealed",
            {"seat": 1, "room": "R_g", "encounter": "WARLOCK"},
            "",
            "Ann meets the Warlock: A new fight for every arrival.",
        ),
        (
            "escape_rolled",
            {"seat": 1, "die": 6, "penalty": "unharmed"},
            "Ann flees: ⚅ on the Escape Table, unharmed.",
            "Ann escapes: 6 on the Escape Table, unharmed.",
        ),
        (
            "die_rolled",
            {"seat": 1, "kind": "DIE_KIND_BRIDGE", "die": 2},
            "Ann rolls ⚁ for the bridge.",
            "Ann rolls 2 for the bridge.",
        ),
        ("moved", {"seat": 1, "path": ["R_g"]}, "", "Ann goes to Warlock's Study."),
        (
            "chest_tried",
            {"seat": 1, "numbers": [1, 2, 4], "wrong": 1},
            "Ann tried 1-2-4: 1 wrong.",
            "Ann tried 1, 2, 4: 1 wrong.",
        ),
        ("treasure_stolen", {"seat": 1, "cards": ["", ""]}, "Ann loses 2 cards.", "Ann loses 2 cards."),
        ("treasure_stolen", {"seat": 1, "cards": [""]}, "Ann loses a card.", "Ann loses a card."),
        ("treasure_claimed", {"seat": 1, "cards": ["T05", ""]}, "", f"Ann claims {SWORD}, a card."),
        ("extras_taken", {"seat": 1}, "Ann packs nothing more.", "Ann packs nothing more."),
        ("extras_taken", {"seat": 1, "gold": 4}, "Ann packs 4 gold.", "Ann packs 4 Gold."),
        (
            "extras_taken",
            {"seat": 1, "gold": 2, "provisions": 2},
            "Ann packs 2 more provisions and 2 gold.",
            "Ann packs 2 more Provisions and 2 Gold.",
        ),
        ("chest_answered", ANSWERS, "", "Bob shows 7; Cleo shows a blank."),
    ],
)
def test_what_happened_says_why(kind: str, event: dict[str, Any], page: str, terminal: str) -> None:
    """Dice with the SKILL that is added, what dice are for, what cards say (the page here has no printed cards)."""
    payload = getattr(json_format.ParseDict({kind: event}, pb.PublicEvent()), kind)
    assert RULEBOOK.tell is not None
    assert RULEBOOK.tell(payload, NAMES, pb.View()) == terminal
    if page:
        assert told_on_the_page(kind, event).replace("the E01", "the creature") == page


def test_the_terminal_says_whose_turn_it_is_and_what_is_left_of_the_roll() -> None:
    moving = seen(SPECTATOR, turn={"seat": 2, "round": 4, "number": 8, "die": 5, "pips_left": 3})
    assert "Round 4: player 2 moves, rolled 5, 3 left." in text(moving)
    late: dict[str, Any] = {"turn": {"seat": 2, "round": 4, "number": 8}}
    over = late | {"ending": "END_REASON_CHEST_OPENED", "winner": 2, "chest": [2, 7, 9]}
    assert "The chest is open: player 2 wins with 2-7-9." in text(seen(SPECTATOR, **over))
    limit = seen(SPECTATOR, **late, ending="END_REASON_ROUND_LIMIT")
    assert "The last round is over: the mountain keeps its treasure." in text(limit)


def test_the_terminal_works_out_what_lies_in_the_chest() -> None:
    """As the page's grid: of seat 2 everything was seen, seat 3 has shown a 9 and a blank for the 1."""
    notebook = {
        "seen": [{"seat": 2, "card": 6}, {"seat": 2, "card": 7}, {"seat": 3, "card": 9}],
        "lacks": [{"seat": 3, "card": 1}],
    }
    first = {"seat": 1, "key_cards": [4, 5], "notebook": notebook}
    players = [first, {"seat": 2, "key_cards": [6, 7]}, {"seat": 3, "key_cards": [8, 9]}]
    lines = text(seen(Seated(Seat(1)), 3, players=players))
    assert line_of(lines, "In the chest: ") == "1"
    assert line_of(lines, "May be in the chest: ") == "2, 3, 8"
    assert not [line for line in text(seen(SPECTATOR, 3, players=players)) if "chest: " in line]


def test_the_terminal_lists_rooms_that_nobody_has_entered_and_treasure_that_is_free() -> None:
    rooms = [{"id": f"R_{name}", "encounter": "", "stack": {}} for name in "ABCDEFGIKLMNOPQRSTUWXZabcd"]
    lines = text(seen(SPECTATOR, rooms=[*rooms, {"id": "R_e", "encounter": ""}]))
    assert not [line for line in lines if line.startswith("Not met yet")]
    assert line_of(lines, "Treasure in rooms that nobody guards: ") == "e"
    assert line_of(text(seen(SPECTATOR)), "Not met yet, in rooms: ").startswith("A B C D E F G I K")


RUCKSACK = [{"card": "T01"}, {"card": "T26"}, {"card": "T22", "shown": True}]
OFFER = {"seat": 1, "to": 2, "give": {"cards": ["T01"]}, "take": {"shows": 2}}


def test_the_terminal_names_cards_and_the_offer_as_far_as_they_are_known() -> None:
    called = [TABLES.treasures[card].called for card in ("T01", "T26", "T22")]
    parts: dict[str, Any] = {"players": [{"seat": 1, "rucksack": RUCKSACK}, {"seat": 2}], "offer": OFFER}
    mine, theirs, others = (text(seen(viewer, **parts)) for viewer in (Seated(Seat(1)), Seated(Seat(2)), SPECTATOR))
    assert sorted(line_of(mine, "Your cards: ").split(", ")) == sorted(called)
    assert line_of(theirs, "Player 1 carries: ").split(", ") == [called[0], called[2], "1 face down"]
    assert line_of(others, "Player 1 carries: ").split(", ") == [called[2], "2 face down"]
    offer = "Offer of player 1 to player 2: "
    assert line_of(mine, offer) == line_of(theirs, offer) == f"{called[0]} for a look at 2 Key Cards"
    assert line_of(others, offer) == "a card for a look at 2 Key Cards"


def test_the_page_names_a_card_with_what_it_does_in_whole_sentences() -> None:
    view = seen(Seated(Seat(1)), players=[{"seat": 1, "rucksack": RUCKSACK}])
    page = drawn(RULEBOOK.name, view, seat=1, names=NAMES)
    labels = {card: re.findall(rf'id="card-{card}"[^>]*aria-label="([^"]*)"', page) for card in ("T01", "T26")}
    magic = TABLES.treasures["T26"]
    assert labels == {"T01": ["Bunch of Keys 1-4-7"], "T26": [f"{magic.title}. {magic.effect}".removesuffix(".")]}


def line_of(lines: list[str], title: str) -> str:
    """What follows a title, in its one line."""
    (found,) = (line.removeprefix(title) for line in lines if line.startswith(title))
    return found


def test_the_terminal_shows_the_fight() -> None:
    fight = {"seat": 1, "encounter": "E15", "place": "R_A", "rounds": 2, "stamina": 5}
    fighter = {"seat": 1, "adventurer": {"skill": 9, "stamina": 17}}
    lines = text(seen(SPECTATOR, players=[fighter], fight=fight))
    title = TABLES.encounters["E15"].title
    told = line_of(lines, "Fight: ")
    assert told.startswith(f"player 1 (SKILL 9, STAMINA 17) against the {title} (SKILL ")
    assert told.endswith("STAMINA 5); rounds fought: 2")
    assert re.match(rf"{title} \(SKILL \d+, STAMINA \d+\) in room A; ", line_of(lines, "Met: "))
    duel = text(seen(SPECTATOR, fight={"seat": 1, "opponent": 2, "place": "c12_3"}))
    assert "against player 2 (SKILL 10, STAMINA 20); rounds fought: 0" in line_of(duel, "Fight: ")


def test_the_terminal_shows_what_lies_about_the_maze_and_the_chest() -> None:
    items = [
        {"place": "c12_5", "held": {"card": "T01", "shown": True}},
        {"place": "R_A", "owner": 2, "held": {"card": "T02"}},
    ]
    maze = [{"id": f"X{n}", "card": 1 if n < 5 else 2, "seen": n in {1, 6}} for n in range(1, 7)]
    tries = [{"seat": 2, "numbers": [1, 2, 4], "wrong": 1}]
    lines = text(seen(SPECTATOR, items=items, maze=maze, chest_tries=tries))
    lying = f"{TABLES.treasures['T01'].called} in passage 12, 5; a card in room A (grave of player 2)"
    assert line_of(lines, "Lying about: ") == lying
    assert line_of(lines, "Maze: ") == "X1 a way through; X6 a dead end"
    assert line_of(lines, "Chest: ") == "player 2 tried 1-2-4: 1 wrong"
    narrow = text(seen(SPECTATOR, items=items, maze=maze, chest_tries=tries), 40)
    start = next(index for index, line in enumerate(narrow) if line.startswith("Lying about"))
    assert all(len(line) <= 40 for line in narrow[start : start + 3])


def played(options: dict[str, bool], **parts: Any) -> pb.View:
    """What a spectator sees of a position by these options."""
    position, chosen = json_format.ParseDict(parts, pb.Position()), json_format.ParseDict(options, pb.Options())
    view = RULEBOOK.view(RULEBOOK.from_position(position, 2, chosen), SPECTATOR)
    assert isinstance(view, pb.View)
    return view


def page_after(view: pb.View, kind: str, event: dict[str, Any]) -> str:
    """The page's line for an event once it has drawn a view with what is printed."""
    if NODE is None:
        pytest.skip("node isn't installed: the browser suite draws the board in Chromium")
    assert RULEBOOK.printed is not None
    board = json.dumps((ROOMS / RULEBOOK.name / "board.js").as_uri())
    shown = json_format.MessageToJson(view, preserving_proto_field_name=True)
    printed = json_format.MessageToJson(RULEBOOK.printed, preserving_proto_field_name=True)
    drawing = f"draw({shown}, {{printed: {printed}}})"
    call = f"tell({json.dumps({kind: event})}, {json.dumps({'names': NAMES})})"
    script = f"import {{draw, tell}} from {board}; {drawing}; process.stdout.write({call})"
    done = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    ("card", "options", "title"),
    [
        ("T18", {"more_looks": True}, "Ann uses Scroll of Asking: In your turn, besides the move: one Key Challenge"),
        ("T28", {"more_looks": True}, "Ann uses Seeing Stone: In your turn, besides the move: see all"),
        ("T28", {}, "Ann uses Seeing Stone: Instead of moving: see all"),
        ("T28", {"lesser_warlock": True}, "Ann uses Seeing Stone: Instead of moving: see all"),
    ],
)
def test_a_card_is_told_as_the_table_plays_it(card: str, options: dict[str, bool], title: str) -> None:
    assert RULEBOOK.tell is not None
    view = played(options)
    assert RULEBOOK.tell(pb.TreasureUsed(seat=1, card=card), NAMES, view).startswith(title)
    assert page_after(view, "treasure_used", {"seat": 1, "card": card}).startswith(title)


def test_the_terminal_names_cards_as_the_table_plays_them() -> None:
    lying = [{"place": "c12_5", "held": {"card": "T18", "shown": True}}]
    assert [line for line in text(played({"more_looks": True}, items=lying)) if "Scroll of Asking in" in line]


def test_what_options_change_is_printed_once() -> None:
    printed = RULEBOOK.printed
    assert isinstance(printed, pb.Printed)
    found = {
        one.option: [*(card.id for card in one.cards), *(card.id for card in one.encounters)] for one in printed.options
    }
    assert found == {"more_looks": ["T18", "T28", "T29", "E24"], "lesser_warlock": ["WARLOCK"]}
    (warlock,) = printed.options[1].encounters
    assert (warlock.skill, warlock.stamina) == (9, 10)
