"""A client that knows no rulebook learns whether a single choice goes into a list."""

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Choices, Label, LegalCommand, Parameter, wire
from ludolog.rulebooks import catalogue

WARLOCK = catalogue.load("warlock_of_firetop_mountain")
ONE = Choices((("1", Label("one", "one")),))


def test_a_choice_tells_whether_its_field_is_a_list() -> None:
    claim = LegalCommand(
        pb.ClaimTreasure(),
        Label("claim", "Claim"),
        parameters=(Parameter("claim_treasure.slots", Label("s", "s"), ONE),),
    )
    stone = LegalCommand(
        pb.UseTreasure(card="T28"),
        Label("use", "Use"),
        parameters=(Parameter("use_treasure.seat", Label("s", "s"), ONE),),
    )
    assert wire.legal_command(WARLOCK, claim).parameters[0].choices.is_list
    assert not wire.legal_command(WARLOCK, stone).parameters[0].choices.is_list
