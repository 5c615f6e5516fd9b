"""Pages of live matches."""

import random

import pytest

from ludolog.kernel import BadInput
from services.spectator.index import Live
from services.spectator.listing import key_of, page_of


def live(number: int, *, update_ms: int, public: bool = True) -> Live:
    return Live(f"tempel-{number:026}", 1, 0, ((1, "p"),), public, 0, 1, b"", update_ms)


def test_pages_bring_every_public_match_once_the_newest_first() -> None:
    chance = random.Random(5)
    entries = [live(n, update_ms=chance.randrange(20), public=n % 7 != 0) for n in range(100)]
    found, token = [], ""
    while True:
        page, token = page_of(entries, 9, key_of(token))
        found += page
        entries.append(live(1000 + len(found), update_ms=999))
        if not token:
            break
    assert len(page) <= 9
    old = [entry for entry in entries[:100] if entry.public]
    assert found == sorted(old, key=lambda entry: (entry.update_ms, entry.match_id), reverse=True)


@pytest.mark.parametrize("token", ["x", "!!", "WzEsMl0", "W10", "bnVsbA"])
def test_other_tokens_are_refused(token: str) -> None:
    with pytest.raises(BadInput):
        key_of(token)


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(BadInput):
        page_of([], -1, None)
