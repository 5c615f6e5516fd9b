"""When the archive says that it serves."""

from ludolog.hosting import Metrics
from services.replay.projection import Place
from services.replay.watchful import Watchful
from tests.infra.asking import SimulatedClock

ONE, TWO = Place("log", 0), Place("log", 1)


class Health:
    def __init__(self) -> None:
        self.said: list[tuple[bool, str]] = []

    def __call__(self, part: str, ok: bool, why: str = "") -> None:
        self.said.append((ok, why))

    def serves(self) -> bool:
        return self.said[-1][0]


def watchful() -> tuple[Watchful, Health, Metrics, SimulatedClock]:
    health, metrics, clock = Health(), Metrics(), SimulatedClock(100.0, since_ms=0)
    return Watchful(metrics, clock, health, ["log"]), health, metrics, clock


def test_it_serves_once_every_partition_was_caught_up_with() -> None:
    heard, health, metrics, clock = watchful()
    assert health.said[-1] == (False, "joining the group")
    heard.gave_out("log", frozenset({0, 1}))
    heard.following(ONE)
    heard.following(TWO)
    clock.seconds += 3
    heard.caught_up(ONE)
    assert not health.serves()
    heard.caught_up(TWO)
    assert health.serves()
    assert (
        metrics.registry.get_sample_value(
            "ludolog_projection_catch_up_seconds", {"projection": "replay", "topic": "log"}
        )
        == 3
    )


def test_a_partition_that_comes_later_is_no_reason_to_stop_serving() -> None:
    heard, health, *_ = watchful()
    heard.gave_out("log", frozenset({0}))
    heard.following(ONE)
    heard.caught_up(ONE)
    heard.following(TWO)
    assert health.serves()


def test_an_instance_without_partitions_serves() -> None:
    heard, health, *_ = watchful()
    assert not health.serves()
    heard.gave_out("log", frozenset())
    assert health.serves()


def test_until_the_group_has_given_partitions_it_doesnt_serve() -> None:
    heard, health, *_ = watchful()
    heard.gave_out("log", frozenset({ONE.partition}))
    assert not health.serves(), "another instance has it still"
    heard.following(ONE)
    assert not health.serves(), "it is catching up"
    heard.gave_up(ONE)
    assert not health.serves()
    heard.gave_out("log", frozenset())
    assert health.serves()


def test_a_partition_that_stands_still_is_said_with_its_reason_until_it_is_given_up() -> None:
    heard, health, *_ = watchful()
    heard.gave_out("log", frozenset({0}))
    heard.following(ONE)
    heard.caught_up(ONE)
    heard.stopped(ONE, "an event type that this version doesn't know")
    assert health.said[-1] == (False, "partition 0: an event type that this version doesn't know")
    heard.gave_up(ONE)
    assert health.serves()
