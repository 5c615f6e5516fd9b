"""Matchmaking's metrics. Never labelled by table or player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ludolog.hosting import Clock, Metrics
from services.matchmaking.queues import Queue

WAITS = (0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
Queues = Callable[[], Iterable[tuple[str, Queue]]]
"""(rulebook, queue) of each queue whose partition is served here."""


class Figures:
    """What the parts of matchmaking say of themselves."""

    def __init__(self, metrics: Metrics, clock: Clock) -> None:
        self._metrics, self._clock = metrics, clock
        self._waits = metrics.histogram(
            "ludolog_matchmaking_queue_wait_seconds", "Seconds from a ticket to its table.", ("rulebook",), WAITS
        )

    def gauge(self, name: str, documentation: str, read: Callable[[], int]) -> None:
        """A number that a part keeps."""
        self._metrics.read_gauge(f"ludolog_matchmaking_{name}", documentation, (), lambda: [((), read())])

    def counter(self, name: str, documentation: str, read: Callable[[], int]) -> None:
        """A number that a part keeps, and that only grows."""
        self._metrics.read_counter(f"ludolog_matchmaking_{name}", documentation, (), lambda: [((), read())])

    def watch(self, rulebooks: Iterable[str], queues: Queues) -> None:
        """Show how long the queues are. Those of other instances' partitions are 0 here."""
        none = dict.fromkeys(rulebooks, 0.0)
        for rulebook in none:
            self._waits.labels(rulebook)

        def depth() -> Iterable[tuple[Sequence[str], float]]:
            return _by_rulebook(none, ((rulebook, float(len(queue.waiting))) for rulebook, queue in queues()))

        def oldest() -> Iterable[tuple[Sequence[str], float]]:
            return _by_rulebook(none, ((rulebook, self._oldest_s(queue)) for rulebook, queue in queues()))

        label = ("rulebook",)
        self._metrics.read_gauge("ludolog_matchmaking_queued_tickets", "Players who queue.", label, depth)
        self._metrics.read_gauge(
            "ludolog_matchmaking_oldest_ticket_seconds", "How long the first of them has waited.", label, oldest
        )

    def moved(self, rulebook: str, before: Queue, after: Queue) -> None:
        """A queue before and after a commit: note how long those waited who have a table now."""
        formed = after.formed.keys() - before.formed.keys()
        if not formed:
            return
        since = {ticket.ticket_id: ticket.queue_time_ms for ticket in before.waiting}
        for table_id in formed:
            for ticket in after.formed[table_id].tickets:
                # A formed table's tickets have the time of its forming; the last one hasn't waited.
                waited_ms = ticket.queue_time_ms - since.get(ticket.ticket_id, ticket.queue_time_ms)
                self._waits.labels(rulebook).observe(max(0, waited_ms) / 1000)

    def _oldest_s(self, queue: Queue) -> float:
        if not queue.waiting:
            return 0.0
        return max(0.0, (self._clock.now_ms() - min(ticket.queue_time_ms for ticket in queue.waiting)) / 1000)


def _by_rulebook(none: dict[str, float], found: Iterable[tuple[str, float]]) -> Iterable[tuple[Sequence[str], float]]:
    values = {**none, **dict(found)}
    return [((rulebook,), value) for rulebook, value in values.items()]
