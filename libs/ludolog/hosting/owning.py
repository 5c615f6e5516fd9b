"""The metrics of an owner of partitions: the same for every log that has owners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ludolog.eventlog.ports import Load, Tally
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.progress import Progress

COMMITS, TAKEOVERS, VOID = "commits", "takeovers", "void_commits"
MUST_STAY_0 = ("broken_streams", "unreadable_commits", "hook_errors")
SHOWN_APART = frozenset({COMMITS, TAKEOVERS, VOID})


class OwnerTally(Tally):
    """Counts for an owner, and shows it."""

    def __init__(self, metrics: Metrics, topic: str, projection: str) -> None:
        super().__init__()
        self.counts.update(dict.fromkeys(MUST_STAY_0, 0))
        self._topic = topic
        self._progress = Progress(metrics, projection)
        self._metrics = metrics
        queued = metrics.histogram(
            "ludolog_queue_seconds", "Seconds that a command waits for its turn in its stream.", ("topic",)
        )
        takeover = metrics.histogram("ludolog_takeover_seconds", "Seconds of taking a partition over.", ("topic",))
        self._times = {"queue": queued.labels(topic).observe, "takeover": takeover.labels(topic).observe}
        self._progress.void(topic, 0)
        for name, documentation in ((COMMITS, "Commits that count."), (TAKEOVERS, "Takeovers of partitions.")):
            metrics.read_counter(f"ludolog_{name}", documentation, ("topic",), self._one(name))
        metrics.read_counter(
            "ludolog_owner_events", "What else happened to an owner of partitions.", ("topic", "event"), self._others
        )

    def add(self, name: str, amount: int = 1) -> None:
        """Count something."""
        if name == VOID:
            self._progress.void(self._topic, amount)
        super().add(name, amount)

    def took(self, name: str, seconds: float) -> None:
        """Note how long something took: "queue" or "takeover"."""
        self._times[name](seconds)
        if name == "takeover":
            self._progress.caught_up(self._topic, seconds)

    def watch(self, load: Callable[[], Load]) -> None:
        """Show what the owner has in its hands."""
        for name, documentation in (
            ("owned_partitions", "Partitions that are served here."),
            ("open_streams", "Matches, tables and queues of these partitions that aren't over."),
            ("loaded_streams", "Matches, tables and queues that are in memory here."),
            ("queued_commands", "Commands that wait for their turn."),
        ):
            self._metrics.read_gauge(f"ludolog_{name}", documentation, ("topic",), self._part(load, name))

    @property
    def progress(self) -> Progress:
        """The owner's progress in its log."""
        return self._progress

    def _part(self, load: Callable[[], Load], name: str) -> Callable[[], Iterable[tuple[Sequence[str], float]]]:
        return lambda: [((self._topic,), getattr(load(), name))]

    def _one(self, name: str) -> Callable[[], Iterable[tuple[Sequence[str], float]]]:
        return lambda: [((self._topic,), self.counts[name])]

    def _others(self) -> Iterable[tuple[Sequence[str], float]]:
        return [((self._topic, name), count) for name, count in list(self.counts.items()) if name not in SHOWN_APART]


def share_of(awaited: frozenset[int] | None) -> tuple[bool, str]:
    """Whether an owner serves its whole share of the group (`Owner.awaited`), and why not, for `Host.serving`."""
    if awaited is None:
        return False, "the group gives out no shares yet"
    return not awaited, f"{len(awaited)} partitions aren't served yet"
