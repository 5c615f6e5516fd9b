"""What each seat may do: exactly what `decide` accepts, with short labels and the ids of the board that it touches."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Choices, Kind, Label, LegalCommand, Parameter, Seat, TextLimit
from ludolog.rulebooks.warlock_of_firetop_mountain.amounts import faces
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import (
    chest,
    deals,
    escaping,
    movement,
    naming,
    opening,
    passages,
    river,
    set_up,
    treasure,
    turns,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.awaiting import creation_id, main_id, main_seat
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.legal_trade import asked_for, talk
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import excess
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    Game,
    Piece,
    Stage,
    WindowKind,
    is_entrance,
    is_room,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

Entries = Iterator[LegalCommand]


def legal_commands(tables: Tables, game: Game, seat: Seat) -> tuple[LegalCommand, ...]:
    """Everything that the seat may do now; depends on what the seat can see, and on nothing else."""
    if game.ending or not 1 <= seat <= game.seats or game.player(seat).stage is Stage.PASSIVE:
        return ()
    tables = tables.played(game.settings)
    found: list[LegalCommand] = list(_creation(game, seat))
    if game.turn.unbegun:
        return (*found, *_to_main(game, _opening(game, seat)))
    if game.player(seat).stage is Stage.READY or main_seat(game) == seat:
        if main_seat(game) == seat:
            found += _to_main(game, _main(tables, game, seat))
        found += _cards(tables, game, seat)
        found += talk(tables, game, seat)
    return tuple(found)


def entry(
    command: Message,
    text: str,
    *targets: str,
    parameters: tuple[Parameter, ...] = (),
    facts: naming.Facts = (),
) -> LegalCommand:
    """An answer to the decision that the game waits on; `_to_main` says which one that is."""
    key = f"warlock.{command.DESCRIPTOR.name}"
    return LegalCommand(command, Label(key, text, facts), Kind.MOVE, targets, parameters)


def _to_main(game: Game, entries: Entries) -> Entries:
    decision = main_id(game)
    for answer in entries:
        yield replace(answer, decision_id=decision)


def _creation(game: Game, seat: int) -> Entries:
    player, decision = game.player(seat), creation_id(game, seat)
    if player.stage is Stage.PIECE:
        taken = {other.piece for other in game.players}
        for piece in Piece:
            if piece not in taken:
                text = Label("warlock.piece", f"Take the {piece.name.lower()} piece", (("piece", piece.name),))
                chosen = pb.ChoosePiece(piece=pb.Piece.ValueType(piece))
                yield LegalCommand(chosen, text, targets=(f"piece-{piece.name.lower()}",), decision_id=decision)
    elif player.stage is Stage.CHARACTER:
        label = Label("warlock.create", "Roll an adventurer")
        parameters = NAME, SEX
        yield LegalCommand(pb.CreateCharacter(), label, Kind.MOVE, ("adventurer",), parameters, decision)
        if player.lives:
            label = Label("warlock.decline_character", "Play no further adventurer")
            yield LegalCommand(pb.DeclineCharacter(), label, Kind.TALK, ("no-adventurer",), decision_id=decision)
    elif player.stage is Stage.EXTRAS:
        for command in set_up.extras_splits(player.extras):
            text = Label(
                "warlock.extras",
                f"Take {command.provisions} Provision{'s' * (command.provisions != 1)} and {command.gold} Gold",
            )
            yield LegalCommand(command, text, targets=("packing",), decision_id=decision)


NAME = Parameter("create_character.name", Label("warlock.name", "Name"), TextLimit(set_up.NAME), optional=True)
SEX = Parameter(
    "create_character.sex",
    Label("warlock.sex", "Sex"),
    Choices((("SEX_FEMALE", Label("warlock.female", "female")), ("SEX_MALE", Label("warlock.male", "male")))),
    optional=True,
)


def _main(tables: Tables, game: Game, seat: int) -> Entries:
    if game.leaving:
        yield from _leaving(tables, game, seat)
    elif game.offer:
        yield entry(pb.AcceptTrade(), "Accept the trade", "accept", parameters=asked_for(game, seat))
        yield entry(pb.DeclineTrade(), "Decline the trade", "decline")
    elif game.window.kind in WINDOWS:
        yield from WINDOWS[game.window.kind](tables, game, seat)


def _leaving(tables: Tables, game: Game, seat: int) -> Entries:
    for card in treasure.leavable(tables, game, seat):
        text = f"Leave {tables.treasures[card].called} behind"
        yield entry(pb.LeaveBehind(card=card), text, f"card-{card}", facts=(("card", card),))
    if not any(excess(tables, game, seat)):
        yield entry(pb.KeepAll(), "Keep everything", "keep-all")


def _board(tables: Tables, game: Game) -> Board:
    return tables.boards[game.settings.data_set]


def _opening(game: Game, seat: int) -> Entries:
    if opening.may_begin(game, seat):
        yield entry(pb.RollMovement(), "Roll for movement", "die")


def _start(tables: Tables, game: Game, seat: int) -> Entries:
    board, adventurer = _board(tables, game), game.adventurer(seat)
    yield entry(pb.RollMovement(), "Roll for movement", "die")
    if turns.may_eat(game, seat):
        yield entry(pb.EatProvisions(), "Eat Provisions", "provisions")
    for name in passages.exits(board, game, seat):
        text = f"Come out at {board.names[name]}, then roll"
        yield entry(pb.ExitSecretPassage(entrance=name), text, name, facts=(("to", name),))
    yield from _river(tables, game, seat)
    yield from _chest(tables, game, seat)
    yield from _looks(tables, game, seat)
    if not adventurer.must_leave:
        yield from _instead(tables, game, seat)


def _instead(tables: Tables, game: Game, seat: int) -> Entries:
    """What is used instead of moving."""
    for held in game.player(seat).rucksack:
        special = tables.treasures[held.card].special
        if special == "invisibility":
            for room in treasure.invisible_rooms(tables, game, seat):
                command = pb.UseTreasure(card=held.card, room=room)
                text = f"Steal the treasure of {_board(tables, game).names[room]}, invisible"
                yield entry(command, text, f"card-{held.card}", room, facts=(("room", room),))
        elif special == "seeing_stone":
            yield from _stone(game, seat, held.card)


def _looks(tables: Tables, game: Game, seat: int) -> Entries:
    """L5: what is used besides the move."""
    for held in game.player(seat).rucksack:
        special = tables.treasures[held.card].special
        if special == "seeing_glance":
            yield from _stone(game, seat, held.card)
        elif special == "asking":
            for number in NUMBERS:
                command = pb.UseTreasure(card=held.card, number=number)
                facts = (("number", str(number)),)
                text = f"Ask for key {number}"
                yield entry(command, text, f"card-{held.card}", f"key-{number}", facts=facts)


def _stone(game: Game, seat: int, card: str) -> Entries:
    for other in treasure.seen_by_stone(game, seat):
        command = pb.UseTreasure(card=card, seat=other)
        text, facts = f"See all Key Cards of player {other}", (("who", str(other)),)
        yield entry(command, text, f"card-{card}", f"seat-{other}", facts=facts)


def _cage(tables: Tables, game: Game, seat: int) -> Entries:
    opens = tables.encounters[deals.room_of(game).encounter].amounts["opens_from"]
    for command in deals.cage_choices():
        text = "Test for Luck" if command.choice == pb.ENCOUNTER_CHOICE_LUCK else f"Roll {faces(opens)}"
        yield entry(command, f"Get out of the cage: {text}", "encounter")


def _challenge(tables: Tables, game: Game, seat: int) -> Entries:
    for number in NUMBERS:
        text, facts = f"Key Challenge: who has number {number}?", (("number", str(number)),)
        yield entry(pb.KeyChallenge(number=number), text, f"key-{number}", facts=facts)
    yield entry(pb.DeclineChallenge(), "No Key Challenge", "no-challenge")


def _move(tables: Tables, game: Game, seat: int) -> Entries:
    board, place = _board(tables, game), game.adventurer(seat).place
    within = movement.reach(tables, board, game, seat)
    for to, text, facts in naming.move_ends(tables, board, game, seat, within):
        yield entry(pb.Move(to=to), text, to, facts=facts)
    for to in movement.steps(board, game, seat):
        yield entry(pb.Step(to=to), f"One space to {board.names[to]}, and on", to, facts=(("to", to),))
    if box := board.box_at.get(place):
        yield _investigate(box)


def _investigate(box: str) -> LegalCommand:
    text = f"Stop to look at the card of maze box {box} next turn"
    return entry(pb.InvestigateMaze(box=box), text, box, facts=(("box", box),))


def _encounter(tables: Tables, game: Game, seat: int) -> Entries:
    for command in deals.choices(tables, game):
        targets = [f"seat-{command.seat}"] if command.seat else []
        targets += [f"card-{command.card}"] if command.card else []
        text, facts = _deal_text(tables, game, seat, command), _deal_facts(command)
        yield entry(command, text, *(targets or ["encounter"]), facts=facts)


def _deal_facts(command: pb.ResolveEncounter) -> naming.Facts:
    named = {"choice": pb.EncounterChoice.Name(command.choice), "card": command.card}
    counted = {"who": command.seat, "slot": command.slot, "amount": command.amount}
    return tuple((name, str(value)) for name, value in (named | counted).items() if value)


def _deal_text(tables: Tables, game: Game, seat: int, command: pb.ResolveEncounter) -> str:
    met = tables.encounters[deals.room_of(game).encounter].special
    price = {name: f"{gold} Gold" for name, gold in tables.price.items()}
    if command.choice == pb.ENCOUNTER_CHOICE_BUY_TREASURE:
        bought = deals.room_of(game).stack[command.slot - 1]
        cost = price["shylock_card" if met == "shylock" else "trader_treasure"]
        return f"Buy {naming.card(tables, bought, seat, command.slot)} for {cost}"
    if command.choice == pb.ENCOUNTER_CHOICE_SELL:
        return f"Sell {tables.treasures[command.card].called} for {price['shylock_pays']}"
    which = "all Key Cards" if met == "wise_man_all" else "a random Key Card"
    texts = {
        pb.ENCOUNTER_CHOICE_PASS: "Pass on",
        pb.ENCOUNTER_CHOICE_PAY: f"Pay {price['beggar']} for the treasure",
        pb.ENCOUNTER_CHOICE_BUY_PROVISIONS: f"Buy {command.amount} Provisions, {price['trader_provisions']} each",
        pb.ENCOUNTER_CHOICE_LOOK: f"See {which} of player {command.seat}"
        + (f" for {price['shylock_look']}" if met == "shylock" else ""),
        pb.ENCOUNTER_CHOICE_CURSE: f"Have player {command.seat} cursed for {price['hexmaster']}",
    }
    return texts[command.choice]


def _fight(tables: Tables, game: Game, seat: int) -> Entries:
    fight = game.fight
    yield entry(pb.AttackRound(), "Fight a round", "attack")
    if fight and fight.rounds and not game.adventurer(seat).caged:
        yield entry(pb.Escape(), "Escape", "escape")


def _claim(tables: Tables, game: Game, seat: int) -> Entries:
    place, limit = game.adventurer(seat).place, game.window.limit
    stack = list(enumerate(game.room(place).stack, 1)) if limit and is_room(place) else []
    if len(stack) == 1:
        text = f"Claim {naming.card(tables, stack[0][1], seat)}"
        yield entry(pb.ClaimTreasure(slots=[1]), text, place, facts=(("slot", "1"),))
    elif stack:
        choices = tuple(
            (str(slot), Label("warlock.slot", naming.card(tables, held, seat, slot), (("slot", str(slot)),)))
            for slot, held in stack
        )
        which = Parameter("claim_treasure.slots", Label("warlock.which", "Which"), Choices(choices, 1, limit))
        yield entry(pb.ClaimTreasure(), "Claim treasure", place, parameters=(which,))
    lying = game.here(seat)
    if len(lying) == 1:
        item = lying[0]
        text, facts = f"Pick up {naming.lying(tables, item, seat)}", (("item", str(item.item)),)
        yield entry(pb.PickUp(items=[item.item]), text, place, facts=facts)
    elif lying:
        choices = tuple(
            (str(item.item), Label("warlock.item", naming.lying(tables, item, seat), (("item", str(item.item)),)))
            for item in lying
        )
        which = Parameter("pick_up.items", Label("warlock.which", "Which"), Choices(choices, 1, len(lying)))
        yield entry(pb.PickUp(), "Pick up what lies here", place, parameters=(which,))
    yield entry(pb.DeclineTreasure(), "Take nothing more", "no-treasure")


def _arrival(tables: Tables, game: Game, seat: int) -> Entries:
    board, place = _board(tables, game), game.adventurer(seat).place
    if game.pvp_unlocked and not game.turn.fought and not is_entrance(place):
        for other in game.present(place, but=seat):
            text, facts = f"Attack player {other}", (("who", str(other)),)
            yield entry(pb.DeclareFight(opponent=other), text, f"seat-{other}", facts=facts)
    yield from _river(tables, game, seat)
    yield from _chest(tables, game, seat)
    if box := board.box_at.get(place):
        yield _investigate(box)
    yield from _looks(tables, game, seat)
    yield entry(pb.EndTurn(), "End the turn", "end-turn")


def _river(tables: Tables, game: Game, seat: int) -> Entries:
    board = _board(tables, game)
    if river.may_cross(board, game, seat):
        for way in river.ways(tables, game, seat):
            name = pb.RiverWay.Name(way).removeprefix("RIVER_WAY_").lower()
            text = f"Cross the river: {name}"
            yield entry(pb.CrossRiver(way=way), text, f"river-{name}", facts=(("way", name),))


def _chest(tables: Tables, game: Game, seat: int) -> Entries:
    if game.window.kind is not WindowKind.CHEST and not chest.may_try(tables, game, seat):
        return
    for number, card in chest.nameable(tables, game, seat):
        text = f"Name key {number} with {tables.treasures[card].called}"
        facts = (("number", str(number)), ("card", card))
        yield entry(pb.ChestChallenge(number=number, card=card), text, f"key-{number}", f"card-{card}", facts=facts)


def _spoils(tables: Tables, game: Game, seat: int) -> Entries:
    texts = {
        pb.SPOILS_NOTHING: "Take nothing",
        pb.SPOILS_KEYS: "Take all keys",
        pb.SPOILS_RANDOM: "Take a card at random",
    }
    for command in escaping.spoils_choices(tables, game, seat):
        named = command.choice == pb.SPOILS_NAMED
        text = f"Take {tables.treasures[command.card].called}" if named else texts[command.choice]
        if command.lantern:
            none = command.choice == pb.SPOILS_NOTHING
            text = "Take the lantern alone" if none else f"{text} and the lantern"
        targets, facts = ((f"card-{command.card}",), (("card", command.card),)) if named else ((), ())
        yield entry(command, text, "spoils", *targets, facts=facts)


def _flight(tables: Tables, game: Game, seat: int) -> Entries:
    board = _board(tables, game)
    for to in escaping.flights(tables, board, game, seat):
        yield entry(pb.ChooseEscapePath(to=to), f"Flee to {board.names[to]}", to, facts=(("to", to),))


WINDOWS: dict[WindowKind, Callable[[Tables, Game, int], Entries]] = {
    WindowKind.START: _start,
    WindowKind.CAGE: _cage,
    WindowKind.CHALLENGE: _challenge,
    WindowKind.MOVE: _move,
    WindowKind.ENCOUNTER: _encounter,
    WindowKind.FIGHT: _fight,
    WindowKind.CLAIM: _claim,
    WindowKind.ARRIVAL: _arrival,
    WindowKind.CHEST: _chest,
    WindowKind.SPOILS: _spoils,
    WindowKind.FLIGHT: _flight,
}


def _cards(tables: Tables, game: Game, seat: int) -> Entries:
    """Showing and drinking at any calm time, and what ends a battle at once."""
    decision = main_id(game) if main_seat(game) == seat else ""
    for held in game.player(seat).rucksack:
        card = tables.treasures[held.card]
        if treasure.usable(tables, game, seat, held):
            verb = "Show" if treasure.lasting(card) and not treasure.kills(tables, game, seat, card) else "Use"
            label = Label("warlock.use", f"{verb} {card.called}", (("card", card.id),))
            command = pb.UseTreasure(card=held.card)
            yield LegalCommand(command, label, Kind.MOVE, (f"card-{held.card}",), (), decision)
