"""Reasons of errors, as the code raises them and as docs/api.md has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ludolog.hosting import errors
from tests.tidy.tree import ROOT

SOURCES = ("libs/ludolog/hosting", "libs/ludolog/kernel", "libs/ludolog/record", "services")
REASON = re.compile(r"[A-Z]+(_[A-Z]+)*")
RAISES = {"ApiError", "Refusal", "NotFound", "TooMuch", "refuse", "not_yet"}
"""Calls that have a reason among their first arguments; others name it: reason="…"."""
OUTCOMES = {"ABORTED"}
"""Reasons of a match's end, which are no errors."""


BETWEEN_SERVICES = {
    "NOT_A_SERVICE": "internal ports only",
    "NOT_A_PLAYER": "a service's or operator's token, which the public port doesn't take",
    "BAD_SERVICE_TOKEN": "internal ports only",
    "WRONG_CERTIFICATE": "internal ports only",
    "UNKNOWN_KEY": "the rng tells engines",
    "ALREADY_FOUNDED": "matchmaking founds matches",
    "ALREADY_OPENED": "matchmaking opens tables",
    "ALREADY_FORMED": "matchmaking's own command",
    "ALREADY_RESERVED": "matchmaking's own command",
    "NOT_RESERVED": "matchmaking reserves, then queues the ticket again",
    "NOT_FORMED": "matchmaking's own command",
    "NOBODY_WAITS": "matchmaking's own command",
    "NOT_STARTED": "matchmaking's own command",
    "NOT_PLAYING": "matchmaking's own command",
    "WRONG_PLAYER_COUNT": "a table's number of seats is checked as a field, before there is a match",
}
"""Reasons that clients never meet, and why."""
SHOWN = {
    "ACCOUNTS_UNAVAILABLE": "unit/gateway/test_accounts.py::test_a_database_that_doesnt_answer_is_unavailable",
    "ALREADY_CANCELLED": "integration/matchmaking/test_queue.py::test_a_cancelled_ticket_waits_no_more",
    "ALREADY_MATCHED": "integration/matchmaking/test_queue.py::test_enough_tickets_form_a_match",
    "ALREADY_QUEUED": "integration/matchmaking/test_queue.py::test_enough_tickets_form_a_match",
    "BAD_TOKEN": "integration/security/test_every_method.py::test_public_methods_take_good_tokens_only",
    "COMMAND_ID_REUSED": (
        "integration/security/test_other_peoples.py::test_a_repeated_command_gives_the_same_receipt_and_does_nothing"
    ),
    "DEADLINE_EXCEEDED": "unit/hosting/test_guard.py",
    "GAME_OVER": "integration/engine/test_match.py",
    "INTERNAL": "unit/hosting/test_guard.py",
    "LOG_UNAVAILABLE": (
        "integration/cluster/test_broker_away.py::test_commands_are_refused_soon_reads_go_on_and_everything_resumes"
    ),
    "LOG_UNREADABLE": "integration/spectator/test_reading.py::test_a_record_of_a_later_version_stops_its_partition",
    "MATCH_CORRUPT": "integration/replay/test_archive.py::test_a_corrupt_match_is_stopped_and_the_others_go_on",
    "MATCH_NOT_OVER": "integration/replay/test_rpcs.py",
    "MATCH_STOPPED": "integration/spectator/test_reading.py::test_a_corrupt_match_ends_its_streams_and_no_other",
    "NOT_ARCHIVED": "integration/replay/test_rpcs.py",
    "NOT_INVITED": (
        "integration/matchmaking/test_queue.py::test_after_a_while_house_players_fill_the_table_which_starts_itself"
    ),
    "NOT_OPENED": "unit/gateway/test_limits.py",
    "NOT_OWNER": "integration/engine/test_takeover.py",
    "NOT_YOUR_SEAT": "integration/security/test_other_peoples.py::test_another_seat_and_a_spectator_who_acts",
    "NO_ISSUER_KEYS": "unit/hosting/test_oidc.py::test_known_keys_outlive_an_issuer_that_is_away",
    "NO_RECALL": "integration/replay/test_rpcs.py::test_who_has_to_remember_is_shown_nothing_again_before_the_end",
    "NO_SUCH_MATCH": "unit/engine/test_aggregate.py",
    "OVERLOADED": "integration/security/test_overload.py",
    "PERMISSION_DENIED": "integration/security/test_other_peoples.py",
    "QUEUE_BUSY": "integration/matchmaking/test_queue.py::test_many_who_queue_at_once_all_get_a_table",
    "OTHER_CONTENT": (
        "integration/embedded/test_replaced_content.py::test_a_match_waits_for_its_content_and_goes_on_with_it"
    ),
    "RATE_LIMITED": "integration/security/test_endless.py::test_a_flood_of_commands_is_refused_and_hurts_nobody_else",
    "SEED_NOT_REVEALED": "integration/replay/test_rpcs.py",
    "SLOW_READER": "integration/security/test_endless.py::test_slow_readers_lose_their_streams_and_cost_no_memory",
    "STALE_DECISION": "integration/engine/test_answers.py",
    "STOPPING": "unit/hosting/test_lifetimes.py::test_streams_end_with_a_hint_and_calls_go_on",
    "STREAM_AGE": "unit/hosting/test_guard.py",
    "TOKEN_EXPIRED": (
        "integration/security/test_ended_tokens.py::test_streams_end_with_the_token_that_they_were_opened_with"
    ),
    "TOO_MANY_GUESSES": "integration/security/test_other_peoples.py::test_invite_codes_cant_be_guessed",
    "TOO_MANY_STREAMS": "unit/gateway/test_limits.py",
    "TOO_MANY_TABLES": "integration/security/test_endless.py::test_tables_without_end_are_refused",
    "UNAVAILABLE": "unit/gateway/test_playing.py::test_a_command_that_stays_unknown_is_answered_with_unavailable",
}
"""Where a reason is shown that isn't provoked one by one: a test, or a file whose tests name it."""
NOT_BY_NAME = {
    "ACCOUNTS_UNAVAILABLE": "it looks for the kind of the error",
    "LOG_UNREADABLE": "it looks for the code",
    "MATCH_STOPPED": "it looks for the code",
    "NO_ISSUER_KEYS": "it looks for the kind of the error",
    "QUEUE_BUSY": "whoever gets it asks again: all get a table",
    "UNAVAILABLE": "it looks for the code",
}
"""Those whose test doesn't spell them, and what it looks at."""


