"""The rules: one module for each chapter of the book, and the one door to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Cause, Chance, Commanded, Events, Refusal, Resigned, Seat, TimedOut
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import (
    absence,
    battles,
    chest,
    deals,
    escaping,
    key_challenge,
    maze,
    meetings,
    movement,
    opening,
    passages,
    river,
    set_up,
    treasure,
    turns,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.defaults import default_command
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Stage
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

COMMANDS: dict[type[Message], Callable[[Play, int, Any], Next]] = {
    pb.ChoosePiece: set_up.choose_piece,
    pb.CreateCharacter: set_up.create_character,
    pb.DeclineCharacter: absence.decline_character,
    pb.AllocateExtras: set_up.allocate_extras,
    pb.EatProvisions: turns.eat_provisions,
    pb.RollMovement: turns.roll_movement,
    pb.KeyChallenge: key_challenge.key_challenge,
    pb.DeclineChallenge: key_challenge.decline_challenge,
    pb.Move: movement.move,
    pb.Step: movement.step,
    pb.ResolveEncounter: deals.resolve_encounter,
    pb.AttackRound: battles.attack_round,
    pb.Escape: escaping.escape,
    pb.ChooseEscapePath: escaping.choose_escape_path,
    pb.ClaimTreasure: treasure.claim_treasure,
    pb.PickUp: treasure.pick_up,
    pb.DeclineTreasure: treasure.decline_treasure,
    pb.LeaveBehind: treasure.leave_behind,
    pb.KeepAll: treasure.keep_all,
    pb.DropTreasure: treasure.drop_treasure,
    pb.UseTreasure: treasure.use_treasure,
    pb.DeclareFight: battles.declare_fight,
    pb.TakeSpoils: escaping.take_spoils,
    pb.OfferTrade: meetings.offer_trade,
    pb.AcceptTrade: meetings.accept_trade,
    pb.DeclineTrade: meetings.decline_trade,
    pb.ShowKeyCards: meetings.show_key_cards,
    pb.MakeClaim: meetings.make_claim,
    pb.ExitSecretPassage: passages.exit_secret_passage,
    pb.CrossRiver: river.cross_river,
    pb.InvestigateMaze: maze.investigate_maze,
    pb.ChestChallenge: chest.chest_challenge,
    pb.EndTurn: turns.end,
}
CREATION = {pb.ChoosePiece, pb.CreateCharacter, pb.DeclineCharacter, pb.AllocateExtras}


def decide(tables: Tables, game: Game, cause: Cause, chance: Chance) -> Events:
    """Judge a cause in a game that is on. Refusals come before the first draw and change nothing."""
    tables = tables.played(game.settings)
    play = Play(tables, game, chance)
    match cause:
        case Commanded(seat, command):
            step = _command(play, seat, command)
        case TimedOut(decision_id, seat):
            step = _command(play, seat, default_command(tables, game, seat, decision_id, chance))
        case Resigned(seat):
            step = absence.resign(play, seat)
        case _:
            assert_never(cause)
    turns.proceed(play, step)
    return tuple(play.events)


def _command(play: Play, seat: Seat, command: Message) -> Next:
    if play.game.player(seat).stage is Stage.PASSIVE:
        raise Refusal("RESIGNED", absence.SECTION, seat=seat, ruling="A38")
    handler = COMMANDS[type(command)]
    if play.game.turn.unbegun and type(command) not in CREATION:
        return opening.first(play, seat, command, handler)
    return handler(play, seat, command)
