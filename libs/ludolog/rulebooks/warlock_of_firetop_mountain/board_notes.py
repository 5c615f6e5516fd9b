"""What lies on the table besides the board, in short lines for a plain terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables
from ludolog.rulebooks.warlock_of_firetop_mountain.telling import ENDINGS, Told, claim

NUMBERS = range(1, 10)
DOES = {
    pb.WINDOW_KIND_SET_UP: "sets up",
    pb.WINDOW_KIND_REBIRTH: "may send another adventurer",
    pb.WINDOW_KIND_START: "begins the turn",
    pb.WINDOW_KIND_CAGE: "is caged",
    pb.WINDOW_KIND_CHALLENGE: "may make a Key Challenge",
    pb.WINDOW_KIND_MOVE: "moves",
    pb.WINDOW_KIND_ENCOUNTER: "deals with an encounter",
    pb.WINDOW_KIND_FIGHT: "fights",
    pb.WINDOW_KIND_CLAIM: "may take treasure",
    pb.WINDOW_KIND_ARRIVAL: "has arrived",
    pb.WINDOW_KIND_CHEST: "is at the chest",
    pb.WINDOW_KIND_SPOILS: "takes spoils",
    pb.WINDOW_KIND_FLIGHT: "flees",
}
"""What whoever is asked does in a window."""


def headline(view: pb.View) -> str:
    """How it ended, or whose turn it is, what they do, and what is left of their roll."""
    if view.ending == pb.END_REASON_CHEST_OPENED:
        chest = "-".join(str(int(card)) for card in view.chest)
        return f"The chest is open: player {view.winner} wins with {chest}."
    if view.ending:
        return f"{ENDINGS.get(view.ending, 'The game is over')}."
    if not view.turn.round:
        return "Before the first round: everybody creates an adventurer."
    does = DOES.get(view.window.kind, "is on turn")
    parts = [f"Round {view.turn.round}: player {view.window.seat or view.turn.seat} {does}"]
    parts += [f"rolled {view.turn.die}"] * bool(view.turn.die) + [f"{view.turn.pips_left} left"] * bool(
        view.turn.pips_left
    )
    return f"{', '.join(parts)}."


def table_lines(tables: Tables, view: pb.View) -> Iterator[str]:
    """Rucksacks as far as they are known, the offer, the fight, encounters, what lies about, the maze, the chest."""
    for player in view.players:
        yield from _carried(tables, player, view.own.seat)
    if view.HasField("offer"):
        offer, told = view.offer, Told(tables, view.offer, {})
        yield f"Offer of {told.who} to {told.name(offer.to)}: {told.goods(offer.give)} for {told.goods(offer.take)}"
    if view.HasField("fight"):
        yield _fight(tables, view)
    met = (room for room in view.rooms if room.HasField("encounter"))
    yield from _joined("Met", (_encounter(tables, room) for room in met))
    hidden = (room for room in view.rooms if room.occupied and not room.HasField("encounter"))
    yield from _joined("Not met yet, in rooms", (room.id.removeprefix("R_") for room in hidden), " ")
    free = (room for room in view.rooms if room.treasures and not room.occupied)
    yield from _joined("Treasure in rooms that nobody guards", (room.id.removeprefix("R_") for room in free), " ")
    yield from _joined("Lying about", _lying(tables, view))
    maze = {pb.MAZE_CARD_THROUGH: "a way through", pb.MAZE_CARD_DEAD_END: "a dead end"}
    yield from _joined("Maze", (f"{box.id} {maze[box.card]}" for box in view.maze if box.seen))
    for failed in view.chest_tries:
        numbers = "-".join(map(str, failed.numbers))
        yield f"Chest: player {failed.seat} tried {numbers}: {failed.wrong} wrong"


def _joined(title: str, parts: Iterable[str], between: str = "; ") -> Iterator[str]:
    if text := between.join(parts):
        yield f"{title}: {text}"


def _carried(tables: Tables, player: pb.PlayerView, own: int) -> Iterator[str]:
    """The viewer's cards, or those that it knows of another rucksack."""
    known = [tables.treasures[slot.card.id].called for slot in player.rucksack if slot.HasField("card")]
    hidden = len(player.rucksack) - len(known)
    if known:
        known += [f"{hidden} face down"] * bool(hidden)
        yield f"{'Your cards' if player.seat == own else f'Player {player.seat} carries'}: {', '.join(known)}"


def _fight(tables: Tables, view: pb.View) -> str:
    fight, told = view.fight, Told(tables, view.fight, {})

    def side(seat: int) -> str:
        player = view.players[seat - 1]
        return f"player {seat} (SKILL {player.attack}, STAMINA {player.adventurer.stamina})"

    creature = (
        f"{told.creature(fight.encounter)} (SKILL {fight.skill}, STAMINA {fight.stamina})" if fight.encounter else ""
    )
    return f"Fight: {side(fight.seat)} against {creature or side(fight.opponent)}; rounds fought: {fight.rounds}"


def _encounter(tables: Tables, room: pb.RoomView) -> str:
    card = room.encounter
    scores = f" (SKILL {card.skill}, STAMINA {card.stamina})" if card.stamina else ""
    return f"{card.title}{scores} in room {room.id.removeprefix('R_')}"


def _lying(tables: Tables, view: pb.View) -> Iterator[str]:
    for item in view.items:
        card = tables.treasures[item.card.id].called if item.HasField("card") else "a card"
        grave = f" (grave of player {item.owner})" if item.owner else ""
        yield f"{card} in {tables.place(item.place)}{grave}"


def notebook_lines(view: pb.View) -> Iterator[str]:
    """What the viewer's seat knows of Key Cards and can work out from it, and apart from it what was only said."""
    own, book = view.own, view.own.notebook
    yield from _joined("Your Key Cards", (str(int(card)) for card in own.key_cards), ", ")
    yield from _joined("Seen", (f"{int(fact.card)} with player {fact.seat}" for fact in book.seen), ", ")
    yield from _joined("Not there", (f"{int(fact.card)} with player {fact.seat}" for fact in book.lacks), ", ")
    yield from _joined("All seen of", (f"player {seat}" for seat in book.complete), ", ")
    yield from chest_lines(view)
    for seat in sorted({fact.seat for fact in book.shown}):
        cards = ", ".join(str(int(fact.card)) for fact in book.shown if fact.seat == seat)
        yield f"You have shown player {seat}: {cards}"
    yield from (f"Said by player {said.seat}, not proven: {claim(said, {})} (turn {said.turn})" for said in book.heard)
    yield from (f"You said to player {said.seat}: {claim(said, {})} (turn {said.turn})" for said in book.told)


def chest_lines(view: pb.View) -> Iterator[str]:
    """By elimination from the notebook: what nobody has lies under the chest, what wasn't seen with anybody may."""
    own, book = view.own, view.own.notebook
    if not view.key_cards_dealt:
        return
    held = {int(card) for card in own.key_cards} | {int(fact.card) for fact in book.seen}
    lacking = {(fact.seat, int(fact.card)) for fact in book.lacks}
    known = [fact.seat for fact in book.seen]
    others = {
        player.seat
        for player in view.players
        if player.seat not in {own.seat, *book.complete} and known.count(player.seat) != player.key_cards
    }
    left = [number for number in NUMBERS if number not in held]
    sure = [number for number in left if all((seat, number) in lacking for seat in others)]
    yield from _joined("In the chest", map(str, sure), ", ")
    yield from _joined("May be in the chest", (str(number) for number in left if number not in sure), ", ")