def raised() -> set[str]:
    """Reasons that stand in the code."""
    found: set[str] = set()
    for base in SOURCES:
        for path in (ROOT / base).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    found.update(_reasons(node))
                elif isinstance(node, ast.ClassDef) and RAISES.intersection(map(_called, node.bases)):
                    found.update(_own_reason(node))
    names = (errors.LOG_UNAVAILABLE, "BAD_SERVICE_TOKEN", "NOT_OWNER")
    defaults = ("NOT_FOUND", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE", "OUT_OF_RANGE")
    judged = ("ALREADY_CANCELLED", "ALREADY_MATCHED")  # one call chooses between them
    return found.union(names, defaults, judged) - OUTCOMES


def _reasons(node: ast.Call) -> Iterator[str]:
    values = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
    yield from _spelt(values + (node.args[:2] if _called(node.func) in RAISES else []))


def _own_reason(node: ast.ClassDef) -> Iterator[str]:
    """What a kind of error hands to the kind above it: super().__init__("REASON", …)."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called(call.func) == "__init__":
            yield from _spelt(call.args[:1])


def _called(expression: ast.expr) -> str:
    return getattr(expression, "id", getattr(expression, "attr", ""))


def _spelt(values: Iterable[ast.expr]) -> Iterator[str]:
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and REASON.fullmatch(value.value):
            yield value.value


def documented() -> dict[str, set[str]]:
    """Reason → codes, as the guide has them."""
    table = (ROOT / "docs" / "api.md").read_text().partition("### Reasons")[2].partition("\n## ")[0]
    found: dict[str, set[str]] = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            reasons, codes = line.split("|")[1:3]
            for reason in re.findall("`([A-Z_]+)`", reasons):
                assert reason not in found, f"{reason} is there twice"
                found[reason] = set(re.findall("`([A-Z_]+)`", codes))
    return found
