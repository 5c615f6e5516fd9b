"""A table as the fold of its commits, and the judge of what is asked of it. Pure: the time is handed in.

A table's id becomes its match's id. Its life: open → started (frozen, the match is being made) → playing → ended, or
closed, or voided. A table without a host was formed by a queue: it starts by itself when everybody sits.
"""

from __future__ import annotations

import enum
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from msgspec.structs import replace

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.hosting.authorisation import is_host
from ludolog.kernel import BadInput, Refusal
from ludolog.kernel.codec import UnknownEvent

SECTION = "Platform"
INVITE_DROPPED = str.maketrans("", "", "- ")
HOSTS_TO_CLOSE = "the host closed the table"


class Phase(enum.Enum):
    """What a table is doing."""

    NONE = "none"
    OPEN = "open"
    STARTED = "started"
    PLAYING = "playing"
    ENDED = "ended"
    CLOSED = "closed"
    VOIDED = "voided"


OVER = frozenset({Phase.ENDED, Phase.CLOSED, Phase.VOIDED})


class Chair(msgspec.Struct, frozen=True, array_like=True):
    """Somebody who sits at a table."""

    player_id: str
    entropy: bytes
    house_player: bool = False


class Table(msgspec.Struct, frozen=True, tag="table"):
    """A table between two commits. `opened` and `founding` are serialised OpenTable and CreateMatch."""

    phase: Phase = Phase.NONE
    host_id: str = ""
    rulebook: str = ""
    private: bool = False
    invite_code: str = ""
    chairs: tuple[Chair | None, ...] = ()
    bots_wanted: int = 0
    bot_kind: str = ""
    opened: bytes = b""
    open_time_ms: int = 0
    founding: bytes = b""
    close_reason: str = ""

    @property
    def seated(self) -> tuple[Chair, ...]:
        """Who sits there, by seat."""
        return tuple(chair for chair in self.chairs if chair is not None)

    @property
    def free(self) -> int:
        """Seats that nobody has taken."""
        return sum(chair is None for chair in self.chairs)

    @property
    def formed(self) -> bool:
        """True if a queue has formed it."""
        return self.phase is not Phase.NONE and not self.host_id

    def seat_of(self, player_id: str) -> int:
        """Seat of a player, from 1; 0: none."""
        return next((s for s, chair in enumerate(self.chairs, 1) if chair and chair.player_id == player_id), 0)

    def has(self, player_id: str) -> bool:
        """True for the host and for whoever sits there."""
        return bool(player_id) and (player_id == self.host_id or self.seat_of(player_id) > 0)

    def opens_with(self, invite_code: str) -> bool:
        """True if that is the invite code; case, spaces and dashes don't matter."""
        given, right = normal(invite_code).encode(), normal(self.invite_code).encode()
        return bool(right) and hmac.compare_digest(given, right)


EMPTY = Table()


@dataclass(frozen=True, slots=True)
class Judged:
    """What a command comes to: payloads of events; `ends` says how, if the stream ends with them (upper snake case)."""

    events: tuple[Message, ...]
    ends: str = ""


def normal(invite_code: str) -> str:
    """An invite code as it is compared."""
    return invite_code.translate(INVITE_DROPPED).upper()


def refuse(reason: str, **facts: str | int | bool) -> Refusal:
    """A refusal of the platform's own rules."""
    return Refusal(reason, SECTION, **facts)


# ---- fold


def apply(table: Table, event: Message) -> Table:
    """Apply an event's payload. UnknownEvent for one that doesn't belong to a table."""
    name = event.DESCRIPTOR.name
    if name not in _APPLY:
        raise UnknownEvent(f"{name} doesn't happen to a table")
    return _APPLY[name](table, event)


def _opened(table: Table, event: pb.TableOpened) -> Table:
    return Table(
        phase=Phase.OPEN,
        host_id=event.table.host_id,
        rulebook=event.table.rulebook,
        private=event.table.visibility == tables_pb2.TABLE_VISIBILITY_PRIVATE,
        invite_code=event.table.invite_code,
        chairs=(None,) * event.table.seat_count,
        opened=event.table.SerializeToString(deterministic=True),
        open_time_ms=event.open_time.ToMilliseconds(),
    )


def _seat_taken(table: Table, event: pb.SeatTaken) -> Table:
    chair = Chair(event.player_id, event.entropy, event.house_player)
    wanted = table.bots_wanted - event.house_player
    return replace(table, chairs=_with_chair(table, event.seat, chair), bots_wanted=max(0, wanted))


def _seat_left(table: Table, event: pb.SeatLeft) -> Table:
    return replace(table, chairs=_with_chair(table, event.seat, None))


def _with_chair(table: Table, seat: int, chair: Chair | None) -> tuple[Chair | None, ...]:
    return (*table.chairs[: seat - 1], chair, *table.chairs[seat:])


