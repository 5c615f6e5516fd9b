"""11. Keys and 12. The Key Challenge. Rulings A20, A21, A22, A35, A38."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import WindowKind

NUMBERS = range(1, 10)


def answers(play: Play, seat: int, numbers: list[int]) -> list[pb.Answer]:
    """12.3: every other player shows the numbers that they hold, or the blank; there is no choice in it."""
    found = []
    for other, player in enumerate(play.game.players, 1):
        if other != seat:
            held = [pb.KeyCard.ValueType(card) for card in player.key_cards if card in numbers]
            found.append(pb.Answer(seat=other, cards=held or [pb.KEY_CARD_BLANK]))
    return found


def key_challenge(play: Play, seat: int, command: pb.KeyChallenge) -> Next:
    """7.3, 12.1 to 12.3: after a rolled 1, before the move. Refuses: NO_SUCH_KEY, NOT_NOW."""
    require_window(play.game, seat, "12.1", WindowKind.CHALLENGE)
    if command.number not in NUMBERS:
        raise Refusal("NO_SUCH_KEY", "12.2", number=command.number)
    challenge(play, seat, command.number)
    return play.open(WindowKind.MOVE, seat)


def challenge(play: Play, seat: int, number: int) -> None:
    """12.2, 12.3: a number is named, everybody else answers."""
    play.happen(pb.ChallengeMade(seat=seat, number=number))
    play.happen(pb.ChallengeAnswered(seat=seat, number=number, answers=answers(play, seat, [number])))


def decline_challenge(play: Play, seat: int, command: pb.DeclineChallenge) -> Next:
    """12.1: if he so desires. Refuses: NOT_NOW."""
    require_window(play.game, seat, "12.1", WindowKind.CHALLENGE)
    play.happen(pb.ChallengeDeclined(seat=seat))
    return play.open(WindowKind.MOVE, seat)
