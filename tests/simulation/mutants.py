"""The rules of the protocol, each taken away in turn from the real code: the simulation must object.

A mutant replaces the functions that hold one safeguard. Some need weather that brings out what they break, so that the
number of seeds stays small; with enough seeds any weather would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

from ludolog.eventlog import loading, snapshots, takeovers, taking
from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.book import Session
from ludolog.eventlog.desk import Desk
from ludolog.eventlog.lanes import Lanes
from ludolog.eventlog.owner import Owner
from ludolog.eventlog.receipts import Receipts
from ludolog.eventlog.takeovers import Fence
from ludolog.eventlog.tenure import Tenure
from tests.simulation import faulty
from tests.simulation.game import Game
from tests.simulation.weather import Weather
from tests.simulation.world import Result, World, play


@dataclass(frozen=True)
class Mutant:
    """A rule taken away. `within`: seeds in which it must be caught."""

    rule: str
    patches: tuple[tuple[Any, str, Any], ...] = ()
    weather: Weather = field(default_factory=Weather)
    world: type[World] = World
    within: int = 300

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Without the rule, for so long."""
        with ExitStack() as stack:
            for owner, name, replacement in self.patches:
                stack.enter_context(mock.patch.object(owner, name, replacement))
            yield

    def hunt(self, first: int = 0) -> Result | None:
        """Play seeds until the eye objects; None: it never did."""
        with self.applied():
            for seed in range(first, first + self.within):
                result = play(seed, self.weather, self.world)
                if result.found is not None:
                    return result
        return None


def _world(**changes: Any) -> type[World]:
    return type("Changed", (World,), changes)


def _weather(**changes: Any) -> Weather:
    return replace(Weather(), **changes)


STALE = _weather(
    seconds=30.0,
    streams=1,
    partitions=1,
    commands=40,
    pause_s=(2.2, 5.0),
    faults={"pause": 4.0, "snatch": 6.0},
    recreate=0.0,
)
"""Former owners that don't know it, and many callers: for what only they do wrong."""

CROWDED = replace(
    STALE,
    seconds=10.0,
    commands=100,
    fault_every_s=0.4,
    draw_s=0.3,
    draw_fails=0.8,
    look_s=5.0,
    doubled=0.8,
    cancels=0.0,
    lane=16,
    ends=0.1,
)
"""Lanes in which commands wait for long, while the partition goes to somebody else."""

REBUILDING = _weather(
    archive=1.0,
    partitions=1,
    seconds=30.0,
    ends=2.0,
    commands=30,
    faults={"drop archive": 6.0, "snatch": 2.0, "hand over": 2.0},
    recreate=0.0,
)
"""An archive that is always being rebuilt, and matches that ended long ago."""

MUTANTS = {
    mutant.rule: mutant
    for mutant in (
        Mutant("fence", ((Fence, "see", faulty.see_without_fence),)),
        Mutant("gap_read", ((Tenure, "_acknowledged", faulty.believe_any_offset),)),
        Mutant("own_offset", ((Tenure, "_see", faulty.see_my_instance),)),
        Mutant("renew", ((Owner, "_appender_failed", faulty.nobody_minds),)),
        Mutant("unknown_offset", ((Tenure, "_acknowledged", faulty.believe_no_offset),), within=1000),
        Mutant("retake", ((Owner, "_ended", faulty.stay_displaced),)),
        Mutant("one_at_a_time", ((Lanes, "put", faulty.put_at_once),)),
        Mutant("after_append", ((Desk, "_commit", faulty.commit_answered_early),)),
        Mutant("command_id", ((Session, "receipt", faulty.no_receipt),)),
        Mutant("at_dequeue", ((Session, "receipt", faulty.no_receipt), (Desk, "submit", faulty.submit_looking_up))),
        Mutant("receipts", ((snapshots, "_restored", faulty.restored_without_receipts),)),
        Mutant("barrier", ((Tenure, "barrier", faulty.no_barrier),), STALE),
        Mutant("confirmed", ((Tenure, "append", faulty.append_applied_before), (Session, "apply", faulty.apply_once))),
        Mutant("head", ((loading, "prove_session", faulty.believe_snapshot),)),
        Mutant(
            "bookmark",
            ((takeovers, "resume", faulty.resume_without_bookmark), (taking, "resume", faulty.resume_without_bookmark)),
            _weather(recreate=1.0),
        ),
        Mutant("ckpt_takeover", ((takeovers, "resume", faulty.resume_forgetful),)),
        Mutant("one_tx", world=_world(rater_class=faulty.TornRater)),
        Mutant("cas", world=_world(rater_class=faulty.BoldRater)),
        Mutant("timer_seq", ((Owner, "submit", faulty.submit_whenever),)),
        Mutant("create_id", world=_world(creation=staticmethod(faulty.new_id_each_time))),
        Mutant("no_give_up", world=_world(give_up_after=2)),
        # assumptions
        Mutant("idempotent", weather=_weather(duplicated=0.1)),
        Mutant("acks_all", weather=_weather(truncated=0.1)),
        Mutant("no_compaction", weather=_weather(faults={**Weather().faults, "compact": 2.0})),
        Mutant("no_recreation", weather=_weather(recreate_hot=1.0)),
        # on the real code also
        Mutant("a cancelled call frees the lane", ((Lanes, "put", faulty.put_freeing),)),
        Mutant(
            "the end is asked on arrival",
            (
                (Desk, "submit", faulty.submit_asking_end),
                (Desk, "_serve", faulty.serve_with_early_end),
                (Tenure, "barrier", faulty.barrier_to_early_end),
            ),
            CROWDED,
            within=3000,
        ),
        Mutant(
            "archive in two transactions", weather=REBUILDING, world=_world(projection_class=faulty.TwoTransactions)
        ),
        Mutant("a gap in records", ((Tenure, "_absorb", faulty.absorb_by_count),)),
        Mutant("a failed producer is kept", ((Appenders, "_retire", faulty.keep_failed),)),
        Mutant("receipts without the seat", ((Receipts, "_id", faulty.id_without_seat),)),
        Mutant("read_committed", weather=_weather(aborted=0.1), world=faulty.CommittedReaders),
        # what our own code did once, see LEDGER.md
        Mutant("handing over needs the cache", ((Owner, "_give_up", faulty.give_up_after_saving),)),
        Mutant("refusal after a draw", ((Game, "judge", faulty.draw_then_judge),)),
    )
}
