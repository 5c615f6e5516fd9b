"""One engine put together: the owner of its partitions, and whoever listens to what counts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.archive import Archive
from ludolog.eventlog.owner import Owner, OwnerLimits
from ludolog.hosting import Host, topic_of
from ludolog.hosting.owning import OwnerTally, share_of
from ludolog.kernel import Rulebook
from ludolog.record.commits import Head
from ludolog.record.match import Match
from services.engine.aggregate import Matches, next_block, room_sources
from services.engine.blocks import Blocks, Fetch
from services.engine.figures import Figures
from services.engine.hints import Hints
from services.engine.timers import Timers

logger = logging.getLogger(__name__)
GROUP = "engine"
LOOK_S = 0.25
"""How often the engine compares what it serves with what it is to serve, for its health."""


class Engine:
    """Owner, blocks, timers and hints of one rulebook. Also the owner's hooks: told of what counts, in order."""

    def __init__(
        self, host: Host, rulebook: Rulebook[Any], partitions: int, fetch: Fetch, archive: Archive | None
    ) -> None:
        topic = topic_of(rulebook.name)
        self.host, self.rulebook = host, rulebook
        self.figures = Figures(host.metrics, rulebook.name)
        self.tally = OwnerTally(host.metrics, topic, GROUP)
        self.blocks = Blocks(fetch)
        self.hints = Hints(host.cache, topic, partitions, host.clock, self.figures.hints_dropped)
        self.owner: Owner[Match[Any]] = Owner(
            log=host.log,
            cache=host.cache,
            topic=topic,
            group=GROUP,
            instance=host.instance,
            aggregate=Matches(rulebook, self.blocks, room_sources(rulebook.name)),
            clock=host.clock,
            address=host.address,
            hooks=self,
            archive=archive,
            limits=OwnerLimits(idle_s=host.settings.idle_unload_s),
            tally=self.tally,
            spans=host.tracing,
        )
        self.timers = Timers(rulebook, partitions, host.clock, self._submit_timeout, self._look, self.hints.deadlines)
        self._running: list[asyncio.Task[Any]] = []
        self.tally.watch(self.owner.load)
        self.figures.watch(self.blocks, lambda: len(self.timers.index), lambda: self.timers.timed_out)

    async def start(self) -> None:
        """Begin to take partitions over."""
        self.host.serving("partitions", ok=False, why="not taken over yet")
        await self.owner.start()
        parts = {
            "timers": self.timers.run(),
            "hints": self.hints.run(),
            "partitions": self._look_after_itself(),
            "progress": self.tally.progress.watch(self.host.log, self.host.clock, self._positions),
        }
        self._running = [self.host.spawn(name, part) for name, part in parts.items()]

    async def drain(self) -> None:
        """Hand everything over in order."""
        await self.owner.drain()
        await self.blocks.close()

    # ---- what the owner tells

    def confirmed(
        self, stream_id: str, before: Match[Any], commit: log_pb2.Commit, after: Match[Any], head: Head
    ) -> None:
        """A commit counts."""
        if commit.sequence == 1 or commit.HasField("ending"):
            self._say(stream_id, commit)
        if commit.draw_index:
            self.figures.drew()
            with self.host.tracing.within(commit.traceparent):
                self._fetch_ahead(stream_id, after)
        self.timers.see(stream_id, after, head.sequence)
        self.hints.committed(stream_id)

    def began(self, partition: int, heads: Mapping[str, Head]) -> None:
        """A partition is taken over, with these unfinished matches that have a clock."""
        self.timers.began(partition, heads)

    def ended(self, partition: int) -> None:
        """A partition isn't ours any more."""
        self.timers.ended(partition)

    def _say(self, match_id: str, commit: log_pb2.Commit) -> None:
        about = {"match": match_id, "sequence": commit.sequence, "reason": commit.ending.outcome.reason}
        with self.host.tracing.within(commit.traceparent):
            if commit.sequence == 1:
                logger.info("a match begins", extra={"match": match_id, "sequence": 1})
            if commit.HasField("ending"):
                logger.info("a match ends", extra=about)

    # ---- what the parts ask of each other

    def _fetch_ahead(self, match_id: str, match: Match[Any]) -> None:
        wanted = next_block(match)
        if wanted is None:
            self.blocks.forget(match_id)
        else:
            self.blocks.fetch_ahead(match_id, wanted)

    async def _submit_timeout(self, match_id: str, cause: log_pb2.Cause, sequence: int) -> None:
        await self.owner.submit(match_id, cause, only_at_sequence=sequence)

    async def _look(self, match_id: str) -> tuple[Match[Any], int]:
        found = await self.owner.confirmed(match_id)
        return found.state, found.head.sequence

    async def _look_after_itself(self) -> None:
        """Serving while everything of its share of the group is taken over."""
        while True:
            ok, why = share_of(self.owner.awaited())
            self.host.serving("partitions", ok=ok, why=why)
            await asyncio.sleep(LOOK_S)

    async def _positions(self) -> dict[tuple[str, int], int]:
        topic = topic_of(self.rulebook.name)
        return {(topic, partition): position for partition, position in self.owner.positions().items()}
