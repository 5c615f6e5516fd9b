"""Matches as lists of steps, folded from the archive and kept while they are looked at: a frame costs one view."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ludolog.kernel import Rulebook
from ludolog.record.commits import parse_record
from ludolog.record.story import BrokenChain, Story
from services.replay.projection import Place
from services.replay.queries import Queries

PAGE = 500
STEPS = 20_000
"""Most steps kept in memory, over all matches."""


class Histories:
    """The stories that are kept, the least recently used ones given up first."""

    def __init__(self, queries: Queries, rulebook: Callable[[str], Rulebook[Any]], most_steps: int = STEPS) -> None:
        """`rulebook` gives the rulebook of a match id."""
        self._queries = queries
        self._rulebook = rulebook
        self._most = most_steps
        self._kept: OrderedDict[str, Story] = OrderedDict()

    async def story(self, match_id: str, place: Place, sequence: int) -> Story:
        """A match from its first commit up to at least `sequence`, or to what the archive has where that is less."""
        story = self._kept.pop(match_id, None) or Story(self._rulebook(match_id))
        kept, more = story.head.sequence > 0, story.head.sequence < sequence
        while more:
            stretch = await self._queries.stretch(place, match_id, story.head.sequence + 1, PAGE)
            more = stretch.more
            try:
                for stored in stretch.commits:
                    story.extend(stored.record, parse_record(stored.record).commit)
            except BrokenChain:
                # The archive was rebuilt from another log meanwhile: what was folded before isn't this match.
                if not kept:
                    raise
                story, kept, more = Story(story.rulebook), False, True
            await asyncio.sleep(0)
        self._keep(match_id, story)
        return story

    def _keep(self, match_id: str, story: Story) -> None:
        known = self._kept.get(match_id)
        if known is None or known.head.sequence < story.head.sequence:
            self._kept[match_id] = story
        total = sum(len(kept.steps) for kept in self._kept.values())
        while total > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            total -= len(gone.steps)
