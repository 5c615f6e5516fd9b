"""A match as the list of its steps: what live streams and replays show, update by update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Rulebook, Viewer
from ludolog.record.commits import Head, continues, next_head
from ludolog.record.match import Match, apply_commit
from ludolog.record.updates import Moment, moments, update


class BrokenChain(Exception):
    """A commit doesn't continue its match, or follows its end: corruption, or another match."""


class Step(msgspec.Struct, frozen=True):
    """One commit between two states of its match; `before` is None for the first."""

    commit: log_pb2.Commit
    before: Match[Any] | None
    after: Match[Any]


class Story:
    """A match from one of its commits up to the newest, folded as commits come in."""

    def __init__(self, rulebook: Rulebook[Any], most_steps: int | None = None) -> None:
        """Begin before the first commit. With `most_steps`, older ones are forgotten."""
        self.rulebook = rulebook
        self.head = Head()
        self.match: Match[Any] = Match(rulebook.blank)
        self._most = most_steps
        self._steps: list[Step] = []
        self._told: tuple[int, Sequence[Moment]] = (0, ())
        """(number, moments) of the step that was last told of: one audience after the other asks for it."""

    @property
    def steps(self) -> Sequence[Step]:
        """The steps that are remembered, in order."""
        return self._steps

    @property
    def first(self) -> int:
        """Number of the first step that is remembered; head + 1 where there is none."""
        return self.head.sequence - len(self._steps) + 1

    @property
    def over(self) -> bool:
        """The match has ended."""
        return self.match.outcome is not None

    def extend(self, record: bytes, commit: log_pb2.Commit) -> None:
        """Fold the next commit, whose stored record is given. BrokenChain, UnknownEvent: nothing has changed."""
        if self.over or not continues(self.head, commit):
            raise BrokenChain(f"{commit.stream_id}: number {commit.sequence} doesn't continue {self.head.sequence}")
        before = self.match if self.head.sequence else None
        after = apply_commit(self.rulebook, self.match, commit)
        self._steps.append(Step(commit, before, after))
        self.match, self.head = after, next_head(record, commit)
        self.trim()

    def trim(self, most_steps: int | None = None) -> None:
        """Forget the oldest steps beyond a number: the given one, from now on, or the one that was set."""
        self._most = most_steps or self._most
        if self._most is not None and len(self._steps) > self._most:
            del self._steps[: len(self._steps) - self._most]

    def step(self, sequence: int) -> Step:
        """A step that is remembered. LookupError."""
        if not self.first <= sequence <= self.head.sequence:
            raise LookupError(f"step {sequence} isn't remembered: {self.first} to {self.head.sequence} are")
        return self._steps[sequence - self.first]

    def update(self, sequence: int, viewer: Viewer, *, snapshot: bool = False) -> match_pb2.Update:
        """What a viewer is told of a step. LookupError; the same bytes at any time, live and later."""
        step = self.step(sequence)
        story = () if snapshot else self._moments(sequence, step)
        return update(self.rulebook, step.before, step.after, step.commit, viewer, snapshot=snapshot, story=story)

    def _moments(self, sequence: int, step: Step) -> Sequence[Moment]:
        if self._told[0] != sequence:
            self._told = sequence, moments(self.rulebook, step.before, step.commit)
        return self._told[1]
