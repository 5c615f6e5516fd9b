"""What a match may be founded on, besides what `record.match` and the rulebook check: only the request counts."""

from __future__ import annotations

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import BadInput, check

COMMITMENT_BYTES = 32
LONGEST_DECISION_MS = 30 * 24 * 3600 * 1000
LONGEST_ID = 64
LARGEST_OPTIONS = 16 * 1024


def check_founding(founding: log_pb2.CreateMatch) -> None:
    """BadInput names the field that can't be."""
    check(founding, "founding")
    if len(founding.commitment) != COMMITMENT_BYTES:
        raise BadInput("founding.commitment", f"must be {COMMITMENT_BYTES} bytes")
    if not 1 <= len(founding.key_id) <= LONGEST_ID:
        raise BadInput("founding.key_id", f"must be 1 to {LONGEST_ID} characters")
    if len(founding.options) > LARGEST_OPTIONS:
        raise BadInput("founding.options", f"must be at most {LARGEST_OPTIONS} bytes")
    if not 0 <= decision_time_ms(founding) <= LONGEST_DECISION_MS:
        raise BadInput("founding.decision_time", "must be 0 to 30 days")
    for place, seat in enumerate(founding.seats, 1):
        if len(seat.player_id) > LONGEST_ID:
            raise BadInput(f"founding.seats[{place}].player_id", f"must be at most {LONGEST_ID} characters")


def decision_time_ms(founding: log_pb2.CreateMatch) -> int:
    """Time to decide, in milliseconds; 0: no clock."""
    return founding.decision_time.ToMilliseconds()
