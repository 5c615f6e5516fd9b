"""What is to be decided, and what each seat may do: exactly what `decide` accepts."""

from __future__ import annotations

from functools import lru_cache

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Choices, Decision, IntegerRange, Kind, Label, LegalCommand, Parameter, Seat
from ludolog.rulebooks.tempel_des_schreckens.rules.gameplay import openable
from ludolog.rulebooks.tempel_des_schreckens.state import TALKS, Game, hand_size

REMEMBERED = 4096
"""Entries that are kept: more than a match of ten has."""
TEAM_CHOICES = (
    ("TEAM_ADVENTURERS", Label("tempel.team.adventurers", "adventurer")),
    ("TEAM_GUARDIANS", Label("tempel.team.guardians", "guardian")),
)
TEAM = Parameter("make_claim.team", Label("tempel.claim.team", "I am"), Choices(TEAM_CHOICES))
# Each entry names the field that it can't do without; the later ones leave the earlier fields out. Together they are
# every claim that says something, each in one entry.
CLAIMS = (
    ("team", ("gold", "fire", "empty"), Label("tempel.claim.role", "Claim a role")),
    ("gold", ("fire", "empty"), Label("tempel.claim.chambers", "Claim gold and other chambers")),
    ("fire", ("empty",), Label("tempel.claim.fire", "Claim fire chambers, not speaking of gold")),
    ("empty", (), Label("tempel.claim.empty", "Claim empty chambers only")),
)


def decision_id(game: Game) -> str:
    """Which opening is to be decided; talk doesn't change it."""
    return f"opening-{game.opened.total + 1}"


def awaiting(game: Game) -> tuple[Decision, ...]:
    """The Key Player decides which chamber is opened; nobody else can move before."""
    if game.ending or not game.key_player:
        return ()
    label = Label("tempel.choose_chamber", "Choose a fellow player's chamber to open")
    return (Decision(decision_id(game), game.key_player, label),)


def legal_commands(game: Game, seat: Seat) -> tuple[LegalCommand, ...]:
    """Openings for the Key Player, then talk for everybody who has words left. Depends on public facts only."""
    if game.ending or not game.key_player or not 1 <= seat <= game.seats or seat in game.resigned:
        return ()
    decision = decision_id(game)
    openings = (
        tuple(_opening(owner, slot, decision) for owner, slot in openable(game)) if seat == game.key_player else ()
    )
    if game.talks[seat - 1] >= TALKS:
        return openings
    pointing = (_pointing(owner, tuple(row.closed_slots())) for owner, row in enumerate(game.rows, 1) if row.closed)
    return (*openings, *_claims(hand_size(game.round)), *pointing)


# The same few entries are listed again and again, to every seat: they are made once, and never changed.


@lru_cache(REMEMBERED)
def _opening(owner: int, slot: int, decision: str) -> LegalCommand:
    return LegalCommand(
        command=pb.OpenChamber(owner=owner, slot=slot),
        label=Label(
            "tempel.open_chamber",
            f"Open chamber {slot} of player {owner}",
            (("owner", str(owner)), ("slot", str(slot))),
        ),
        targets=(f"chamber-{owner}-{slot}",),
        decision_id=decision,
    )


@lru_cache(REMEMBERED)
def _claims(dealt: int) -> tuple[LegalCommand, ...]:
    def count(field: str, *, optional: bool) -> Parameter:
        return Parameter(
            f"make_claim.{field}",
            Label(f"tempel.claim.{field}_dealt", f"{field} chambers I was dealt"),
            IntegerRange(0, dealt),
            optional=optional,
        )

    return tuple(
        LegalCommand(
            command=pb.MakeClaim(),
            label=label,
            kind=Kind.TALK,
            parameters=(
                TEAM if needed == "team" else count(needed, optional=False),
                *(count(field, optional=True) for field in others),
            ),
        )
        for needed, others, label in CLAIMS
    )


@lru_cache(REMEMBERED)
def _pointing(owner: int, slots: tuple[int, ...]) -> LegalCommand:
    choices = tuple(
        (str(slot), Label("tempel.chamber_number", f"chamber {slot}", (("slot", str(slot)),))) for slot in slots
    )
    label = Label("tempel.slot", "which chamber")
    return LegalCommand(
        command=pb.PointAt(owner=owner),
        label=Label("tempel.point_at", f"Point at the row of player {owner}", (("owner", str(owner)),)),
        kind=Kind.TALK,
        targets=(f"seat-{owner}",),
        parameters=(Parameter("point_at.slot", label, Choices(choices), optional=True),),
    )
