"""Who is to decide what. Every decision has a default (`defaults`)."""

from __future__ import annotations

from ludolog.kernel import Decision, Label, Seat
from ludolog.rulebooks.warlock_of_firetop_mountain.state import TALKS, Game, Stage, WindowKind

TEXTS = {
    WindowKind.SET_UP: "Create your adventurer",
    WindowKind.REBIRTH: "Create your next adventurer",
    WindowKind.START: "Roll, eat, or use something",
    WindowKind.CAGE: "Try to get out of the cage",
    WindowKind.CHALLENGE: "You rolled a 1: make a Key Challenge?",
    WindowKind.MOVE: "Move",
    WindowKind.ENCOUNTER: "Deal with the encounter",
    WindowKind.FIGHT: "Fight on or escape",
    WindowKind.CLAIM: "Claim treasure",
    WindowKind.ARRIVAL: "Meet, trade, fight, or end your turn",
    WindowKind.CHEST: "Name the next key",
    WindowKind.SPOILS: "Take your spoils",
    WindowKind.FLIGHT: "Choose where to flee",
    WindowKind.OVER: "The turn is over",
}
NAMES = {kind: kind.name.lower() for kind in WindowKind}
LABELS = {kind: Label(f"warlock.{NAMES[kind]}", text) for kind, text in TEXTS.items()}
STAGES = {Stage.PIECE, Stage.CHARACTER, Stage.EXTRAS}
LEAVE = Label("warlock.leave", "Leave cards behind")
ANSWER = Label("warlock.answer", "Answer the offer")


def creation_id(game: Game, seat: int) -> str:
    """Decision of a player who creates an adventurer."""
    player = game.player(seat)
    return f"{player.stage.name.lower()}-{player.lives}-{seat}"


def main_id(game: Game) -> str:
    """Decision that the game waits on; it changes whenever another question is asked."""
    turn, window = game.turn, game.window
    if game.leaving:
        return f"leave-{turn.number}-{game.leaving.seat}-{game.last_item}"
    if game.offer:
        talks = sum(min(made, TALKS) for made in game.talks)  # what everybody sees of them
        return f"trade-{turn.number}-{game.offer.to}-{talks}"
    if window.kind is WindowKind.REBIRTH:
        return creation_id(game, window.seat)
    over = "fought" if turn.fought else ""
    fight = f"{game.fight.encounter or game.fight.opponent}.{game.fight.rounds}" if game.fight else over
    # What lies about counts only where it is asked for: who leaves or drops a card begins no other question.
    lying = (len(game.items), game.last_item) if window.kind is WindowKind.CLAIM else ()
    done = (turn.pips_left, turn.bought, len(game.named), window.limit, *lying)
    return f"{NAMES[window.kind]}-{turn.number}-{window.seat}-{fight}-{'.'.join(map(str, done))}"


def main_seat(game: Game) -> int:
    """Who has to make that decision; 0 in set-up."""
    if game.leaving:
        return game.leaving.seat
    return game.offer.to if game.offer else game.window.seat


def awaiting(game: Game) -> tuple[Decision, ...]:
    """The decision that everybody waits on, and players who may create an adventurer meanwhile."""
    if game.ending or not game.players:
        return ()
    found = []
    main = main_seat(game)
    if main:
        label = LEAVE if game.leaving else ANSWER if game.offer else LABELS[game.window.kind]
        found.append(Decision(main_id(game), Seat(main), label))
    rebirth = game.window.kind is WindowKind.REBIRTH and not game.leaving and not game.offer
    for seat, player in enumerate(game.players, 1):
        if player.stage in STAGES and not (rebirth and seat == main):
            before = player.lives - (player.stage is Stage.EXTRAS)  # the scores of this one are rolled by then
            label = LABELS[WindowKind.REBIRTH if before else WindowKind.SET_UP]
            found.append(Decision(creation_id(game, seat), Seat(seat), label, blocking=False))
    return tuple(found)
