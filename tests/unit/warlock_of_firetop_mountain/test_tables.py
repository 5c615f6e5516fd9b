"""Content checks itself on load, and says what doesn't add up."""

import pytest

from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.scenario_file import read_file
from tests.contract.test_content import refused
from tests.tidy.tree import ROOT

NAME = "warlock_of_firetop_mountain"
CONTENT = catalogue.read_content(NAME)
TABLES = read_tables(CONTENT)


def changed(file: str, old: str, new: str) -> dict[str, bytes]:
    text = CONTENT[file].decode()
    assert old in text
    return {**CONTENT, file: text.replace(old, new, 1).encode()}


WRONG = [
    ("tables.toml", "gold = 3", "gold = -1", "prices in Gold Pieces"),
    ("tables.toml", 'penalty = "unharmed"', 'penalty = "lucky"', "needs one of"),
    ("tables.toml", "die = 6", "die = 5", "for each of 1 to 6"),
    ("tables.toml", 'penalty = "stamina"\namount = 4', 'penalty = "stamina"', "need an amount"),
    ("tables.toml", 'penalty = "unharmed"', 'penalty = "unharmed"\namount = 1', "nothing else has one"),
    (
        "tables.toml",
        'penalty = "unharmed"',
        'penalty = "unharmed"\notherwise = { penalty = "card" }',
        "otherwise is for",
    ),
    ("tables.toml", 'unlucky = "fall"', 'unlucky = "drown"', "unlucky needs one of"),
    ("tables.toml", 'key = "shylock_pays"', 'key = "shylock_paid"', "prices in Gold Pieces"),
    ("treasures.toml", "saves_on = 6", "saves_on = 7", "saves_on must be a whole number, 1 to 6"),
    ("treasures.toml", 'restores = "initial"', 'restores = "all"', "restores must be a whole number, 1 to"),
    ("treasures.toml", "SKILL +{bonus}", "SKILL +1", "effect says '1'; name the amount in braces"),
    ("treasures.toml", "{amount} Gold", "{coins} Gold", "title: no amount 'coins'"),
    ("encounters.toml", "loses_stamina = 2\n", "", "loses_stamina must be a whole number"),
    ("encounters.toml", "Its {deadly_wound} wound", "A wound", "effect doesn't say deadly_wound"),
    ("encounters.toml", "over_stamina = 6", "over_stamina = 3", "or the curse kills"),
    ("encounters.toml", 'special = "beggar"\n', "", "special of kind trader is one of"),
    ("encounters.toml", 'special = "beggar"', 'special = "dragon"', "special of kind trader is one of"),
    ("encounters.toml", 'special = "ghoul"\ndeadly_wound = 4\n', 'special = "spring"\n', "special of kind creature"),
    ("encounters.toml", 'kind = "trap"', 'kind = "snare"', "kind is one of"),
    ("encounters.toml", 'room = "R_J"\n', "", "fool stays in a room"),
    ("encounters.toml", 'special = "gas"', 'special = "gas"\nroom = "R_J"', "gas can't stay in a room"),
    ("encounters.toml", "skill = 8", "skill = 99", "1 to 20"),
    ("encounters.toml", "stamina = 7", "stamina = 100", "1 to 99"),
    ("treasures.toml", 'kind = "magic"\nspecial = "giver_of_sleep"\n', 'kind = "magic"\n', "special of kind magic"),
    ("treasures.toml", 'kind = "gold"', 'kind = "gold"\nspecial = "fortune"', "special of kind gold is one of: none"),
    (
        "treasures.toml",
        'kind = "magic"\nspecial = "invisibility"',
        'kind = "skeleton"',
        "3 Skeleton Keys, not 4",
    ),
    (
        "box.toml",
        'key = "blank"\ntitle = "Key Card (blank)"\ncount = 6',
        'key = "blank"\ntitle = "B"\ncount = 7',
        "box holds",
    ),
    ("optional.toml", 'id = "T29"', 'id = "T28"', "T28 stands twice"),
    ("treasures.toml", "numbers = [1, 4, 7]", "numbers = [1, 4, 4]", "three different numbers"),
    ("treasures.toml", 'id = "T02"', 'id = "T01"', "of different ids"),
    ("encounters.toml", 'id = "E02"', 'id = "E01"', "33 cards of different ids"),
    ("encounters.toml", "skill = 8", "skill = 0", "whole number, 1 to"),
    ("encounters.toml", 'room = "R_J"', 'room = "R_0"', "one Encounter Card for each room"),
    ("board.toml", 'doors = ["c12_5"]', 'doors = ["c12_6"]', "doesn't touch"),
    ("board.toml", 'doors = ["c2_5"]', 'doors = ["c1_5"]', "there is no square"),
    ("board.toml", 'ring = "c12_1"', 'ring = "c12_2"', "doesn't touch"),
    ("board.toml", "river = [15, 16]", "river = [14, 15]", "lies in the river"),
    ("board.toml", "from = [15, 17]", "from = [15, 14]", "lies in the river"),
    ("two_hour.toml", 'ports = ["c9_32", "c9_34"]', 'ports = ["c9_32", "c9_36"]', "doesn't touch"),
    ("two_hour.toml", "through = 4", "through = 7", "boxes"),
    ("wide.toml", "box_spaces = 1", "box_spaces = 0", "box_spaces must be a whole number, 1 to 6"),
    ("wide.toml", 'id = "S6"', 'id = "S7"', "S1 to S6"),
]


@pytest.mark.parametrize(("file", "old", "new", "problem"), WRONG)
def test_a_wrong_file_is_named(file: str, old: str, new: str, problem: str) -> None:
    refused(NAME, file, old, new, problem)


def test_what_the_digest_says_of_keys() -> None:
    """2.5: every number on exactly three bunches, two bunches share at most one number, three Skeleton Keys."""
    bunches = [set(card.numbers) for card in TABLES.treasures.values() if card.kind == "keys"]
    assert all(sum(number in bunch for bunch in bunches) == 3 for number in range(1, 10))
    assert all(len(one & other) <= 1 for one in bunches for other in bunches if one is not other)
    assert sum(card.kind == "skeleton" for card in TABLES.treasures.values()) == 3


@pytest.mark.parametrize(("data_set", "squares"), [(DataSet.TWO_HOUR, 233), (DataSet.WIDE, 251)])
def test_the_size_of_the_boards(data_set: DataSet, squares: int) -> None:
    board = TABLES.boards[data_set]
    assert (len(board.squares), len(board.rooms), len(board.entrances), len(board.boxes)) == (squares, 34, 12, 6)


def test_an_owner_replaces_a_file() -> None:
    """LUDOLOG_CONTENT_DIR: another Wererat, another digest."""
    wererat = 'title = "Wererat"\nkind = "creature"\nskill = '
    stronger = changed("encounters.toml", f"{wererat}8", f"{wererat}10")
    assert read_tables(stronger).encounters["E01"].skill == 10
    assert catalogue.build(NAME, stronger).content_digest != catalogue.load(NAME).content_digest


def test_cards_with_a_rule_of_their_own_have_a_scenario() -> None:
    files = sorted((ROOT / "tests" / "scenarios" / NAME).glob("*.yaml"))
    named = {rule for path in files for scenario in read_file(path) for rule in scenario.rules}
    special = {card.id for card in TABLES.encounters.values() if card.special}
    special |= {card.id for card in TABLES.treasures.values() if card.special}
    assert special - named == {"T29"}, "T29 is another T28"
