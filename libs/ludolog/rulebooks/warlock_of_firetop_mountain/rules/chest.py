"""13. The Warlock's Treasure Chest. Rulings A19, A20, A44."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS, answers
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables, Treasure

KEYS = 3
"""Keys that open the chest."""


def covers(card: Treasure, number: int) -> bool:
    """11.2: a bunch with the number, or a Skeleton Key."""
    return card.kind == "skeleton" or number in card.numbers


def nameable(tables: Tables, game: Game, seat: int) -> list[tuple[int, str]]:
    """Numbers and cards that may be named next, so that three can be named in all; a Skeleton Key stands for one."""
    cards = [tables.treasures[held.card] for held in game.player(seat).rucksack]
    named = {key.number for key in game.named}
    used = {key.card for key in game.named}
    free = [card for card in cards if card.kind == "keys" or (card.kind == "skeleton" and card.id not in used)]
    bunches = {number for card in free for number in card.numbers} - named
    skeletons = sum(card.kind == "skeleton" for card in free)
    left = KEYS - len(named)
    found = []
    for number in NUMBERS:
        for card in free:
            if number in named or not covers(card, number):
                continue
            rest = len(bunches - {number}) + skeletons - (card.kind == "skeleton")
            if rest >= left - 1:
                found.append((number, card.id))
    return found


def at_chest(tables: Tables, game: Game, seat: int) -> bool:
    """In the Treasure Room, on arrival or instead of the roll, once a turn (13.1, A20); staying is no arrival (A4)."""
    board = tables.boards[game.settings.data_set]
    there = game.adventurer(seat).place == board.treasure_room
    return there and not game.turn.chest_tried and not game.turn.stayed


def may_try(tables: Tables, game: Game, seat: int) -> bool:
    """At the chest, with three keys (13.1, A20)."""
    return at_chest(tables, game, seat) and bool(nameable(tables, game, seat))


def seems_to_try(tables: Tables, game: Game, seat: int) -> bool:
    """At the chest, with any card: whether it is a key isn't told by a window that opens or doesn't (8.1)."""
    return at_chest(tables, game, seat) and bool(game.player(seat).rucksack)


def chest_challenge(play: Play, seat: int, command: pb.ChestChallenge) -> Next:
    """13.1: name a key and turn its card up; the third one is the challenge.

    Refuses: NO_SUCH_KEY, NOT_HELD, NOT_COVERED, NAMED_TWICE, NOT_ENOUGH_KEYS, NOT_NOW.
    """
    game = play.game
    require_window(game, seat, "13.1", WindowKind.START, WindowKind.ARRIVAL, WindowKind.CHEST)
    named = game.window.kind is WindowKind.CHEST
    if not named and not at_chest(play.tables, game, seat):
        raise Refusal("NOT_NOW", "13.1", window=game.window.kind.name)
    _check(play, seat, command)
    play.happen(pb.ChestKeyNamed(seat=seat, number=command.number, card=command.card))
    return try_chest(play, seat) if len(play.game.named) == KEYS else play.open(WindowKind.CHEST, seat)


def _check(play: Play, seat: int, command: pb.ChestChallenge) -> None:
    if command.number not in NUMBERS:
        raise Refusal("NO_SUCH_KEY", "13.1", number=command.number)
    if play.game.held(seat, command.card) is None:
        raise Refusal("NOT_HELD", "13.1")
    if not covers(play.tables.treasures[command.card], command.number):
        raise Refusal("NOT_COVERED", "13.1", number=command.number)
    skeletons = {key.card for key in play.game.named if play.tables.treasures[key.card].kind == "skeleton"}
    if command.number in {key.number for key in play.game.named} or command.card in skeletons:
        raise Refusal("NAMED_TWICE", "13.1", ruling="A20")
    if (command.number, command.card) not in nameable(play.tables, play.game, seat):
        raise Refusal("NOT_ENOUGH_KEYS", "13.1", ruling="A20")


def try_chest(play: Play, seat: int) -> Next:
    """13.2 to 13.4 and A19: compared with the chest itself; wrong ones send the adventurer to the south bank."""
    numbers = [key.number for key in play.game.named]
    wrong = sum(number not in play.game.chest for number in numbers)
    play.happen(pb.ChestAnswered(seat=seat, answers=answers(play, seat, numbers)))
    play.happen(pb.ChestTried(seat=seat, numbers=numbers, wrong=wrong))
    if not wrong:
        play.happen(pb.GameWon(seat=seat, chest=[pb.KeyCard.ValueType(card) for card in play.game.chest]))
        return Next.WAIT
    play.happen(pb.SentToSouthBank(seat=seat, place=play.board.south_bank))
    return Next.END