def _bots_wanted(table: Table, event: pb.BotsWanted) -> Table:
    return replace(table, bots_wanted=event.count, bot_kind=event.bot_kind)


def _started(table: Table, event: pb.TableStarted) -> Table:
    return replace(table, phase=Phase.STARTED, founding=event.founding.SerializeToString(deterministic=True))


def _voided(table: Table, event: pb.TableVoided) -> Table:
    return replace(table, phase=Phase.VOIDED, close_reason=event.reason)


def _closed(table: Table, event: pb.TableClosed) -> Table:
    return replace(table, phase=Phase.CLOSED, close_reason=event.reason or HOSTS_TO_CLOSE)


_APPLY: dict[str, Callable[[Table, Any], Table]] = {
    "TableOpened": _opened,
    "SeatTaken": _seat_taken,
    "SeatLeft": _seat_left,
    "BotsWanted": _bots_wanted,
    "TableStarted": _started,
    "MatchOpened": lambda table, _: replace(table, phase=Phase.PLAYING),
    "TableVoided": _voided,
    "TableClosed": _closed,
    "MatchEnded": lambda table, _: replace(table, phase=Phase.ENDED),
}


# ---- judge


def decide(table: Table, command: Message, now_ms: int) -> Judged:
    """Judge a command's payload. Refusal, BadInput. `now_ms` is Unix time; it is recorded, never compared."""
    name = command.DESCRIPTOR.name
    if name not in _DECIDE:
        raise BadInput("command", f"{name} isn't for a table")
    if table.phase is Phase.NONE and not isinstance(command, pb.OpenTable | pb.OpenFormedTable):
        raise refuse("NO_SUCH_TABLE")
    return _DECIDE[name](table, command, now_ms)


def _open(table: Table, command: pb.OpenTable, now_ms: int) -> Judged:
    _check_new(table, command)
    if not command.host_id:
        raise BadInput("host_id", "is required")
    return Judged((opening(command, now_ms),))


def _open_formed(table: Table, command: pb.OpenFormedTable, now_ms: int) -> Judged:
    _check_new(table, command.table)
    if len(command.seats) + command.bots != command.table.seat_count:
        raise BadInput("seats", "must be as many as the table has, house players included")
    opened = opening(command.table, now_ms)
    events: list[Message] = [opened, *command.seats]
    if command.bots:
        return Judged((*events, pb.BotsWanted(count=command.bots)))
    return Judged((*events, _start_of(_after(EMPTY, *events))))


def _check_new(table: Table, command: pb.OpenTable) -> None:
    if table.phase is not Phase.NONE:
        raise refuse("ALREADY_OPENED")
    if command.seat_count < 1 or not command.rulebook or not command.commitment.key_id:
        raise BadInput("table", "needs a rulebook, seats and a commitment")


def opening(command: pb.OpenTable, now_ms: int) -> pb.TableOpened:
    """The event that opens a table."""
    open_time = Timestamp()
    open_time.FromMilliseconds(now_ms)
    return pb.TableOpened(table=command, open_time=open_time)


def _take_seat(table: Table, command: pb.TakeSeat, now_ms: int) -> Judged:
    _check_open(table)
    seated = table.seat_of(command.player_id)
    if seated:
        raise refuse("ALREADY_SEATED", seat=seated)
    _check_welcome(table, command)
    taken = pb.SeatTaken(
        seat=_free_seat(table, command.seat),
        player_id=command.player_id,
        entropy=command.entropy,
        house_player=command.house_player,
    )
    after = apply(table, taken)
    events: list[Message] = [taken]
    if after.bots_wanted > after.free:
        # A player took a chair that a house player was to come for.
        events.append(pb.BotsWanted(count=after.free, bot_kind=table.bot_kind))
    if table.formed and not after.free:
        events.append(_start_of(after))
    return Judged(tuple(events))


def _check_welcome(table: Table, command: pb.TakeSeat) -> None:
    """House players come where they are wanted; others to public tables, with the code, or to their own."""
    if command.house_player:
        if not table.bots_wanted:
            raise refuse("NO_BOTS_WANTED")
    elif table.formed:
        raise refuse("NOT_INVITED")
    elif table.private and command.player_id != table.host_id and not table.opens_with(command.invite_code):
        raise refuse("WRONG_INVITE_CODE")


def _free_seat(table: Table, wanted: int) -> int:
    if not 0 <= wanted <= len(table.chairs):
        raise BadInput("seat", f"must be 0 (the lowest free one) or 1 to {len(table.chairs)}")
    if not table.free:
        raise refuse("TABLE_FULL")
    if not wanted:
        return table.chairs.index(None) + 1
    if table.chairs[wanted - 1] is not None:
        raise refuse("SEAT_TAKEN", seat=wanted)
    return wanted


