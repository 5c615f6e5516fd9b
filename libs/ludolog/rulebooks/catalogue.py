"""Every rulebook that is played here: one line each. Deployment, gateway, tests and pages read it."""

from __future__ import annotations

import hashlib
import importlib
import re
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from ludolog.kernel import Content, Rulebook, random_command

CATALOGUE = {
    # name of the room → what its match ids start with
    "beast_hunter": "beast",
    "tempel_des_schreckens": "tempel",
    "warlock_of_firetop_mountain": "warlock",
}
EARLIER = "earlier"
"""Folder beside the files that replace content: what they replace, a folder for each time."""
HOW_TO_PLAY = "how_to_play.md"
"""In every room: headings, paragraphs and lists in plain Markdown."""
MATCH_ID = re.compile(r"(?P<short>[a-z][a-z0-9]*)-[a-z2-7]{26}")


class UnknownRulebook(LookupError):
    """No rulebook of that name, or a match id of no rulebook."""


def names() -> tuple[str, ...]:
    """Names of the rulebooks, sorted."""
    return tuple(sorted(CATALOGUE))


def read_content(name: str, override: Path | None = None) -> Content:
    """Read a rulebook's content files, name → bytes; a file `override/<name>/<file>` stands in for the printed one.

    UnknownRulebook; ValueError for an override that isn't there, or that replaces nothing.
    """
    if override:
        _check(override)
    return _replaced(name, override / name if override else None)


def _check(override: Path) -> None:
    """A misspelt folder would be overlooked otherwise, and matches begun with other content than was meant."""
    if not override.is_dir():
        msg = f"{override} isn't a folder: content is replaced by <folder>/<rulebook>/<file>"
        raise ValueError(msg)
    for path in _visible(override):
        if path.is_dir() and path.name not in CATALOGUE:
            msg = f"{path} replaces nothing: rulebooks are {', '.join(names())}"
            raise ValueError(msg)


def _visible(folder: Path) -> list[Path]:
    """What stands in a folder, but for what an operating system leaves there (.DS_Store, ..data of a ConfigMap)."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _replaced(name: str, replacing: Path | None) -> Content:
    _known(name)
    folder = resources.files(f"ludolog.rulebooks.{name}") / "content"
    content = {item.name: item.read_bytes() for item in folder.iterdir() if item.is_file()}
    for path in _visible(replacing) if replacing and replacing.is_dir() else ():
        if path.name == EARLIER and path.is_dir():
            continue
        if path.name not in content:
            msg = f"{path.name} replaces nothing: {name} has {', '.join(sorted(content))}"
            raise ValueError(msg)
        content[path.name] = path.read_bytes()
    return dict(sorted(content.items()))


def digest(content: Content) -> bytes:
    """SHA-256 over name and bytes of each file, length-prefixed (8 bytes, big-endian), by name."""
    sha = hashlib.sha256()
    for name, data in sorted(content.items()):
        for part in (name.encode(), data):
            sha.update(len(part).to_bytes(8, "big") + part)
    return sha.digest()


def build(name: str, content: Content) -> Rulebook[Any]:
    """Bind a rulebook to content; what every game has the same way (digest, random player) is added here.

    ValueError where the content doesn't check, or the room has no `how_to_play.md`.
    """
    _known(name)
    module = importlib.import_module(f"ludolog.rulebooks.{name}.rulebook")
    rulebook: Rulebook[Any] = module.load(content)
    return replace(
        rulebook,
        content=content,
        content_digest=digest(content),
        how_to_play=_how_to_play(name),
        bots={**rulebook.bots, "random": random_command},
    )


def _how_to_play(name: str) -> str:
    page = resources.files(f"ludolog.rulebooks.{name}") / HOW_TO_PLAY
    if not page.is_file():
        msg = f"{name} has no {HOW_TO_PLAY}"
        raise ValueError(msg)
    return page.read_text(encoding="utf-8")


def open_rulebook(name: str, override: Path | None = None) -> Rulebook[Any]:
    """A rulebook with the content of new matches, and every earlier one that matches may have been begun with.

    That is the room's own, and what each folder in `override/<name>/earlier` holds: as files that stood in for the
    room's own, as they are today; and, where they are all that a match needs, as a whole content by themselves. A match
    names the digest of what it was begun with, so both may be there. ValueError, UnknownRulebook.
    """
    rulebook = build(name, read_content(name, override))
    kept = override / name / EARLIER if override else None
    folders = [path for path in _visible(kept) if path.is_dir()] if kept and kept.is_dir() else []
    found = [_replaced(name, None), *(content for folder in folders for content in _kept(name, folder))]
    earlier = {digest(content): content for content in found}
    earlier.pop(rulebook.content_digest, None)
    if not earlier:
        return rulebook
    return replace(rulebook, earlier={key: build(name, content) for key, content in earlier.items()})


def _kept(name: str, folder: Path) -> list[Content]:
    """What a folder of earlier files may mean. ValueError where it means nothing."""
    whole = {path.name: path.read_bytes() for path in _visible(folder)}
    try:
        build(name, whole)
    except ValueError:
        return [_replaced(name, folder)]
    try:
        build(name, replaced := _replaced(name, folder))
    except ValueError:
        return [whole]
    return [whole, replaced]


@cache
def load(name: str) -> Rulebook[Any]:
    """Load a rulebook with the content of its own room."""
    return build(name, read_content(name))


def build_all(override: Path | None = None) -> dict[str, Rulebook[Any]]:
    """Every rulebook by name, with content that may be overridden (see `read_content`), and earlier content."""
    return {name: open_rulebook(name, override) for name in names()}


@lru_cache(4096)
def of_match(match_id: str) -> str:
    """Name of the rulebook that a match id belongs to. UnknownRulebook where it belongs to none."""
    found = MATCH_ID.fullmatch(match_id)
    for name, short in CATALOGUE.items():
        if found and found["short"] == short:
            return name
    msg = f"{match_id!r} isn't the id of a match of any rulebook here"
    raise UnknownRulebook(msg)


def _known(name: str) -> None:
    if name not in CATALOGUE:
        msg = f"{name!r} isn't a rulebook here: {', '.join(names())}"
        raise UnknownRulebook(msg)
