"""A small working room to start from: proto, room, scenarios and the catalogue's line, with a name of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
SHORT = re.compile(r"[a-z][a-z0-9]*")
_SUFFIX = ".tmpl"
_CATALOGUE = Path("libs/ludolog/rulebooks/catalogue.py")


class CantMake(ValueError):
    """The room can't be made: a bad or taken name, or a folder that isn't the project's."""


def make(name: str, root: Path, *, short: str = "", title: str = "") -> list[Path]:
    """Write the room into the checkout at `root`. Returns what was written, relative to it; nothing is overwritten.

    `short` starts the ids of its matches (default: the name's first word, or all of it where that is taken).
    CantMake for a name that isn't lower_snake or is taken, or a folder that isn't a checkout.
    """
    catalogue = root / _CATALOGUE
    if not catalogue.is_file():
        raise CantMake(f"{root} isn't a checkout of Ludolog: {_CATALOGUE} is missing")
    lines = _lines(catalogue.read_text())
    short = short or _short(name, set(lines.values()))
    if not NAME.fullmatch(name) or not SHORT.fullmatch(short):
        raise CantMake(f"a name is lower_snake and a short name letters and digits, not {name!r}, {short!r}")
    if name in lines or short in lines.values():
        raise CantMake(f"{name} or {short} stands in the catalogue already")
    words = {"name": name, "short": short, "title": title or name.replace("_", " ").title()}
    planned = dict(_files(words))
    for path in planned:
        if (root / path).exists():
            raise CantMake(f"{path} exists already")
    for path, text in planned.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    _add_line(catalogue, name, short)
    return [*planned, _CATALOGUE]


def _lines(catalogue: str) -> dict[str, str]:
    body = catalogue.partition("CATALOGUE = {")[2].partition("\n}")[0]
    return dict(re.findall(r'^    "(\w+)": "(\w+)",', body, re.MULTILINE))


def _short(name: str, taken: set[str]) -> str:
    first = name.partition("_")[0]
    return first if first not in taken else name.replace("_", "")


def _files(words: dict[str, str]) -> Iterator[tuple[Path, str]]:
    name = words["name"]
    places = {
        "room": Path("libs/ludolog/rulebooks") / name,
        "scenarios": Path("tests/scenarios") / name,
        "proto": Path("protos/ludolog/api/games") / name / "v1" / f"{name}.proto",
    }
    templates = resources.files("ludolog.testkit") / "new_room"
    for part, place in places.items():
        if part == "proto":
            yield place, _filled(templates / f"proto{_SUFFIX}", words)
        else:
            for relative, source in _walk(templates / part, Path()):
                yield place / relative, _filled(source, words)


def _walk(folder: Traversable, relative: Path) -> Iterator[tuple[Path, Traversable]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _walk(item, relative / item.name)
        elif item.name.endswith(_SUFFIX):
            yield relative / item.name.removesuffix(_SUFFIX), item


def _filled(template: Traversable, words: dict[str, str]) -> str:
    return re.sub(r"@@(\w+)@@", lambda found: words[found[1]], template.read_text(encoding="utf-8"))


def _add_line(catalogue: Path, name: str, short: str) -> None:
    before, opening, rest = catalogue.read_text().partition("CATALOGUE = {")
    body, closing, after = rest.partition("\n}")
    catalogue.write_text(f'{before}{opening}{body}\n    "{name}": "{short}",{closing}{after}')
