"""The harness can fail: platforms that leak in one place each, and where the leak is found."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from google.protobuf.message import Message
from msgspec import structs

from ludolog.kernel import OMNISCIENT, Refusal, Rulebook, Seat, Viewer
from ludolog.rulebooks import catalogue
from services.engine.engine import Engine
from services.engine.service import EngineService
from services.replay import access
from services.spectator import watching
from tests.contract.secrecy.harness import Leak, judge
from tests.contract.secrecy.pairs import Pair, pairs_of

NAME = "tempel_des_schreckens"
PAIRS = 40
Patch: TypeAlias = Callable[[pytest.MonkeyPatch], None]


def hidden(game: Any) -> bytes:
    """Something that tells two states apart."""
    return hashlib.sha256(msgspec.msgpack.encode(game)).digest()[:4]


def with_extra(message: Any, data: bytes) -> Any:
    """The message with one field more, number 1000, that no schema has."""
    message.MergeFromString(b"\xc2\x3e" + bytes([len(data)]) + data)
    return message


# ---- rulebooks that tell too much


def leaky_view(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    return replace(rulebook, view=lambda game, viewer: with_extra(rulebook.view(game, viewer), hidden(game)))


def leaky_size(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    def view(game: Any, viewer: Viewer) -> Message:
        padded: Message = with_extra(rulebook.view(game, viewer), b"x" * (1 + hidden(game)[0] % 2))
        return padded

    return replace(rulebook, view=view)


def leaky_feed(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    def feed(before: Any, event: Message, after: Any, viewer: Viewer) -> tuple[Message, ...]:
        told = rulebook.feed(before, event, after, viewer)
        return tuple(with_extra(public, hidden(after)) for public in told)

    return replace(rulebook, feed=feed)


def leaky_list(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    def legal_commands(game: Any, seat: Seat) -> tuple[Any, ...]:
        entries = rulebook.legal_commands(game, seat)
        return tuple(structs.replace(entry, targets=(*entry.targets, hidden(game).hex())) for entry in entries)

    return replace(rulebook, legal_commands=legal_commands)


def leaky_refusal(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    def decide(game: Any, cause: Any, chance: Any) -> Any:
        try:
            return rulebook.decide(game, cause, chance)
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.section, **refusal.facts, hint=hidden(game).hex()) from None

    return replace(rulebook, decide=decide)


def leaky_turn(rulebook: Rulebook[Any]) -> Rulebook[Any]:
    def telling(game: Any, label: Any) -> Any:
        return structs.replace(label, text=hidden(game).hex())

    def awaiting(game: Any) -> tuple[Any, ...]:
        return tuple(structs.replace(one, label=telling(game, one.label)) for one in rulebook.awaiting(game))

    return replace(rulebook, awaiting=awaiting)


@pytest.mark.parametrize(
    ("leaky", "where"),
    [
        (leaky_view, "live|play|view at first"),
        (leaky_size, "live|play|view at first"),
        (leaky_feed, "live|play"),
        (leaky_list, "live|play|view at first|legal commands"),
        (leaky_refusal, "refusal"),
        (leaky_turn, "live|play|view at first"),
    ],
)
async def test_a_rulebook_that_tells_too_much(leaky: Any, where: str, tmp_path: Path) -> None:
    honest = catalogue.load(NAME)
    with pytest.raises(Leak, match=rf"^[^\n]*: ({where})"):
        await judge(tmp_path, honest, pairs_of(honest, PAIRS, "mutants"), leaky)


# ---- services that tell too much


def leaky_log(patch: pytest.MonkeyPatch) -> None:
    seated = EngineService._seated  # noqa: SLF001 - a mutant reaches where it likes

    async def telling(self: Any, *arguments: Any) -> Any:
        found = await seated(self, *arguments)
        logging.getLogger("services.engine").info("asked about %s", found[2].state.game)
        return found

    patch.setattr(EngineService, "_seated", telling)


def leaky_debug_line(patch: pytest.MonkeyPatch) -> None:
    seated = EngineService._seated  # noqa: SLF001 - a mutant reaches where it likes

    async def telling(self: Any, *arguments: Any) -> Any:
        found = await seated(self, *arguments)
        position = self._rulebook.position(found[2].state.game)
        logging.getLogger("services.engine").debug("asked about %s", position)
        return found

    patch.setattr(EngineService, "_seated", telling)


def leaky_metric(patch: pytest.MonkeyPatch) -> None:
    confirmed = Engine.confirmed

    def counting(self: Any, stream_id: str, before: Any, commit: Any, after: Any, head: Any) -> None:
        confirmed(self, stream_id, before, commit, after, head)
        self.host.metrics.counter("ludolog_states", "Too much.", ("of",)).labels(hidden(after.game).hex()).inc()

    patch.setattr(Engine, "confirmed", counting)


def leaky_late_join(patch: pytest.MonkeyPatch) -> None:
    told = watching.Stream._told  # noqa: SLF001 - a mutant reaches where it likes

    def telling(self: Any, story: Any, sequence: int, *, snapshot: bool = False) -> Any:
        viewer, self._viewer = self._viewer, OMNISCIENT if snapshot else self._viewer
        try:
            return told(self, story, sequence, snapshot=snapshot)
        finally:
            self._viewer = viewer

    patch.setattr(watching.Stream, "_told", telling)


def leaky_archive(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(access, "viewer_of", lambda *_: OMNISCIENT)


def reminding(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watching, "recalls", lambda *_: True)


@pytest.mark.parametrize(
    ("leaky", "where"),
    [
        (leaky_log, "log"),
        (leaky_debug_line, "log or metrics"),
        (leaky_metric, "metrics"),
        (leaky_late_join, "late join|live|play"),
        (leaky_archive, "frame"),
        (reminding, "shown again what is to be remembered"),
    ],
)
async def test_a_service_that_tells_too_much(
    leaky: Patch, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = catalogue.load(NAME)
    pairs = pairs_of(honest, PAIRS, "mutants")
    assert any(needs_memory(pair) for pair in pairs)
    leaky(monkeypatch)
    with pytest.raises(Leak, match=rf"^[^\n]*({where})"):
        await judge(tmp_path, honest, pairs)


def needs_memory(pair: Pair) -> bool:
    """Whether something happens that the viewer has to remember."""
    return not pair.recalls and bool(pair.steps)