def _leave_seat(table: Table, command: pb.LeaveSeat, now_ms: int) -> Judged:
    _check_open(table)
    if command.player_id == table.host_id:
        return Judged((pb.TableClosed(),), "CLOSED")
    seat = table.seat_of(command.player_id)
    if not seat:
        raise refuse("NOT_SEATED")
    left = pb.SeatLeft(seat=seat, player_id=command.player_id)
    if not table.formed:
        return Judged((left,))
    if all(chair.house_player or chair.player_id == command.player_id for chair in table.seated):
        return Judged((left, pb.TableClosed(reason="everybody left")), "CLOSED")
    # Nobody else can come to a table that a queue has formed, so a house player does.
    return Judged((left, pb.BotsWanted(count=table.bots_wanted + 1, bot_kind=table.bot_kind)))


def _want_bots(table: Table, command: pb.WantBots, now_ms: int) -> Judged:
    _check_host(table, command.player_id)
    _check_open(table)
    if command.count < 1:
        raise BadInput("count", "must be at least 1")
    if table.bots_wanted + command.count > table.free:
        raise refuse("NOT_ENOUGH_SEATS", free=table.free, bots_wanted=table.bots_wanted)
    return Judged((pb.BotsWanted(count=table.bots_wanted + command.count, bot_kind=command.bot_kind),))


def _start(table: Table, command: pb.StartMatch, now_ms: int) -> Judged:
    _check_host(table, command.player_id)
    _check_open(table)
    if table.bots_wanted:
        raise refuse("BOTS_COMING", bots_wanted=table.bots_wanted)
    if table.free:
        raise refuse("SEATS_FREE", free=table.free)
    return Judged((_start_of(table),))


def _confirm(table: Table, command: pb.ConfirmMatch, now_ms: int) -> Judged:
    if table.phase is not Phase.STARTED:
        raise refuse("NOT_STARTED", phase=table.phase.value)
    return Judged((pb.MatchOpened(),))


def _void(table: Table, command: pb.VoidTable, now_ms: int) -> Judged:
    if table.phase is not Phase.STARTED:
        raise refuse("NOT_STARTED", phase=table.phase.value)
    return Judged((pb.TableVoided(reason=command.reason),), "VOIDED")


def _end(table: Table, command: pb.EndMatch, now_ms: int) -> Judged:
    ended = pb.MatchEnded(reason=command.reason, source=command.source)
    if table.phase is Phase.STARTED:
        # The end was quicker than the answer to CreateMatch.
        return Judged((pb.MatchOpened(), ended), "ENDED")
    if table.phase is not Phase.PLAYING:
        raise refuse("NOT_PLAYING", phase=table.phase.value)
    return Judged((ended,), "ENDED")


def _close(table: Table, command: pb.CloseTable, now_ms: int) -> Judged:
    _check_open(table)
    return Judged((pb.TableClosed(reason=command.reason),), "CLOSED")


_DECIDE: dict[str, Callable[[Table, Any, int], Judged]] = {
    "OpenTable": _open,
    "OpenFormedTable": _open_formed,
    "TakeSeat": _take_seat,
    "LeaveSeat": _leave_seat,
    "WantBots": _want_bots,
    "StartMatch": _start,
    "ConfirmMatch": _confirm,
    "VoidTable": _void,
    "EndMatch": _end,
    "CloseTable": _close,
}


def _check_open(table: Table) -> None:
    if table.phase in OVER:
        raise refuse("TABLE_CLOSED")
    if table.phase is not Phase.OPEN:
        raise refuse("ALREADY_STARTED")


def _check_host(table: Table, player_id: str) -> None:
    if not is_host(table.host_id, player_id):
        raise refuse("NOT_HOST")


def _after(table: Table, *events: Message) -> Table:
    for event in events:
        table = apply(table, event)
    return table


def _start_of(table: Table) -> pb.TableStarted:
    """Freeze a full table: everything that its match is founded on."""
    opened = pb.OpenTable.FromString(table.opened)
    seats = log_pb2.SPECTATOR_POLICY_SEATS if opened.spectators_forbidden else log_pb2.SPECTATOR_POLICY_PUBLIC
    founding = log_pb2.CreateMatch(
        rulebook=opened.rulebook,
        options=opened.options,
        seats=list(_seated_players(table)),
        commitment=opened.commitment.commitment,
        key_id=opened.commitment.key_id,
        spectator_policy=seats,
        receipt_signature=opened.commitment.signature,
        receipt_public_key=opened.commitment.public_key,
    )
    if opened.HasField("decision_time"):
        founding.decision_time.CopyFrom(opened.decision_time)
    return pb.TableStarted(founding=founding)


def _seated_players(table: Table) -> Iterator[log_pb2.SeatedPlayer]:
    for seat, chair in enumerate(table.seated, 1):
        yield log_pb2.SeatedPlayer(seat=seat, player_id=chair.player_id, entropy=chair.entropy)
