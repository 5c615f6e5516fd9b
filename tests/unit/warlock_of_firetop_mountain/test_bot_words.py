"""What the explorer says of keys (12.4, W14): a word for a word, the truth or a bluff; it believes nothing unproven."""

from typing import Any

import pytest

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Commanded, judge
from ludolog.rulebooks.warlock_of_firetop_mountain import bot_words
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from tests.unit.warlock_of_firetop_mountain.test_bot import (
    EVERYTHING,
    KEYS,
    ME,
    RULEBOOK,
    SEATS,
    First,
    answer,
    mind,
    player,
    world,
)

NOW = 9
"""The turn that is on in `world`."""
HIS = {"number": NOW, "round": 3, "seat": 2}


def said(number: int, owner: int = 0, turn: int = NOW, *, holds: bool = True) -> dict[str, Any]:
    """A claim of seat 2, or to it."""
    return {"seat": 2, "number": number, "owner": owner, "holds": holds, "turn": turn}


def met(turn: dict[str, Any] | None = None, **notebook: Any) -> Game:
    """Seats 1 and 2 stand together, in the turn of 2 unless another is given; 1 has this in its notebook."""
    together = player(1, "c15_3", notebook=notebook), player(2, "c15_3"), player(3, "c2_3")
    return world(*together, turn=turn or HIS)


def spoken(game: Game) -> pb.MakeClaim:
    """What the explorer in seat 1 says: something that may be said."""
    claim = answer(game)
    assert isinstance(claim, pb.MakeClaim)
    assert judge(RULEBOOK, game, Commanded(ME, claim), SEATS, First())
    return claim


def test_who_says_something_is_answered_with_an_own_key_card_that_is_new_to_them() -> None:
    shown = [{"seat": 2, "card": "KEY_CARD_3"}]
    assert spoken(met(heard=[said(4)])) == pb.MakeClaim(to=2, number=3, owner=1, holds=True)
    assert spoken(met(heard=[said(4)], shown=shown)).number == 5
    assert spoken(met(heard=[said(4)], told=[said(3, 1, turn=2)])).number == 5


@pytest.mark.parametrize(
    "notebook",
    [
        {},
        {"heard": [said(4, turn=NOW - 1)]},
        {"heard": [said(4)], "told": [said(3, 1)]},
        {"heard": [said(4)], "shown": [{"seat": 2, "card": f"KEY_CARD_{key}"} for key in KEYS[1]]},
    ],
)
def test_nothing_is_owed(notebook: dict[str, Any]) -> None:
    """Nobody spoke, not in this turn, it was answered, or the other knows all that there is to be told."""
    assert answer(met(**notebook)) is None


@pytest.mark.parametrize(
    "lie", [said(3, 2), said(5, holds=True), said(5, 1, holds=False), said(8, 3, holds=False), said(8, 2)]
)
def test_who_was_caught_lying_is_bluffed(lie: dict[str, Any]) -> None:
    seen = [{"seat": 3, "card": "KEY_CARD_8"}]
    game = met(heard=[lie], seen=seen)
    assert bot_words.caught(mind(game), 2)
    assert spoken(game).number not in {*KEYS[1], 8}


@pytest.mark.parametrize("word", [said(4), said(6, 2), said(5, 1), said(3, 2, holds=False), said(8, 3)])
def test_what_may_be_true_is_no_lie(word: dict[str, Any]) -> None:
    assert not bot_words.caught(mind(met(heard=[word])), 2)


def test_who_knows_the_chest_says_that_it_holds_one_of_its_keys() -> None:
    own = {"number": NOW, "round": 3, "seat": 1}
    assert spoken(met(own, **EVERYTHING)) == pb.MakeClaim(to=2, number=1, owner=1, holds=True)
    assert not isinstance(answer(met(own, **EVERYTHING, told=[said(1, 1)])), pb.MakeClaim)
    assert spoken(met(own, **EVERYTHING, told=[said(1, 1, turn=2)])).number == 2


def test_claims_dont_take_the_place_of_offers() -> None:
    own = {"number": NOW, "round": 3, "seat": 1}
    together = player(1, "c15_3", notebook={"told": [said(1, 1)], "heard": [said(4)]}), player(2, "c15_3")
    looks = pb.OfferTrade(to=2, give=pb.Goods(look=True), take=pb.Goods(look=True))
    assert answer(world(*together, player(3, "c2_3"), turn=own, talks=[1, 1, 0])) == looks


def test_a_key_challenge_puts_to_the_test_what_was_said() -> None:
    """It asks for a number that is as good as any, and takes nothing out of what may lie under the chest."""
    window = {"kind": "WINDOW_KIND_CHALLENGE", "seat": 1}
    heard = {"heard": [said(8, 3, turn=2)]}
    others = player(2, "c2_3"), player(3, "c2_3")
    turn = {"number": NOW, "round": 3, "seat": 1, "die": 1, "pips_left": 1}
    game = world(player(1, "c15_3", notebook=heard), *others, window=window, turn=turn)
    assert answer(game) == pb.KeyChallenge(number=8)
    assert any(8 in triple for triple in mind(game).triples)
