"""Scenario files (docs/add-a-rulebook.md, "Scenario files"): from YAML to checked values; the unknown is an error."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from ludolog.kernel import OMNISCIENT, SPECTATOR, Seat, Seated, Viewer

Json: TypeAlias = Any
UNSET: Any = object()
"""Stands for a part of `then` that a scenario doesn't check."""


class ScenarioError(Exception):
    """A file that isn't a scenario: what is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Step:
    """One cause and what is expected of it. `events` None: any; `refused` empty: it is accepted."""

    kind: Literal["setup", "command", "timed_out", "resigned"]
    seat: int = 0
    command: Json = None
    decision_id: str = ""
    events: list[Json] | None = None
    refused: str = ""
    section: str | None = None
    facts: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Expectations:
    """What holds after the last step."""

    views: Mapping[Viewer, Json]
    hidden: Mapping[Viewer, tuple[str, ...]]
    legal: Mapping[int, list[Json]]
    awaiting: Any = UNSET
    outcome: Any = UNSET


@dataclass(frozen=True, slots=True)
class Scenario:
    """One document of a scenario file."""

    path: Path
    line: int
    rulebook: str
    title: str
    section: str
    rules: tuple[str, ...]
    seats: int
    options: Json
    position: Json
    draws: Mapping[str, list[Json]]
    steps: tuple[Step, ...]
    then: Expectations


class _Loader(yaml.SafeLoader):
    """YAML without duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - yaml's signature
        """Make a dict. ConstructorError for a key that stands twice."""
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_file(path: Path) -> list[Scenario]:
    """Read all scenarios of a file. ScenarioError names file, line and problem; OSError where it can't be read."""
    try:
        documents = list(_documents(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: isn't YAML: {error}") from error
    if not documents:
        raise ScenarioError(f"{path}: holds no scenario")
    return [_scenario(path, line, document) for line, document in documents]


def _documents(text: str) -> Iterator[tuple[int, Any]]:
    loader: Any = _Loader(text)  # yaml's stubs leave these methods untyped
    try:
        while loader.check_node():
            node = loader.get_node()
            document = loader.construct_document(node)
            if document is not None:
                yield node.start_mark.line + 1, document
    finally:
        loader.dispose()


def _scenario(path: Path, line: int, document: Any) -> Scenario:
    try:
        return _read_scenario(path, line, document)
    except ScenarioError as error:
        title = document.get("title") if isinstance(document, dict) else None
        raise ScenarioError(f"{path}:{line}: {title or 'untitled'}: {error}") from None


def _read_scenario(path: Path, line: int, document: Any) -> Scenario:
    top = _keys(document, "the scenario", {"rulebook", "title", "section", "given"}, {"rules", "when", "then"})
    given = _keys(top["given"], "given", {"seats"}, {"options", "position", "draws"})
    position = given.get("position")
    steps = tuple(_step(number, step) for number, step in enumerate(_list(top.get("when"), "when"), 1))
    for number, step in enumerate(steps, 1):
        if step.kind == "setup" and (number > 1 or position is not None):
            raise ScenarioError(f"when, step {number}: set-up comes first, and only without a position")
    draws = _mapping(given.get("draws"), "given.draws")
    return Scenario(
        path=path,
        line=line,
        rulebook=_text(top["rulebook"], "rulebook"),
        title=_text(top["title"], "title"),
        section=_text(top["section"], "section"),
        rules=tuple(str(rule) for rule in _list(top.get("rules"), "rules")),
        seats=_whole(given["seats"], "given.seats"),
        options=_mapping(given.get("options"), "given.options"),
        position=position,
        draws={str(purpose): _list(values, f"given.draws.{purpose}") for purpose, values in draws.items()},
        steps=steps,
        then=_expectations(_mapping(top.get("then"), "then")),
    )


def _step(number: int, step: Any) -> Step:
    where = f"when, step {number}"
    kinds = {"setup", "command", "timed_out", "resigned"}
    found = _keys(step, where, set(), kinds | {"seat", "decision_id", "events", "refused", "section", "facts"})
    named = sorted(kinds & found.keys())
    if len(named) != 1:
        raise ScenarioError(f"{where}: needs exactly one of {', '.join(sorted(kinds))}")
    for stranger in {"seat", "decision_id"} & found.keys() if named != ["command"] else ():
        raise ScenarioError(f"{where}: {stranger} belongs to a command")
    cause: dict[str, Any]
    match named[0]:
        case "command":
            seat = _whole(found.get("seat"), f"{where}: seat")
            cause = {"seat": seat, "command": found["command"], "decision_id": str(found.get("decision_id", ""))}
        case "timed_out":
            timed = _keys(found["timed_out"], f"{where}: timed_out", {"seat"}, {"decision"})
            cause = {"seat": _whole(timed["seat"], f"{where}: seat"), "decision_id": str(timed.get("decision", ""))}
        case "resigned":
            cause = {"seat": _whole(found["resigned"], f"{where}: resigned")}
        case _:
            cause = {}
    refused = _text(found["refused"], f"{where}: refused") if "refused" in found else ""
    if not refused and ("section" in found or "facts" in found):
        raise ScenarioError(f"{where}: section and facts belong to a refusal")
    if refused and "events" in found:
        raise ScenarioError(f"{where}: a refusal has no events")
    return Step(
        kind=named[0],  # type: ignore[arg-type]  # one of `kinds`
        events=_list(found["events"], f"{where}: events") if "events" in found else None,
        refused=refused,
        section=_text(found["section"], f"{where}: section") if "section" in found else None,
        facts=_mapping(found["facts"], f"{where}: facts") if "facts" in found else None,
        **cause,
    )


def _expectations(then: dict[Any, Any]) -> Expectations:
    _keys(then, "then", set(), {"views", "hidden", "awaiting", "legal", "outcome"})
    hidden = _mapping(then.get("hidden"), "then.hidden")
    legal = _mapping(then.get("legal"), "then.legal")
    return Expectations(
        views={viewer(key, "then.views"): view for key, view in _mapping(then.get("views"), "then.views").items()},
        hidden={
            viewer(key, "then.hidden"): tuple(str(name) for name in _list(names, f"then.hidden.{key}"))
            for key, names in hidden.items()
        },
        legal={_whole(seat, "then.legal"): _list(entries, f"then.legal.{seat}") for seat, entries in legal.items()},
        awaiting=_list(then["awaiting"], "then.awaiting") if "awaiting" in then else UNSET,
        outcome=then.get("outcome", UNSET),
    )


def viewer(key: Any, where: str) -> Viewer:
    """A seat's number, `spectator` or `omniscient` → viewer. ScenarioError for anything else."""
    match key:
        case "spectator":
            return SPECTATOR
        case "omniscient":
            return OMNISCIENT
        case int() if not isinstance(key, bool) and key >= 1:
            return Seated(Seat(key))
    raise ScenarioError(f"{where}: {key!r} is neither a seat (from 1) nor spectator nor omniscient")


def _keys(value: Any, where: str, required: set[str], optional: set[str]) -> dict[str, Any]:
    found = _mapping(value, where)
    if missing := sorted(required - found.keys()):
        raise ScenarioError(f"{where}: {', '.join(missing)} is missing")
    if strangers := sorted(map(str, found.keys() - required - optional)):
        known = ", ".join(sorted(required | optional))
        raise ScenarioError(f"{where}: unknown: {', '.join(strangers)} (known: {known})")
    return found


def _mapping(value: Any, where: str) -> dict[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ScenarioError(f"{where}: must be a mapping, not {value!r}")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise ScenarioError(f"{where}: must be a list, not {value!r}")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise ScenarioError(f"{where}: must be a text, not {value!r}")
    return value


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ScenarioError(f"{where}: must be a whole number, not {value!r}")
    return value
