"""Offers of a look at particular Key Cards: until both agree, which ones is the offerer's secret (12.5, W15)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import OMNISCIENT, SPECTATOR, Choices, Commanded, Seat, Seated, Viewer, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.testkit.chance import SeededChance
from tests.unit.drawn import drawn

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
NAMES = {1: "Ann", 2: "Bob", 3: "Cleo"}
OFFERED = pb.KEY_CARD_4, pb.KEY_CARD_5, pb.KEY_CARD_6


def table() -> Game:
    """Three on one space with known hands; seat 1 is on turn."""
    players = [{"seat": 1, "key_cards": [4, 5, 6]}, {"seat": 2, "key_cards": [7, 8]}, {"seat": 3, "key_cards": [9]}]
    game = RULEBOOK.from_position(json_format.ParseDict({"players": players}, pb.Position()), 3, pb.Options())
    assert isinstance(game, Game)
    return game


def offered(card: pb.KeyCard.ValueType) -> tuple[pb.TradeOffered, Game]:
    """The event, and the game after seat 1 has offered to show seat 2 that card for one of theirs."""
    offer = pb.OfferTrade(to=2, give=pb.Goods(key_cards=[card]), take=pb.Goods(shows=1))
    (event,) = judge(RULEBOOK, table(), Commanded(Seat(1), offer), 3, BlockChance(None))
    assert isinstance(event, pb.TradeOffered)
    after = RULEBOOK.evolve(table(), event)
    assert isinstance(after, Game)
    return event, after


def sent(viewer: Viewer, card: pb.KeyCard.ValueType) -> tuple[bytes, ...]:
    """Everything that a viewer is sent because of the offer, up to its being declined."""
    event, after = offered(card)
    declined = pb.TradeDeclined(seat=2)
    later = RULEBOOK.evolve(after, declined)
    messages = [RULEBOOK.view(after, viewer), RULEBOOK.view(later, viewer)]
    messages += RULEBOOK.feed(table(), event, after, viewer)
    messages += RULEBOOK.feed(after, declined, later, viewer)
    if isinstance(viewer, Seated):
        messages += [entry.command for entry in RULEBOOK.legal_commands(after, viewer.seat)]
    return tuple(message.SerializeToString(deterministic=True) for message in messages)


@pytest.mark.parametrize("viewer", [Seated(Seat(2)), Seated(Seat(3)), SPECTATOR], ids=str)
def test_nobody_else_can_tell_which_card_it_is(viewer: Viewer) -> None:
    assert len({sent(viewer, card) for card in OFFERED}) == 1


@pytest.mark.parametrize("viewer", [Seated(Seat(1)), OMNISCIENT], ids=str)
def test_the_offerer_knows(viewer: Viewer) -> None:
    assert len({sent(viewer, card) for card in OFFERED}) == len(OFFERED)


@pytest.mark.parametrize("viewer", [Seated(Seat(2)), SPECTATOR], ids=str)
def test_any_of_the_hand_may_be_imagined(viewer: Viewer) -> None:
    view = RULEBOOK.view(offered(pb.KEY_CARD_5)[1], viewer)
    seen: set[Sequence[int]] = set()
    for number in range(60):
        imagined = RULEBOOK.determinize(view, viewer, SeededChance(f"offer/{number}"))
        assert isinstance(imagined, Game)
        assert imagined.offer is not None
        assert RULEBOOK.view(imagined, viewer) == view
        (card,) = imagined.offer.give.key_cards
        assert card in imagined.player(1).key_cards
        seen.add((card,))
    assert {(int(card),) for card in OFFERED} < seen


def test_the_offerer_imagines_what_was_offered() -> None:
    game, viewer = offered(pb.KEY_CARD_5)[1], Seated(Seat(1))
    imagined = RULEBOOK.determinize(RULEBOOK.view(game, viewer), viewer, SeededChance("offer"))
    assert isinstance(imagined, Game)
    assert imagined.offer == game.offer


def test_who_accepts_is_asked_which_cards_to_show() -> None:
    entries = RULEBOOK.legal_commands(offered(pb.KEY_CARD_5)[1], Seat(2))
    (accept,) = (entry for entry in entries if isinstance(entry.command, pb.AcceptTrade))
    (which,) = accept.parameters
    assert isinstance(which.domain, Choices)
    assert [key for key, _ in which.domain.choices] == ["KEY_CARD_7", "KEY_CARD_8"]
    assert (which.domain.minimum, which.domain.maximum) == (1, 1)


@pytest.mark.parametrize(
    ("viewer", "line"),
    [
        (Seated(Seat(1)), "Ann offers Bob a look at 1 Key Card (5) for a look at 1 Key Card."),
        (Seated(Seat(2)), "Ann offers Bob a look at 1 Key Card for a look at 1 Key Card."),
    ],
    ids=str,
)
def test_it_is_told_in_a_line(viewer: Viewer, line: str) -> None:
    assert RULEBOOK.tell is not None
    event, after = offered(pb.KEY_CARD_5)
    (public,) = RULEBOOK.feed(table(), event, after, viewer)
    assert RULEBOOK.tell(public, NAMES, pb.View()) == line


def test_the_page_shows_the_offer_to_who_answers() -> None:
    view = RULEBOOK.view(offered(pb.KEY_CARD_5)[1], Seated(Seat(2)))
    scene = drawn(RULEBOOK.name, view, "scene", seat=2, names=NAMES)
    assert "Ann offers Bob a trade" in scene
    assert "gives: a look at 1 Key Card" in scene
    assert "wants: a look at 1 Key Card" in scene
