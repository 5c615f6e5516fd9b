"""Every method of the contracts has a rule, and every rule is a method's."""

from __future__ import annotations

import pytest

from ludolog.hosting import PermissionDenied, Unauthenticated
from ludolog.hosting.authorisation import (
    EVERY_METHOD,
    RULES,
    check_eyes,
    check_seat,
    check_spectator,
    is_host,
    rule_of,
)
from ludolog.hosting.identity import NOBODY, Caller
from tests.infra.methods import Method, methods

METHODS = tuple(methods())
ANN, BOB = Caller(player_id="p-ann"), Caller(player_id="p-bob")
OPEN = {
    "GetPlayer",
    "ListTables",
    "GetTable",
    "WatchTables",
    "ListRulebooks",
    "GetRulebook",
    "Watch",
    "ListLiveMatches",
}
OPEN |= {"GetMatch", "ListReplays", "GetReplay", "GetFrame", "StreamFrames", "ExportReplay", "VerifyReplay"}
OPEN |= {"SignInGuest", "SignInHousePlayer"}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.path)
def test_every_method_has_a_rule(method: Method) -> None:
    rule = rule_of(method.path)
    assert bool(rule.senders) is not method.public, "between services a sender is named, to the public none"
    assert rule.player or not method.public or method.name in OPEN


def test_no_rule_is_left_over() -> None:
    paths = {method.path for method in METHODS}
    assert {path for path in RULES if not path.endswith(f"/{EVERY_METHOD}") and not path.startswith("/test.")} == paths


def test_a_new_method_is_nobodys() -> None:
    with pytest.raises(LookupError):
        rule_of("/ludolog.api.gateway.v1.TableService/DeleteEverything")


def test_only_engines_ask_for_blocks() -> None:
    assert rule_of("/ludolog.api.rng.v1.RngService/GetBlock").senders == {"engine"}


def test_a_seat_is_its_owners() -> None:
    check_seat("p-ann", "p-ann")
    check_eyes("p-ann", ANN)
    for player_id in ("p-bob", ""):
        with pytest.raises(PermissionDenied) as caught:
            check_seat("p-ann", player_id)
        assert caught.value.reason == "NOT_YOUR_SEAT"
    with pytest.raises(PermissionDenied):
        check_eyes("p-ann", BOB)
    with pytest.raises(Unauthenticated):
        check_eyes("p-ann", NOBODY)
    with pytest.raises(Unauthenticated):
        check_eyes("", NOBODY)


def test_who_may_watch_is_the_tables_policy() -> None:
    check_spectator(NOBODY, ["p-ann"], seats_only=False)
    check_spectator(ANN, ["p-ann"], seats_only=True)
    with pytest.raises(PermissionDenied):
        check_spectator(BOB, ["p-ann"], seats_only=True)
    with pytest.raises(Unauthenticated):
        check_spectator(NOBODY, ["p-ann", ""], seats_only=True)


def test_a_table_that_a_queue_formed_has_no_host() -> None:
    assert is_host("p-ann", "p-ann")
    assert not is_host("p-ann", "p-bob")
    assert not is_host("", "")
