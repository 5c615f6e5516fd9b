"""State × event → state: remembers, doesn't judge. Old events fold for ever. Cards: `evolve_cards`."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain import evolve_cards as cards
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve_parts import (
    fresh_stack,
    moved_to,
    with_adventurer,
    with_player,
    with_room,
    with_turn,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    Adventurer,
    DataSet,
    EndReason,
    Fight,
    Game,
    Maze,
    MazeCard,
    Player,
    Room,
    Settings,
    Stage,
    Turn,
    Window,
    WindowKind,
    is_box,
    is_room,
)


def evolve(game: Game, event: Message) -> Game:
    """Apply one event. KeyError for a message that isn't one of the rulebook's events."""
    return _APPLY[type(event)](game, event)


def _nothing(game: Game, event: Message) -> Game:
    """Told for the players; whatever it changes stands in an event of its own."""
    return game


def _game_created(game: Game, event: pb.GameCreated) -> Game:
    chosen = {name: getattr(event, name) for name in Settings.__struct_fields__}
    settings = Settings(**(chosen | {"data_set": DataSet(event.data_set)}))
    return Game(settings=settings, players=(Player(),) * event.seats, talks=(0,) * event.seats)


def _board_populated(game: Game, event: pb.BoardPopulated) -> Game:
    # An engine holds thousands of matches: they share the words of the content.
    stacks = {laid.room: fresh_stack(laid.card) for laid in event.treasures}
    rooms = tuple(
        Room(
            id=intern(laid.room),
            encounter=intern(laid.card),
            face_up=laid.fixed,
            revealed=laid.fixed,
            stack=stacks.get(laid.room, ()),
        )
        for laid in event.encounters
    )
    return replace(game, rooms=rooms, maze=tuple(Maze(intern(box.id), MazeCard(box.card)) for box in event.maze))


def _piece_chosen(game: Game, event: pb.PieceChosen) -> Game:
    return with_player(game, event.seat, piece=event.piece, stage=Stage.CHARACTER)


def _character_rolled(game: Game, event: pb.CharacterRolled) -> Game:
    adventurer = Adventurer(
        life=event.life,
        name=event.name,
        sex=event.sex,
        initial_skill=event.skill,
        skill=event.skill,
        initial_stamina=event.stamina,
        stamina=event.stamina,
        initial_luck=event.luck,
        luck=event.luck,
    )
    return with_player(
        game, event.seat, adventurer=adventurer, lives=event.life, extras=event.extras, stage=Stage.EXTRAS
    )


def _extras_taken(game: Game, event: pb.ExtrasTaken) -> Game:
    before = game.adventurer(event.seat)
    adventurer = replace(
        before,
        gold=before.gold + event.gold,
        provisions=before.provisions + event.provisions,
        place=intern(event.place),
    )
    return with_player(game, event.seat, adventurer=adventurer, extras=0, stage=Stage.READY)


def _window_opened(game: Game, event: pb.WindowOpened) -> Game:
    return replace(game, window=Window(WindowKind(event.kind), event.seat, event.limit))


def _turn_started(game: Game, event: pb.TurnStarted) -> Game:
    turn = Turn(number=event.number, round=event.round, seat=event.seat)
    return replace(game, turn=turn, talks=(0,) * game.seats)


def _turn_missed(game: Game, event: pb.TurnMissed) -> Game:
    return with_adventurer(game, event.seat, misses_turns=event.left)


def _turn_forfeited(game: Game, event: pb.TurnForfeited) -> Game:
    misses = game.adventurer(event.seat).misses_turns + event.turns
    return with_adventurer(game, event.seat, misses_turns=misses)


def _turn_ended(game: Game, event: pb.TurnEnded) -> Game:
    game = replace(game, fight=None, named=())
    if game.player(event.seat).adventurer is None:
        return game
    return with_adventurer(game, event.seat, ate_last_turn=game.turn.ate)


def _provisions_eaten(game: Game, event: pb.ProvisionsEaten) -> Game:
    return with_turn(game, ate=True)


def _movement_rolled(game: Game, event: pb.MovementRolled) -> Game:
    adventurer = game.adventurer(event.seat)
    game = with_turn(
        game,
        die=event.die,
        pips_left=event.die,
        started_at=adventurer.place,
        must_leave=adventurer.must_leave,
    )
    return with_adventurer(game, event.seat, must_leave="") if adventurer.must_leave else game


def _moved(game: Game, event: pb.Moved) -> Game:
    path, old = tuple(map(intern, event.path)), game.adventurer(event.seat).place
    stayed = not path and game.turn.pips_left == game.turn.die
    game = with_turn(game, pips_left=event.pips_left, stayed=stayed)
    if not path:
        return game
    box = game.turn.open_box
    if box and path[-1] != box and (box in path or old == box):
        game = with_turn(game, open_box="")
    return moved_to(game, event.seat, (old, *path))


def _encounter_revealed(game: Game, event: pb.EncounterRevealed) -> Game:
    game = with_turn(with_room(game, event.room, face_up=True, revealed=True), unbegun=False)
    return with_adventurer(game, event.seat, pending_encounter=False)


def _encounter_resolved(game: Game, event: pb.EncounterResolved) -> Game:
    return with_turn(game, bought=game.turn.bought + event.amount) if event.amount else game


def _encounter_hidden(game: Game, event: pb.EncounterHidden) -> Game:
    return with_room(game, event.room, face_up=False)


def _encounter_removed(game: Game, event: pb.EncounterRemoved) -> Game:
    game = with_room(game, event.room, encounter="", face_up=False)
    return replace(game, gone=tuple(sorted((*game.gone, intern(event.encounter)))))


def _battle_started(game: Game, event: pb.BattleStarted) -> Game:
    fight = Fight(event.seat, event.opponent, event.encounter, event.place, event.skill, event.stamina)
    game = replace(game, fight=fight)
    return with_turn(game, fought=True) if event.opponent else game


def _fight(game: Game) -> Fight:
    if game.fight is None:
        raise LookupError("no battle is on")
    return game.fight


def _round_agreed(game: Game, event: pb.RoundAgreed) -> Game:
    return replace(game, fight=replace(_fight(game), agreed=True))


def _attack_rolled(game: Game, event: pb.AttackRolled) -> Game:
    fight = _fight(game)
    return replace(game, fight=replace(fight, rounds=fight.rounds + 1, agreed=False))


def _wounded(game: Game, event: pb.Wounded) -> Game:
    fight = _fight(game)
    if not event.seat:
        return replace(game, fight=replace(fight, stamina=event.stamina))
    if not fight.opponent:
        game = replace(game, fight=replace(fight, wounds=fight.wounds + 1))
    return with_adventurer(game, event.seat, stamina=event.stamina)


def _battle_ended(game: Game, event: pb.BattleEnded) -> Game:
    return replace(game, fight=None)


def _luck(game: Game, event: pb.LuckTested | pb.LuckChanged) -> Game:
    return with_adventurer(game, event.seat, luck=event.luck)


def _stamina_changed(game: Game, event: pb.StaminaChanged) -> Game:
    return with_adventurer(game, event.seat, stamina=event.stamina)


def _skill_changed(game: Game, event: pb.SkillChanged) -> Game:
    return with_adventurer(game, event.seat, skill=event.skill)


def _gold_changed(game: Game, event: pb.GoldChanged) -> Game:
    return with_adventurer(game, event.seat, gold=event.gold)


def _provisions_changed(game: Game, event: pb.ProvisionsChanged) -> Game:
    return with_adventurer(game, event.seat, provisions=event.provisions)


def _lantern_lost(game: Game, event: pb.LanternLost) -> Game:
    return with_adventurer(game, event.seat, lanterns=game.adventurer(event.seat).lanterns - 1)


def _lantern_taken(game: Game, event: pb.LanternTaken) -> Game:
    game = with_adventurer(game, event.loser, lanterns=game.adventurer(event.loser).lanterns - event.count)
    return with_adventurer(game, event.seat, lanterns=game.adventurer(event.seat).lanterns + event.count)


def _escape_rolled(game: Game, event: pb.EscapeRolled) -> Game:
    return replace(game, fight=replace(_fight(game), escaped=event.seat))


def _escaped(game: Game, event: pb.Escaped) -> Game:
    """From a creature: outside the door, and away from the room next turn; from an adventurer: along the path."""
    old = game.adventurer(event.seat).place
    way = (old, *map(intern, event.path)) if event.path else (old, intern(event.to))
    left = old if is_room(old) and not event.path else ""
    return moved_to(game, event.seat, way, pending_encounter=event.encounter_waits, must_leave=left)


def _passage_entered(game: Game, event: pb.PassageEntered) -> Game:
    return with_adventurer(game, event.seat, in_passage=True)


def _passage_left(game: Game, event: pb.PassageLeft) -> Game:
    game = with_adventurer(game, event.seat, place=intern(event.entrance), in_passage=False)
    return with_turn(game, came_out=True, acted=game.turn.acted or not event.forced, unbegun=False)


def _river_crossed(game: Game, event: pb.RiverCrossed) -> Game:
    return with_adventurer(game, event.seat, place=intern(event.to))


def _maze_approached(game: Game, event: pb.MazeApproached) -> Game:
    return with_adventurer(game, event.seat, investigating=event.box)


def _maze_investigated(game: Game, event: pb.MazeInvestigated) -> Game:
    maze = tuple(replace(box, seen=True) if box.id == event.box else box for box in game.maze)
    game = with_adventurer(replace(game, maze=maze), event.seat, investigating="")
    return with_turn(game, open_box=event.box) if event.card == pb.MAZE_CARD_THROUGH else game


def _adventurer_caged(game: Game, event: pb.AdventurerCaged) -> Game:
    return with_adventurer(game, event.seat, caged=True)


def _cage_opened(game: Game, event: pb.CageOpened) -> Game:
    return with_adventurer(with_turn(game, freed=True, acted=True), event.seat, caged=False)


def _adventurer_cursed(game: Game, event: pb.AdventurerCursed) -> Game:
    return with_adventurer(game, event.target, cursed=True)


def _gift_given(game: Game, event: pb.GiftGiven) -> Game:
    return with_adventurer(game, event.seat, met_fool=True)


def _adventurer_died(game: Game, event: pb.AdventurerDied) -> Game:
    """Who dies in a room is its last leaver (1.0); a mountain with nobody in it has no open windows of his."""
    adventurer = game.adventurer(event.seat)
    if is_room(event.place):
        game = with_room(game, event.place, last_leaver=event.seat, last_leaver_life=adventurer.life)
    if game.turn.seat == event.seat and is_box(game.turn.open_box):
        game = with_turn(game, open_box="")
    return with_player(game, event.seat, adventurer=None, stage=Stage.CHARACTER, extras=0)


def _sent_to_south_bank(game: Game, event: pb.SentToSouthBank) -> Game:
    return moved_to(game, event.seat, (game.adventurer(event.seat).place, intern(event.place)))


def _seat_became_passive(game: Game, event: pb.SeatBecamePassive) -> Game:
    """Who leaves the table leaves the room as well (7.8)."""
    adventurer = game.player(event.seat).ready
    if adventurer and is_room(adventurer.place):
        game = with_room(game, adventurer.place, last_leaver=event.seat, last_leaver_life=adventurer.life)
    return with_player(game, event.seat, adventurer=None, stage=Stage.PASSIVE, extras=0)


def _pvp_unlocked(game: Game, event: pb.PvpUnlocked) -> Game:
    return replace(game, pvp_unlocked=True)


def _game_won(game: Game, event: pb.GameWon) -> Game:
    return replace(game, winner=event.seat, ending=EndReason.CHEST_OPENED, leaving=None, offer=None)


def _game_ended(game: Game, event: pb.GameEnded) -> Game:
    return replace(game, winner=event.winner, ending=EndReason(event.reason), leaving=None, offer=None)


_APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    **cards.APPLY,
    pb.GameCreated: _game_created,
    pb.BoardPopulated: _board_populated,
    pb.PieceChosen: _piece_chosen,
    pb.CharacterRolled: _character_rolled,
    pb.ExtrasTaken: _extras_taken,
    pb.AdventurerReborn: _nothing,
    pb.TieDiced: _nothing,
    pb.StartPlayerChosen: _nothing,
    pb.WindowOpened: _window_opened,
    pb.TurnStarted: _turn_started,
    pb.TurnMissed: _turn_missed,
    pb.TurnForfeited: _turn_forfeited,
    pb.TurnEnded: _turn_ended,
    pb.ProvisionsEaten: _provisions_eaten,
    pb.MovementRolled: _movement_rolled,
    pb.Moved: _moved,
    pb.ChallengeDeclined: _nothing,
    pb.EncounterRevealed: _encounter_revealed,
    pb.EncounterResolved: _encounter_resolved,
    pb.EncounterHidden: _encounter_hidden,
    pb.EncounterRemoved: _encounter_removed,
    pb.BattleStarted: _battle_started,
    pb.RoundAgreed: _round_agreed,
    pb.AttackRolled: _attack_rolled,
    pb.DieRolled: _nothing,
    pb.Wounded: _wounded,
    pb.MonsterKilled: _nothing,
    pb.BattleEnded: _battle_ended,
    pb.LuckTested: _luck,
    pb.LuckChanged: _luck,
    pb.StaminaChanged: _stamina_changed,
    pb.SkillChanged: _skill_changed,
    pb.GoldChanged: _gold_changed,
    pb.ProvisionsChanged: _provisions_changed,
    pb.LanternLost: _lantern_lost,
    pb.LanternTaken: _lantern_taken,
    pb.EscapeRolled: _escape_rolled,
    pb.Escaped: _escaped,
    pb.PassageEntered: _passage_entered,
    pb.PassageLeft: _passage_left,
    pb.RiverTried: _nothing,
    pb.RiverCrossed: _river_crossed,
    pb.FellInRiver: _nothing,
    pb.MazeApproached: _maze_approached,
    pb.MazeInvestigated: _maze_investigated,
    pb.AdventurerCaged: _adventurer_caged,
    pb.CageOpened: _cage_opened,
    pb.AdventurerCursed: _adventurer_cursed,
    pb.GiftGiven: _gift_given,
    pb.AdventurerDied: _adventurer_died,
    pb.SentToSouthBank: _sent_to_south_bank,
    pb.SeatBecamePassive: _seat_became_passive,
    pb.PvpUnlocked: _pvp_unlocked,
    pb.GameWon: _game_won,
    pb.GameEnded: _game_ended,
}
