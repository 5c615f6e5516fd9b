"""Who may see what of an archived match."""

from __future__ import annotations

from typing import Any

import grpc

from ludolog.api.gateway.v1 import replays_pb2
from ludolog.hosting.authorisation import check_eyes, check_spectator
from ludolog.hosting.errors import ApiError
from ludolog.hosting.identity import Caller
from ludolog.kernel import OMNISCIENT, SPECTATOR, BadInput, Omniscient, Rulebook, Seat, Seated, Viewer
from ludolog.record.match import Match
from services.replay.queries import MatchRow


def check_match(row: MatchRow, caller: Caller) -> None:
    """A match without spectators is for those who play it, also after its end. Unauthenticated, PermissionDenied."""
    check_spectator(caller, {seat.player_id for seat in row.seats}, seats_only=not row.spectators_allowed)


def viewer_of(row: MatchRow, perspective: replays_pb2.Perspective, caller: Caller) -> Viewer:
    """Whose eyes a caller may look with: before the end, a seat's are its owner's and an omniscient reader's nobody's.

    BadInput for no such seat; Unauthenticated, PermissionDenied; FAILED_PRECONDITION before the end.
    """
    check_match(row, caller)
    match perspective.WhichOneof("kind"):
        case "seat":
            owner = {seat.seat: seat.player_id for seat in row.seats}.get(perspective.seat)
            if owner is None:
                raise BadInput("perspective.seat", f"must be 1 to {len(row.seats)}")
            if not row.finished:
                check_eyes(owner, caller)
            return Seated(Seat(perspective.seat))
        case "omniscient" if perspective.omniscient:
            if not row.finished:
                raise not_yet("MATCH_NOT_OVER", "everything is shown after the end")
            return OMNISCIENT
        case _:
            return SPECTATOR


def check_recall(rulebook: Rulebook[Any], match: Match[Any], viewer: Viewer) -> None:
    """FAILED_PRECONDITION while the match is on and this viewer has to remember what was shown."""
    if match.outcome is not None or match.founding is None or isinstance(viewer, Omniscient):
        return
    if not rulebook.edition(match.content_digest).may_recall(match.game, viewer):
        raise not_yet("NO_RECALL", "who plays this match has to remember until it is over")


def not_yet(reason: str, message: str) -> ApiError:
    """What the match's end or the reveal of its seed will allow."""
    return ApiError(grpc.StatusCode.FAILED_PRECONDITION, reason, message, preconditions=[(reason, "Platform", message)])
