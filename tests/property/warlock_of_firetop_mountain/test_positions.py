"""Positions with a slip in them: each is refused with a reason, or it plays on."""

import random
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import (
    OMNISCIENT,
    SPECTATOR,
    Cause,
    Commanded,
    Resigned,
    Seat,
    Seated,
    TimedOut,
    Viewer,
    judge,
    open_match,
)
from ludolog.kernel.players import fill
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
SEATS = 3
WORDS = [
    "",
    "T05",
    "T13",
    "E06",
    "E21",
    "R_K",
    "R_J",
    "c12_5",
    "X1",
    "X4",
    "S2",
    "N3",
    "Z",
    "DRAGON",
    "CROCODILE",
    "R_h",
]
NUMBERS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 99, -(2**31), 2**31 - 1]
SLIPS = 10


def value(field: FieldDescriptor, dice: random.Random) -> Any:
    """Something that the field can hold."""
    if field.enum_type:
        return dice.choice([one.number for one in field.enum_type.values])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return dice.random() < 0.5
    return dice.choice(WORDS if field.type == FieldDescriptor.TYPE_STRING else NUMBERS)


def slip(message: Message, dice: random.Random) -> str:
    """Change one field somewhere in a message. Returns which."""
    fields: list[Any] = list(message.DESCRIPTOR.fields)
    field = dice.choice(fields)
    part = getattr(message, field.name)
    if field.is_repeated:
        if field.message_type:
            return f"{field.name}.{slip(dice.choice(part) if part and dice.random() < 0.8 else part.add(), dice)}"
        if part and dice.random() < 0.5:
            part[dice.randrange(len(part))] = value(field, dice)
        else:
            part.append(value(field, dice))
        return f"{field.name}={list(part)}"
    if field.message_type:
        return f"{field.name}.{slip(part, dice)}"
    setattr(message, field.name, value(field, dice))
    return f"{field.name}={getattr(message, field.name)!r}"


def crowded(dice: random.Random) -> pb.Position:
    """A game in which a lot is near: keys, a chest that fits them, creatures, others on the space."""
    hub = dice.choice(["c12_5", "c15_14", "R_K", "R_B", "S2", "R_h", "R_Y", "R_H", "c9_32", "c15_0"])
    cards = [f"T{number:02}" for number in (*range(1, 13), 22, 24, 25, 27, 28, 31, 32)]
    dice.shuffle(cards)
    players = [
        pb.PlayerPosition(
            seat=seat,
            rucksack=[pb.Held(card=cards.pop(), shown=dice.random() < 0.3) for _ in range(dice.randint(0, 6))],
            adventurer=pb.Adventurer(place=hub, stamina=dice.choice([1, 3, 20]), gold=dice.randint(0, 5)),
        )
        for seat in range(1, SEATS + 1)
    ]
    held = pb.Held(card=cards.pop())
    lying = pb.Item(item=1, place=hub, owner=dice.randint(0, SEATS), left_by=1, left_turn=1, held=held)
    rooms = [
        pb.RoomPosition(id=name, encounter=card) for name, card in (("R_K", "E20"), ("R_B", "E21"), ("R_A", "E26"))
    ]
    turn = pb.Turn(seat=dice.randint(1, SEATS), number=9, round=2)
    return pb.Position(players=players, items=[lying], rooms=rooms, pvp_unlocked=True, turn=turn)


def games(seed: int) -> Any:
    """A game somewhere in the middle, or in set-up."""
    dice, chance = random.Random(seed), SeededChance(f"positions {seed}")
    if seed % 8:
        game = RULEBOOK.from_position(crowded(dice), SEATS, pb.Options())
    else:
        game = RULEBOOK.blank
        for event in open_match(RULEBOOK, pb.Options(), SEATS, chance):
            game = RULEBOOK.evolve(game, event)
    for _ in range(dice.randint(0, 30)):
        if RULEBOOK.outcome(game):
            break
        decision = dice.choice(RULEBOOK.awaiting(game))
        entry = dice.choice(RULEBOOK.legal_commands(game, decision.seat))
        command = Commanded(decision.seat, fill(entry, chance), entry.decision_id)
        for event in judge(RULEBOOK, game, command, SEATS, chance):
            game = RULEBOOK.evolve(game, event)
    return game


def plays_on(game: Any, dice: random.Random) -> None:
    """It can be written, seen, imagined, and whatever is to be decided can be."""
    assert RULEBOOK.from_position(RULEBOOK.position(game), SEATS, pb.Options()) == game
    everybody = [Seated(Seat(seat)) for seat in range(1, SEATS + 1)]
    viewers: list[Viewer] = [*everybody, SPECTATOR, OMNISCIENT]
    for viewer in viewers:
        view = RULEBOOK.view(game, viewer)
        if not game.turn.unbegun:
            RULEBOOK.determinize(view, viewer, SeededChance("imagined"))
    if RULEBOOK.outcome(game):
        return
    waited_for = RULEBOOK.awaiting(game)
    assert waited_for
    causes: list[Cause] = [TimedOut(decision.decision_id, decision.seat) for decision in waited_for]
    for seat in (Seat(seat) for seat in range(1, SEATS + 1)):
        if game.player(seat).stage.name != "PASSIVE":
            causes.append(Resigned(seat))
        entries = RULEBOOK.legal_commands(game, seat)
        some = dice.sample(list(entries), min(4, len(entries)))
        causes += [Commanded(seat, fill(entry, SeededChance("filled")), entry.decision_id) for entry in some]
    for cause in causes:
        judge(RULEBOOK, game, cause, SEATS, SeededChance("judged"))


@pytest.mark.parametrize("seed", range(24))
def test_a_slip_in_a_position_is_refused_or_plays_on(seed: int) -> None:
    dice, game = random.Random(f"slips {seed}"), games(seed)
    plays_on(game, dice)
    for _ in range(SLIPS):
        position = RULEBOOK.position(game)
        assert isinstance(position, pb.Position)
        made = [slip(position, dice) for _ in range(dice.choice([1, 1, 2]))]
        try:
            changed = RULEBOOK.from_position(position, SEATS, pb.Options())
        except ValueError:
            continue
        try:
            plays_on(changed, dice)
        except Exception as error:
            raise AssertionError(f"accepted with {made}, and then: {error!r}") from error
