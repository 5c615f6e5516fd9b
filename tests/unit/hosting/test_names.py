"""Resource names."""

from __future__ import annotations

import pytest

from ludolog.hosting import names
from ludolog.kernel import BadInput

MATCH = "tempel-" + "a2" * 13


def test_names_are_taken_apart() -> None:
    assert names.match_of(f"matches/{MATCH}") == MATCH
    assert names.match_of(f"matches/{MATCH}/seats/3") == MATCH
    assert names.seat_of(f"matches/{MATCH}/seats/12") == (MATCH, 12)
    assert names.audience_of(f"matches/{MATCH}") == (MATCH, None)
    assert names.table_of(f"tables/{MATCH}") == MATCH
    assert names.replay_of(f"replays/{MATCH}") == MATCH
    assert names.rulebook_of("rulebooks/tempel_des_schreckens") == "tempel_des_schreckens"
    assert names.rulebook_of_match(MATCH) == "tempel_des_schreckens"
    assert names.player_of("players/me", "p-x") == "p-x"
    assert names.match_name(MATCH, 2) == f"matches/{MATCH}/seats/2"


def test_a_new_id_is_a_name() -> None:
    assert names.player_of(f"players/{names.new_id('p')}").startswith("p-")
    assert names.match_of(f"matches/{names.new_id('tempel')}").startswith("tempel-")


@pytest.mark.parametrize(
    "name",
    [
        "",
        MATCH,
        f"matches/{MATCH}/",
        f"matches/{MATCH}/seats/0",
        f"matches/{MATCH}/seats/x",
        "matches/tempel-short",
        "matches/nobody-" + "a2" * 13,
        f"matches/{MATCH.upper()}",
        f"matches/{MATCH}\n",
    ],
)
def test_what_isnt_a_match_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        names.match_of(name)
    assert caught.value.field == "name"


@pytest.mark.parametrize("value", ["", "x" * 65, "two words", "ü"])
def test_a_command_id_is_visible_ascii(value: str) -> None:
    with pytest.raises(BadInput):
        names.command_id(value)
