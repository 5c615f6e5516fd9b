"""Cards are conserved, every draw has its own purpose, matches end within the book's bound."""

from collections import Counter

import pytest
from google.protobuf.message import Message

from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Resigned, Seat, TimedOut, judge, open_match
from ludolog.kernel.players import fill
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.state import SEATS, Game, Role, hand_size
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import digest_of

RULEBOOK = catalogue.load("tempel_des_schreckens")
MATCHES = 12


def whole(game: Game) -> bool:
    """Nothing is lost and nothing is made: chambers, roles, the number of cards in front of everybody."""
    lying = Counter(chamber for row in game.rows for chamber in row.chambers)
    lying.update(game.stacks().cards())
    roles = Counter(game.roles) + Counter([game.leftover] if game.leftover else [])
    return (
        lying == Counter(game.chambers.cards())
        and roles == Counter(game.role_pack.cards())
        and all(len(row.chambers) == hand_size(game.round) for row in game.rows)
        and game.opened.total == len(game.openings)
        and len(game.openings_this_round()) == game.opened_this_round <= game.seats
        and sum(len(row.opened) for row in game.rows) == game.opened_this_round
    )


def apply(game: Game, event: Message) -> Game:
    after = RULEBOOK.evolve(game, event)
    assert isinstance(after, Game)
    return after


@pytest.mark.parametrize("seats", SEATS)
def test_cards_are_conserved_after_every_event(seats: int) -> None:
    for number in range(MATCHES):
        chance = SeededChance(f"cards/{seats}/{number}")
        block = BlockChance(digest_of("cards", seats, number))
        game = RULEBOOK.blank
        for event in open_match(RULEBOOK, RULEBOOK.options_type(), seats, block):
            game = apply(game, event)
        commits = 1
        while RULEBOOK.outcome(game) is None:
            assert whole(game)
            decision = RULEBOOK.awaiting(game)[0]
            assert decision.seat not in game.resigned
            cause: Commanded | TimedOut | Resigned
            match chance.choose("cause", range(12)):
                case 0:
                    cause = TimedOut(decision.decision_id, decision.seat)
                case 1 if len(game.resigned) < seats - 1:
                    cause = Resigned(
                        chance.choose("who", [Seat(s) for s in range(1, seats + 1) if s not in game.resigned])
                    )
                case _:
                    entry = chance.choose("command", RULEBOOK.legal_commands(game, decision.seat))
                    cause = Commanded(decision.seat, fill(entry, chance))
            opened = game.opened.total
            for event in judge(RULEBOOK, game, cause, seats, BlockChance(digest_of("commit", seats, number, commits))):
                game = apply(game, event)
                assert not game.rows or game.round == 0 or len(game.openings) <= 4 * seats
            commits += game.opened.total > opened
        assert whole(game)
        assert commits <= RULEBOOK.longest_match
        assert game.ending is not None


def test_the_draws_of_a_match_and_their_purposes() -> None:
    chance = BlockChance(digest_of("purposes"))
    open_match(RULEBOOK, RULEBOOK.options_type(), 4, chance)
    rows = [(f"row of seat {seat}", 5) for seat in range(1, 5)]
    expected = [("roles", 5), ("chambers", 20), *rows, ("starting player", 4)]
    assert [(draw.purpose, draw.size) for draw in chance.draws] == expected


def test_a_named_starting_player_is_not_drawn() -> None:
    chance = BlockChance(digest_of("purposes"))
    open_match(RULEBOOK, RULEBOOK.options_type(starting_player=3), 4, chance)
    assert "starting player" not in {draw.purpose for draw in chance.draws}


def test_everybody_resigns() -> None:
    for seats in SEATS:
        game = RULEBOOK.blank
        for event in open_match(RULEBOOK, RULEBOOK.options_type(), seats, BlockChance(digest_of("quit", seats))):
            game = apply(game, event)
        for seat in range(1, seats + 1):
            if RULEBOOK.outcome(game) is None:
                block = BlockChance(digest_of("quit", seats, seat))
                for event in judge(RULEBOOK, game, Resigned(Seat(seat)), seats, block):
                    game = apply(game, event)
        outcome = RULEBOOK.outcome(game)
        assert outcome is not None
        assert not any(result.winner for result in outcome.results if result.seat in game.resigned)
        assert set(game.roles) <= set(Role)
