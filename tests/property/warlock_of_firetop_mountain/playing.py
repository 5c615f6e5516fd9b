"""Random matches of this game, event by event."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import Message

from ludolog.fairness import BlockChance
from ludolog.kernel import Cause, Commanded, Kind, Refusal, Resigned, Seat, TimedOut, judge, open_match
from ludolog.kernel.players import fill
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import digest_of

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")


def apply(game: Game, event: Message) -> Game:
    """One event further."""
    after = RULEBOOK.evolve(game, event)
    assert isinstance(after, Game)
    return after


def match(seats: int, number: int, commits: int, **options: object) -> Iterator[tuple[Game, Message, Game, bool]]:
    """Yield (before, event, after, is it the commit's last event) of a match, for so many commits at most."""
    chance = SeededChance(f"warlock/{seats}/{number}")
    game = RULEBOOK.blank
    opening = open_match(RULEBOOK, RULEBOOK.options_type(**options), seats, BlockChance(digest_of("w", seats, number)))
    for commit in range(commits):
        events = opening if not commit else _next(game, seats, chance, digest_of("w", seats, number, commit))
        for place, event in enumerate(events, 1):
            after = apply(game, event)
            yield game, event, after, place == len(events)
            game = after
        if RULEBOOK.outcome(game) is not None:
            return


def _next(game: Game, seats: int, chance: SeededChance, block: bytes) -> tuple[Message, ...]:
    """Mostly what is awaited, sometimes a trade, a deadline, now and then somebody leaves."""
    decision = RULEBOOK.awaiting(game)[0]
    what = chance.choose("what", range(300))
    cause: Cause
    if what == 0:
        cause = Resigned(chance.choose("who", [Seat(seat) for seat in range(1, seats + 1)]))
    elif what < 15:
        cause = TimedOut(decision.decision_id, decision.seat)
    else:
        seat = chance.choose("seat", [decision.seat, Seat(chance.choose("any", range(1, seats + 1)))])
        entries = RULEBOOK.legal_commands(game, seat) or RULEBOOK.legal_commands(game, decision.seat)
        seat = seat if RULEBOOK.legal_commands(game, seat) else decision.seat
        moves = [entry for entry in entries if entry.kind is Kind.MOVE]
        quiet = bool(moves) and chance.choose("move", range(4)) != 0
        entry = chance.choose("entry", moves if quiet else entries)
        cause = Commanded(seat, fill(entry, chance))
    try:
        return judge(RULEBOOK, game, cause, seats, BlockChance(block))
    except Refusal:
        assert isinstance(cause, Resigned), cause
        return ()
