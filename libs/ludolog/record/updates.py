"""What one audience learns of a commit: the only way from a match to bytes that leave the platform.

Everything is built from the rulebook's own `view`, `feed`, `legal_commands` and `awaiting`; nothing of the state or of
the commit (draws, entropy, command ids) is copied. Same match, commit and viewer → same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Rulebook, Seated, Viewer, wire
from ludolog.record.match import Match

S = TypeVar("S")


class Moment(msgspec.Struct, frozen=True):
    """One event of a commit, and the game before and after it."""

    before: Any
    event: Message
    after: Any


def update(
    rulebook: Rulebook[S],
    before: Match[S] | None,
    after: Match[S],
    commit: log_pb2.Commit,
    viewer: Viewer,
    *,
    snapshot: bool = False,
    story: Iterable[Moment] | None = None,
) -> match_pb2.Update:
    """The update of a commit for a viewer, without deadlines: those are the engine's.

    `before` is the match before the commit, None for the first one; a snapshot tells no story and doesn't need it.
    `story` is what `moments` gives, where that is known already. UnknownEvent where this version doesn't know an event,
    OtherContent where the match's content isn't here: so it is for everything that shows a match.
    """
    rulebook = rulebook.edition(after.content_digest)
    message = match_pb2.Update(sequence=commit.sequence, commit_time=commit.commit_time, snapshot=snapshot)
    _show(rulebook, after, viewer, message)
    if not snapshot:
        told = moments(rulebook, before, commit) if story is None else story
        message.events.extend(_told(rulebook, told, viewer))
    return message


def present(rulebook: Rulebook[S], match: Match[S], sequence: int, viewer: Viewer) -> match_pb2.Update:
    """A snapshot of a match for a viewer: `sequence` is the number of its last commit, the time is the match's.

    A match that was called off before its founding has an outcome and nothing else.
    """
    message = match_pb2.Update(sequence=sequence, snapshot=True)
    if match.commit_time_ms:
        message.commit_time.FromMilliseconds(match.commit_time_ms)
    _show(rulebook.edition(match.content_digest), match, viewer, message)
    return message


def _show(rulebook: Rulebook[S], match: Match[S], viewer: Viewer, message: match_pb2.Update) -> None:
    """How a match stands, for a viewer."""
    if match.founding is not None:
        wire.pack_into(message.view, rulebook.view(match.game, viewer))
    if match.outcome is not None:
        message.outcome.CopyFrom(match.outcome)
    elif match.founding is not None:
        message.awaiting.extend(wire.decisions(rulebook.awaiting(match.game)))
        if isinstance(viewer, Seated):
            # Merging bytes costs a third of copying the messages.
            message.MergeFromString(wire.listed(rulebook, rulebook.legal_commands(match.game, viewer.seat)))


def legal_commands(rulebook: Rulebook[S], match: Match[S], viewer: Viewer) -> list[match_pb2.LegalCommand]:
    """What the viewer may do now: nothing without a seat, before the founding, or after the end."""
    if not isinstance(viewer, Seated) or match.founding is None or match.outcome is not None:
        return []
    rulebook = rulebook.edition(match.content_digest)
    return [wire.legal_command(rulebook, entry) for entry in rulebook.legal_commands(match.game, viewer.seat)]


def moments(rulebook: Rulebook[S], before: Match[S] | None, commit: log_pb2.Commit) -> Sequence[Moment]:
    """What happened in a commit, event by event: the same for every viewer. UnknownEvent."""
    found = []
    rulebook = rulebook.edition(commit.content_digest if before is None else before.content_digest)
    game = rulebook.blank if before is None else before.game
    for data in commit.events:
        event = rulebook.events.decode_event(data)
        then, game = game, rulebook.evolve(game, event)
        found.append(Moment(then, event, game))
    return found


def _told(rulebook: Rulebook[Any], story: Iterable[Moment], viewer: Viewer) -> list[AnyMessage]:
    """What happened, in the rulebook's public events."""
    wrap = rulebook.public_events.wrap
    return [
        wire.pack(wrap(told))
        for moment in story
        for told in rulebook.feed(moment.before, moment.event, moment.after, viewer)
    ]
