"""RULINGS W6: what happens when nobody decides in time. Draws only what to leave behind, and what the command rolls."""

from __future__ import annotations

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import chest, escaping, movement, set_up, treasure
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.awaiting import creation_id
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import excess
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Piece, Stage, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

PLAIN: dict[WindowKind, Message] = {
    WindowKind.START: pb.RollMovement(),
    WindowKind.CAGE: pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_DIE),
    WindowKind.CHALLENGE: pb.DeclineChallenge(),
    WindowKind.ENCOUNTER: pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_PASS),
    WindowKind.FIGHT: pb.AttackRound(),
    WindowKind.CLAIM: pb.DeclineTreasure(),
    WindowKind.ARRIVAL: pb.EndTurn(),
    WindowKind.SPOILS: pb.TakeSpoils(choice=pb.SPOILS_NOTHING),
}


def default_command(tables: Tables, game: Game, seat: int, decision_id: str, chance: Chance) -> Message:
    """The command that is given for a seat whose time is up. Draws "random card" over the limit of the rucksack."""
    if decision_id == creation_id(game, seat):
        return _creation(game, seat)
    if game.leaving:
        if any(excess(tables, game, seat)):
            return pb.LeaveBehind(card=chance.choose("random card", treasure.leavable(tables, game, seat)))
        return pb.KeepAll()
    if game.offer:
        return pb.DeclineTrade()
    board = tables.boards[game.settings.data_set]
    match game.window.kind:
        case WindowKind.MOVE:
            place, within = game.adventurer(seat).place, movement.reach(tables, board, game, seat)
            return pb.Move(to=place if place in within else next(iter(within)))
        case WindowKind.CHEST:
            number, card = chest.nameable(tables, game, seat)[0]
            return pb.ChestChallenge(number=number, card=card)
        case WindowKind.FLIGHT:
            return pb.ChooseEscapePath(to=next(iter(escaping.flights(tables, board, game, seat))))
        case kind:
            return PLAIN[kind]


def _creation(game: Game, seat: int) -> Message:
    player = game.player(seat)
    if player.stage is Stage.PIECE:
        taken = {other.piece for other in game.players}
        return pb.ChoosePiece(piece=pb.Piece.ValueType(next(piece for piece in Piece if piece not in taken)))
    if player.stage is Stage.CHARACTER:
        return pb.CreateCharacter()
    return set_up.extras_splits(player.extras)[0]
