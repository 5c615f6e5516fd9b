"""20,000 commands that nobody would send: refused or accepted, never another exception, and never a changed state."""

import msgspec

from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Refusal, Seat, fold, judge, open_match
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import digest_of
from tests.contract.fuzz import near, noise, wild

RULEBOOK = catalogue.load("tempel_des_schreckens")
COMMANDS = 20_000
SEATS = 4


def start(number: int) -> object:
    return fold(
        RULEBOOK,
        RULEBOOK.blank,
        open_match(RULEBOOK, RULEBOOK.options_type(), SEATS, BlockChance(digest_of("fuzz", number))),
    )


def test_fuzzed_commands() -> None:
    chance, number, refused, accepted = SeededChance("fuzz"), 0, 0, 0
    game = start(number)
    while refused + accepted < COMMANDS:
        if RULEBOOK.outcome(game) is not None or chance.choose("new", range(400)) == 0:
            number += 1
            game = start(number)
        seat = Seat(chance.choose("seat", range(-1, SEATS + 2)))
        entries = RULEBOOK.legal_commands(game, RULEBOOK.awaiting(game)[0].seat)
        command = near(entries, chance) if chance.choose("near", (True, False)) else wild(RULEBOOK, chance)
        data = RULEBOOK.commands.encode(command)
        for bytes_ in (data, *noise(data, chance)):
            before = msgspec.msgpack.encode(game)
            try:
                payload = RULEBOOK.commands.decode_command(bytes_)
                events = judge(
                    RULEBOOK, game, Commanded(seat, payload), SEATS, BlockChance(digest_of("draw", accepted))
                )
            except Refusal:
                refused += 1
                assert msgspec.msgpack.encode(game) == before
            else:
                accepted += 1
                game = fold(RULEBOOK, game, events)
                break
    assert refused > COMMANDS / 2
    assert accepted > COMMANDS / 100
