"""The reasoning bot beats the random one; the room's README has the figures of more matches."""

from statistics import median

from ludolog.rulebooks import catalogue
from ludolog.testkit.playing import Timed
from tests.property.tempel_des_schreckens.duel import NAME, duel

BOTS = catalogue.load(NAME).bots


def test_it_beats_the_random_player() -> None:
    """60 deals at a table of six, each played twice; the README's share is far above what is asked for here."""
    timed = Timed(BOTS["belief"])
    score = duel(timed, BOTS["random"], 6, 60)
    assert score.share - score.margin > 0.5
    assert median(timed.answers_ms) < 10


def test_equal_players_win_half() -> None:
    assert duel(BOTS["random"], BOTS["random"], 5, 40).share == 0.5
