"""Pairs of worlds that one viewer can't tell apart, and what is done in both. Pure: the honest rulebook judges."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import Refusal, Rulebook, Seat, Seated, Viewer, wire
from ludolog.kernel.players import fill
from ludolog.record.match import Match
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from tests.contract.fuzz import near
from tests.contract.matches import CASES, Case, Walk, bench_of, everywhere, what_if

MASTER = digest_of("secrecy", "master key")
KEY_ID = "secrecy"
STEPS = 2, 1
"""Commands that both worlds accept and that show the viewer the same, at most; in turns."""
REFUSED = 1
TRIES = 6
PRIVATE_EVERY = 8
"""One match in so many is closed to spectators."""


@dataclass(frozen=True)
class Step:
    """A command that is accepted in both worlds, of any seat."""

    seat: int
    request: play_pb2.SubmitCommandRequest


@dataclass(frozen=True)
class Pair:
    """One viewer, two worlds, and what happens in both."""

    number: int
    case: Case
    viewer: Viewer
    setting: Setting
    founding: log_pb2.CreateMatch
    games: tuple[Any, Any]
    """What the first commit plants: the real state, and one that this viewer may imagine."""
    refused: tuple[play_pb2.SubmitCommandRequest, ...]
    """Commands of the viewer's seat that the rules refuse in the real world."""
    steps: tuple[Step, ...]
    recalls: bool
    """Whether the viewer may be shown earlier updates again."""

    @property
    def match(self) -> str:
        """Resource name of the match, the same in both worlds."""
        return f"matches/{self.setting.match_id}"

    @property
    def seat(self) -> int:
        """The viewer's seat; 0 for spectators."""
        return int(self.viewer.seat) if isinstance(self.viewer, Seated) else 0

    @property
    def audience(self) -> str:
        """What the viewer watches."""
        return f"{self.match}/seats/{self.seat}" if self.seat else self.match

    def player(self, seat: int) -> str:
        """Player id of a seat."""
        return self.founding.seats[seat - 1].player_id


def pairs_of(rulebook: Rulebook[Any], number: int, label: str) -> list[Pair]:
    """So many pairs of worlds of a rulebook, from all over its matches, for all kinds of viewers.

    Fewer where hardly any state leaves something to imagine; none of a game in which nothing is hidden.
    """
    chance = SeededChance(f"secrecy/{rulebook.name}/{label}")
    moments = [(case, *moment) for case in CASES if case.name == rulebook.name for moment in everywhere(case, 6)]
    found: list[Pair] = []
    for tries, (case, walk, match) in enumerate(itertools.cycle(chance.shuffle("moments", moments))):
        if len(found) >= number or tries >= 20 * number:
            return found
        viewer = chance.choose("viewer", case.audiences)
        imagined = rulebook.determinize(rulebook.view(match.game, viewer), viewer, chance)
        if imagined != match.game:
            games = match.game, imagined
            found.append(_pair(rulebook, f"{label}/{len(found)}", len(found), case, viewer, walk, games, chance))
    raise AssertionError("no moments")


def _pair(
    rulebook: Rulebook[Any],
    label: str,
    number: int,
    case: Case,
    viewer: Viewer,
    walk: Walk,
    games: tuple[Any, Any],
    chance: SeededChance,
) -> Pair:
    setting = Setting(match_id_of(rulebook.name, "secrecy", label), case.seats, walk.table.setting.options, MASTER)
    founding = founding_of(rulebook, setting, private=isinstance(viewer, Seated) and number % PRIVATE_EVERY == 0)
    worlds = [_table(case, walk, setting, founding, game) for game in games]
    refused = tuple(_refused(case, worlds[0], viewer, chance))
    recalls = rulebook.may_recall(games[0], viewer)
    steps = tuple(itertools.islice(_steps(rulebook, worlds, viewer, chance), STEPS[number % len(STEPS)]))
    return Pair(number, case, viewer, setting, founding, games, refused, steps, recalls)


def founding_of(rulebook: Rulebook[Any], setting: Setting, *, private: bool) -> log_pb2.CreateMatch:
    """The founding of a planted match, with players and entropy that follow from its id."""
    founding = setting.founding(rulebook)
    founding.key_id = KEY_ID
    founding.decision_time.seconds = 0
    if private:
        founding.spectator_policy = log_pb2.SPECTATOR_POLICY_SEATS
    for seat in founding.seats:
        seat.player_id = "p-" + match_id_of(rulebook.name, setting.match_id, seat.seat).partition("-")[2]
    return founding


def _table(case: Case, walk: Walk, setting: Setting, founding: log_pb2.CreateMatch, game: Any) -> Table:
    table = bench_of(case, Match(game, founding, blocks_drawn=1), walk)
    table.setting, table.seed = setting, setting.seed
    return table


def _refused(case: Case, table: Table, viewer: Viewer, chance: SeededChance) -> Iterator[play_pb2.SubmitCommandRequest]:
    """What the viewer's seat might try and mayn't: near misses of anybody's commands, and an answer to nothing."""
    if not isinstance(viewer, Seated):
        return
    rulebook, seat = table.rulebook, viewer.seat
    every = [e for other in range(1, case.seats + 1) for e in rulebook.legal_commands(table.game, Seat(other))]
    wrong = [near(every, chance) for _ in range(TRIES)] if every else []
    for command in [c for c in wrong if not table.accepts(table.command_cause(seat, c))][:REFUSED]:
        yield _request(rulebook, table, seat, command, chance)
    if every:
        stale = _request(rulebook, table, seat, fill(every[0], chance), chance)
        stale.decision_id = "no-such-decision"
        yield stale


def _steps(rulebook: Rulebook[Any], worlds: Sequence[Table], viewer: Viewer, chance: SeededChance) -> Iterator[Step]:
    """Commands that all worlds accept and after which the viewer still can't tell them apart; none ends the match."""
    for _ in range(TRIES):
        for seat in chance.shuffle("seats", range(1, worlds[0].setting.seats + 1)):
            if (step := _common(rulebook, worlds, Seat(seat), viewer, chance)) is not None:
                yield step
                break
        else:
            return


def _common(
    rulebook: Rulebook[Any], worlds: Sequence[Table], seat: Seat, viewer: Viewer, chance: SeededChance
) -> Step | None:
    entries = rulebook.legal_commands(worlds[0].game, seat)
    if not entries:
        return None
    entry = chance.choose("entry", entries)
    request = _request(rulebook, worlds[0], seat, fill(entry, chance), chance)
    request.decision_id = entry.decision_id
    command = log_pb2.SeatCommand(seat=seat, command=request.command.value, decision_id=request.decision_id)
    try:
        after = [what_if(table, log_pb2.MatchCause(command=command)).after for table in worlds]
    except Refusal:
        return None  # other hands, other rights
    if any(match.outcome is not None for match in after):
        return None
    if rulebook.view(after[0].game, viewer) != rulebook.view(after[1].game, viewer):
        return None
    for table, match in zip(worlds, after, strict=True):
        table.match = replace(match, founding=table.match.founding)
    return Step(seat, request)


def _request(
    rulebook: Rulebook[Any], table: Table, seat: int, command: Message, chance: SeededChance
) -> play_pb2.SubmitCommandRequest:
    return play_pb2.SubmitCommandRequest(
        name=f"matches/{table.setting.match_id}/seats/{seat}",
        command_id=f"c{chance.choose('command id', range(10**15))}",
        command=wire.pack(rulebook.commands.wrap(command)),
    )
