"""Printed tables check themselves: a table with a wrong sum, a missing row or no source doesn't load."""

import pytest

from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.state import SEATS, Counts, RolePack
from ludolog.rulebooks.tempel_des_schreckens.tables import read_tables
from tests.contract.test_content import refused

CONTENT = catalogue.read_content("tempel_des_schreckens")
ROLES = {3: (2, 2), 4: (3, 2), 5: (3, 2), 6: (4, 2), 7: (5, 3), 8: (6, 3), 9: (6, 3), 10: (7, 4)}
CHAMBERS = {
    3: (8, 5, 2),
    4: (12, 6, 2),
    5: (16, 7, 2),
    6: (20, 8, 2),
    7: (26, 7, 2),
    8: (30, 8, 2),
    9: (34, 9, 2),
    10: (37, 10, 3),
}


def test_the_tables_are_the_printed_ones() -> None:
    tables = read_tables(CONTENT)
    assert {n: (pack.adventurers, pack.guardians) for n, pack in tables.roles.items()} == ROLES
    assert {n: (c.empty, c.gold, c.fire) for n, c in tables.chambers.items()} == CHAMBERS


@pytest.mark.parametrize("seats", SEATS)
def test_sums(seats: int) -> None:
    tables = read_tables(CONTENT)
    assert tables.chambers[seats].total == 5 * seats
    assert (tables.roles[seats].total == seats) == (seats in {5, 6, 9})


def test_every_component_has_its_source() -> None:
    components = read_tables(CONTENT).components
    assert {component.key: component.count for component in components} == {
        "adventurer": 7,
        "guardian": 4,
        "empty": 37,
        "gold": 10,
        "fire": 3,
        "key": 1,
    }
    assert all(component.source == "rulebook" and component.reference for component in components)


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("chambers.toml", "empty = 16", "empty = 15", "5 for each of 5"),
        ("chambers.toml", "gold = 7", "gold = -7", "gold must be"),
        ("chambers.toml", "fire = 3", "fire = true", "fire must be"),
        ("chambers.toml", "players = 7", "players = 6", "two entries"),
        ("chambers.toml", "players = 10\n", "players = 11\n", "5 for each of 11"),
        ("roles.toml", "guardians = 4", "guardians = 6", "10 players"),
        ("box.toml", "count = 37", "count = 36", "empty"),
    ],
)  # fmt: skip
def test_content_that_does_not_add_up_is_refused(name: str, old: str, new: str, problem: str) -> None:
    refused("tempel_des_schreckens", name, old, new, problem)


def test_counts_and_packs() -> None:
    assert Counts(1, 2, 3).minus(Counts(1, 0, 2)) == Counts(0, 2, 1)
    assert len(Counts(1, 2, 3).cards()) == 6
    assert [int(role) for role in RolePack(2, 1).cards()] == [1, 1, 2]
