"""How a Kafka group of ours gives out its partitions, without a Kafka."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ludolog.eventlog.kafka.assigning import Assignor

TOPIC = "log"


class Cluster:
    """What the assignor asks of kafka-python's metadata."""

    def __init__(self, partitions: int) -> None:
        self._partitions = set(range(partitions))

    def partitions_for_topic(self, topic: str) -> set[int]:
        return self._partitions

    def topics(self) -> set[str]:
        return {TOPIC}


@dataclass
class Joined:
    """A member as the group's leader sees it."""

    member_id: str
    metadata: Any


class Member:
    """A member with what it has, and what it is told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mine: frozenset[int] = frozenset()
        self.share: frozenset[int] | None = None
        self.assignor = Assignor(TOPIC, lambda: self.mine, self._told)

    def _told(self, share: frozenset[int]) -> None:
        self.share = share

    def joins(self) -> Joined:
        return Joined(self.name, self.assignor.metadata({TOPIC}))

    def lost(self) -> None:
        self.mine, self.share = frozenset(), None


def rebalance(partitions: int, *members: Member) -> None:
    """One round: the first member leads, all take what they are given."""
    given = members[0].assignor.assign(Cluster(partitions), [member.joins() for member in members])
    for member in members:
        assignment = given[member.name]
        member.assignor.on_assignment(type(assignment).decode(assignment.encode()), 1)
        member.mine = frozenset(place.partition for place in assignment.partitions())


def test_a_member_is_told_its_whole_share_before_it_gets_it() -> None:
    one, two = Member("one"), Member("two")
    rebalance(4, one)
    assert one.mine == one.share == frozenset(range(4))
    rebalance(4, one, two)
    assert not two.mine, "the other one has to give up first"
    assert two.share is not None
    assert len(two.share) == 2
    assert one.share == one.mine == frozenset(range(4)) - two.share
    rebalance(4, one, two)
    assert two.mine == two.share


def test_where_there_is_nothing_left_a_share_is_empty() -> None:
    one, two = Member("one"), Member("two")
    rebalance(1, one)
    rebalance(1, one, two)
    assert two.share == frozenset()


def test_who_has_lost_its_partitions_doesnt_claim_them_when_it_joins_again() -> None:
    one, two = Member("one"), Member("two")
    rebalance(4, one)
    one.lost()
    rebalance(4, two, one)
    assert one.mine | two.mine == frozenset(range(4)), "nobody waits for what nobody has"


def test_kafka_pythons_own_leaves_partitions_to_nobody_then() -> None:
    """Why we have an assignor of our own; when this fails, it is mended there."""
    one, two = Member("one"), Member("two")
    rebalance(4, one)
    stale = one.joins()
    one.lost()
    given = two.assignor.assign(Cluster(4), [two.joins(), stale])
    assert sum(len(list(assignment.partitions())) for assignment in given.values()) < 4
