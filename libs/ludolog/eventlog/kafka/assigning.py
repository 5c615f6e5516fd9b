"""How a group of ours gives out its partitions: cooperatively and sticky, as kafka-python does, and two things better.

Members are told their whole share, not only what they may have at once: so a member that is given nothing knows whether
that is all. And what a member says to own is what it owns: kafka-python 3.0.12 goes on claiming partitions that it has
lost. The leader of the group believes that and waits for them to be given up, by somebody who has nothing to give up:
nobody gets them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from kafka import TopicPartition
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyAssignmentExecutor
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

Told = Callable[[frozenset[int]], None]


class Assignor(CooperativeStickyAssignor):  # type: ignore[misc]
    """One member's; its groups have one topic each. The name is kafka-python's, so that versions can be mixed."""

    def __init__(self, topic: str, owned: Callable[[], frozenset[int]], told: Told) -> None:
        """`owned`: what this member has now; `told` hears its whole share each time that the group has given out."""
        super().__init__()
        self._topic = topic
        self._owned = owned
        self._told = told

    def metadata(self, topics: Any) -> ConsumerProtocolSubscription:
        """What this member says of itself when it joins."""
        self.member_assignment = [TopicPartition(self._topic, partition) for partition in self._owned()]
        return super().metadata(topics)

    def assign(self, cluster: Any, members: Any) -> dict[str, ConsumerProtocolAssignment]:
        """As the leader: what each member may have at once, with its whole share as user data.

        The rest of a share waits for the round that follows when its owners have given it up (KIP-429).
        """
        metadata = {member.member_id: self.parse_member_metadata(member.metadata) for member in members}
        executor = StickyAssignmentExecutor(cluster, metadata)
        executor.perform_initial_assignment()
        executor.balance()
        owners = {place.partition: member for member, said in metadata.items() for place in said.partitions}
        given = {}
        for member in metadata:
            share = sorted(n for _, numbers in executor.get_final_assignment(member) for n in numbers)
            now = [number for number in share if owners.get(number, member) == member]
            places = [(self._topic, now)] if now else []
            given[member] = ConsumerProtocolAssignment(self.version, places, json.dumps(share).encode())
        return given

    def on_assignment(self, assignment: ConsumerProtocolAssignment, generation: int) -> None:
        """As any member: the group has given out."""
        super().on_assignment(assignment, generation)
        now = {place.partition for place in assignment.partitions()}
        # A leader of an earlier version says nothing about shares.
        self._told(frozenset(json.loads(assignment.user_data) if assignment.user_data else now))
