"""What can be set about Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """Times in milliseconds. They decide how fast things go on after a fault, never what is true."""

    replication_factor: int = 3
    min_insync_replicas: int = 2
    single_broker: bool = False
    """Development on one broker: topics with one replica are accepted, and the log says so."""

    request_timeout_ms: int = 3000
    delivery_timeout_ms: int = 6000
    """After this an append fails, its producer is finished, and its partitions need a takeover."""

    connect_timeout_ms: int = 5000
    """For the first connection of a client."""

    topic_timeout_ms: int = 90_000
    """For a topic to be there at the start of a process: a busy broker may take long to make one."""

    session_timeout_ms: int = 6000
    """A member of a group that isn't heard of for so long has lost its partitions."""

    heartbeats: int = 5
    """Heartbeats in a session timeout. A rebalance is heard of with the next one, so they also set its pace."""

    rebalance_timeout_ms: int = 30_000
    """So long a group waits for its members when partitions are given out anew."""

    revoke_timeout_ms: int = 20_000
    """So long a member's `revoked` callback may take; below the rebalance timeout."""

    security: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """kafka-python's `security_protocol`, `ssl_…` and `sasl_…` options."""

    @property
    def heartbeat_interval_ms(self) -> int:
        """Time from one heartbeat to the next."""
        return self.session_timeout_ms // self.heartbeats

    @property
    def needed_replicas(self) -> int:
        """Fewest replicas that a topic may have."""
        return 1 if self.single_broker else self.replication_factor

    @property
    def needed_in_sync(self) -> int:
        """Smallest min.insync.replicas that a topic may have."""
        return 1 if self.single_broker else self.min_insync_replicas
