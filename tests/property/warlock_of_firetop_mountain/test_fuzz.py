"""20,000 commands that nobody would send: refused or accepted, never another exception, and never a changed state."""

import msgspec

from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Refusal, Seat, fold, judge, open_match
from ludolog.kernel.players import fill
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import digest_of
from tests.contract.fuzz import near, noise, wild
from tests.property.warlock_of_firetop_mountain.playing import RULEBOOK

COMMANDS = 20_000
SEATS = 4


def start(number: int) -> object:
    opening = open_match(RULEBOOK, RULEBOOK.options_type(), SEATS, BlockChance(digest_of("fuzz", number)))
    return fold(RULEBOOK, RULEBOOK.blank, opening)


def test_fuzzed_commands() -> None:
    chance, number, refused, accepted = SeededChance("fuzz"), 0, 0, 0
    game = start(number)
    while refused + accepted < COMMANDS:
        if RULEBOOK.outcome(game) is not None or chance.choose("new", range(2000)) == 0:
            number += 1
            game = start(number)
        decision = chance.choose("decision", RULEBOOK.awaiting(game))
        seat = chance.choose("seat", (decision.seat, Seat(chance.choose("any", range(-1, SEATS + 2)))))
        entries = RULEBOOK.legal_commands(game, decision.seat)
        command = near(entries, chance) if chance.choose("near", range(3)) else wild(RULEBOOK, chance)
        if chance.choose("proper", range(4)) == 0:  # so that the match gets on
            seat, command = decision.seat, fill(chance.choose("entry", entries), chance)
        data = RULEBOOK.commands.encode(command)
        for bytes_ in (data, *noise(data, chance)):
            before = msgspec.msgpack.encode(game)
            try:
                payload = RULEBOOK.commands.decode_command(bytes_)
                block = BlockChance(digest_of("draw", accepted))
                events = judge(RULEBOOK, game, Commanded(seat, payload), SEATS, block)
            except Refusal:
                refused += 1
                assert msgspec.msgpack.encode(game) == before
            else:
                accepted += 1
                game = fold(RULEBOOK, game, events)
                break
    assert refused > COMMANDS / 2
    assert accepted > COMMANDS / 100
