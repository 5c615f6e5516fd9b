"""Nothing is lost and nothing is made: treasures, encounters, Key Cards, Gold and Provisions, after every event."""

from collections import Counter

import pytest
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import open_match
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import excess
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity import check_game
from ludolog.rulebooks.warlock_of_firetop_mountain.state import SEATS, Game
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.offline import digest_of
from tests.property.warlock_of_firetop_mountain.playing import RULEBOOK, match

MATCHES, COMMITS = 4, 500
TABLES = read_tables(RULEBOOK.content)
TREASURES = Counter(list(TABLES.treasures))
ENCOUNTERS = Counter(card for card in TABLES.encounters if card != "CROCODILE")


def treasures(game: Game) -> Counter[str]:
    """Every Treasure Card, wherever it is."""
    places = (*(player.rucksack for player in game.players), *(room.stack for room in game.rooms))
    cards = Counter(held.card for place in places for held in place)
    return cards + Counter(item.held.card for item in game.items) + Counter(game.handed_in)


def encounters(game: Game) -> Counter[str]:
    return Counter(room.encounter for room in game.rooms if room.encounter) + Counter(game.gone)


def key_cards(game: Game) -> list[int]:
    return sorted([*game.chest, *game.undealt, *(card for player in game.players for card in player.key_cards)])


def goods(game: Game, what: str) -> list[int]:
    return [getattr(player.adventurer, what) if player.adventurer else 0 for player in game.players]


def expected_goods(game: Game, event: Message, what: str) -> list[int]:
    """Gold or Provisions by seat after an event: they change by what the event says, and go with who dies."""
    amounts = goods(game, what)
    changed = pb.GoldChanged if what == "gold" else pb.ProvisionsChanged
    if isinstance(event, changed):
        amounts[event.seat - 1] += event.by
    elif isinstance(event, pb.ExtrasTaken):
        amounts[event.seat - 1] += getattr(event, what)
    elif isinstance(event, pb.TradeAgreed):
        given, taken = getattr(event.give, what), getattr(event.take, what)
        amounts[event.seat - 1] += taken - given
        amounts[event.to - 1] += given - taken
    elif isinstance(event, pb.AdventurerDied | pb.SeatBecamePassive):
        amounts[event.seat - 1] = 0
    elif isinstance(event, pb.CharacterRolled):
        amounts[event.seat - 1] = 0 if what == "gold" else 3
    return amounts


def check_adventurers(game: Game) -> None:
    for seat, player in enumerate(game.players, 1):
        assert all(held.knows(seat) for held in player.rucksack), "a holder knows what it holds"
        assert [held.card for held in player.rucksack] == sorted(held.card for held in player.rucksack)
        sheet = player.adventurer
        if sheet:
            assert 0 <= sheet.stamina <= sheet.initial_stamina
            assert 0 <= sheet.luck <= sheet.initial_luck
            assert min(sheet.gold, sheet.provisions, sheet.lanterns, sheet.misses_turns) >= 0
        else:
            assert not player.rucksack


@pytest.mark.parametrize("seats", SEATS)
def test_everything_is_conserved_after_every_event(seats: int) -> None:
    for number in range(MATCHES):
        options = {"data_set": pb.DATA_SET_WIDE} if number % 2 else {}
        for before, event, after, last in match(seats, number, COMMITS, **options):
            if not after.rooms or not after.chest:
                continue  # the box is still being unpacked
            assert treasures(after) == TREASURES, event
            assert encounters(after) == ENCOUNTERS, event
            assert key_cards(after) == list(range(1, 10))
            for what in ("gold", "provisions"):
                assert goods(after, what) == expected_goods(before, event, what), event
            if last:
                check_settled(after)


def check_settled(game: Game) -> None:
    """Between commits nobody is dead on their feet, and nobody carries too much without having to leave something."""
    check_adventurers(game)
    check_game(TABLES.played(game.settings), game)
    for seat, player in enumerate(game.players, 1):
        if any(excess(TABLES, game, seat)):
            assert game.leaving, "somebody carries too much"
        if player.ready:
            assert player.ready.stamina > 0
    if not game.ending:
        assert RULEBOOK.awaiting(game)


def test_every_draw_says_what_it_is_for() -> None:
    """Purposes as the README lists them; set-up's shuffles are whole."""
    chance = BlockChance(digest_of("purposes"))
    open_match(RULEBOOK, RULEBOOK.options_type(), 4, chance)
    found = [(draw.purpose, draw.size) for draw in chance.draws]
    assert found == [("treasure cards", 32), ("encounter cards", 27), ("maze cards", 6), ("key cards", 9)]
