"""Page tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludolog.kernel import BadInput
from services.replay import pages

KEYS = st.tuples(st.integers(0, 2**63 - 1), st.text(max_size=40))


@given(KEYS)
def test_a_token_brings_its_key_back(key: tuple[int, str]) -> None:
    assert pages.key_of("mine", pages.token("mine", key), (int, str)) == key


@given(KEYS)
def test_a_token_of_another_list_is_refused(key: tuple[int, str]) -> None:
    with pytest.raises(BadInput):
        pages.key_of("yours", pages.token("mine", key), (int, str))


@given(st.text(max_size=60).filter(bool))
def test_whatever_else_is_refused(token: str) -> None:
    with pytest.raises(BadInput):
        pages.key_of("mine", token, (int, str))


@pytest.mark.parametrize("key", [(2**63, "a"), (-1, "a"), (True, "a"), ("a", 1), (1,), (1, "a", 2)])
def test_a_key_that_no_row_can_have_is_refused(key: tuple[int | str, ...]) -> None:
    with pytest.raises(BadInput):
        pages.key_of("mine", pages.token("mine", key), (int, str))


def test_the_first_page_has_no_key() -> None:
    assert pages.key_of("mine", "", (int, str)) is None


def test_sizes() -> None:
    assert [pages.page_size(asked) for asked in (0, 1, 100, 101)] == [50, 1, 100, 100]
    with pytest.raises(BadInput):
        pages.page_size(-1)
