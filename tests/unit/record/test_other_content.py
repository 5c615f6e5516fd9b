"""A match goes on, is shown and is judged with the content that it was begun with, or plainly not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance
from ludolog.kernel import OMNISCIENT, SPECTATOR, Kind, OtherContent, Seat, Seated, Viewer, random_command
from ludolog.record.commits import parse_record
from ludolog.record.match import Match, judge_cause
from ludolog.record.story import Story
from ludolog.record.updates import legal_commands, present
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Setting, Table, match_id_of

EYES: tuple[Viewer, ...] = (SPECTATOR, OMNISCIENT, Seated(Seat(1)))
MOVES = 5
GAMES = pytest.mark.parametrize("name", catalogue.names())


def edition(folder: Path, name: str, text: bytes) -> None:
    """Replace a file of a game's content by one that says the same in other bytes."""
    content = catalogue.read_content(name)
    folder.mkdir(parents=True)
    (folder / "box.toml").write_bytes(content["box.toml"] + text)


def begun(name: str, override: Path | None) -> Table:
    """A match with the content of a folder, some moves on."""
    rulebook = catalogue.open_rulebook(name, override)
    setting = Setting(match_id_of(name, "content"), rulebook.seats[0], rulebook.options_type(), bytes(32))
    table = Table(rulebook, setting)
    luck = BlockChance(bytes(32))
    for _ in range(MOVES):
        seat = rulebook.awaiting(table.game)[0].seat
        moves = [entry for entry in rulebook.legal_commands(table.game, seat) if entry.kind is Kind.MOVE]
        payload = random_command(rulebook.view_type(), moves, seat, luck)
        assert payload is not None
        table.command(seat, payload)
    return table


def story_of(table: Table, override: Path | None) -> Story:
    """The match as a platform sees it whose content is in a folder."""
    story = Story(catalogue.open_rulebook(table.rulebook.name, override))
    for record in table.records:
        story.extend(record, parse_record(record).commit)
    return story


def shown(story: Story) -> Iterator[bytes]:
    """All that anybody is told of a match."""
    for viewer in EYES:
        yield from (story.update(step, viewer).SerializeToString() for step in range(1, story.head.sequence + 1))
        yield present(story.rulebook, story.match, story.head.sequence, viewer).SerializeToString()


@GAMES
def test_a_match_of_the_rooms_own_content_goes_on_when_that_is_replaced(name: str, tmp_path: Path) -> None:
    edition(tmp_path / name, name, b"\n# replaced\n")
    table = begun(name, None)
    here, there = story_of(table, None), story_of(table, tmp_path)
    assert here.rulebook.content_digest != there.rulebook.content_digest
    assert list(shown(here)) == list(shown(there))


@GAMES
def test_replaced_content_that_is_kept_serves_the_matches_begun_with_it(name: str, tmp_path: Path) -> None:
    edition(tmp_path / "old" / name, name, b"\n# old\n")
    table = begun(name, tmp_path / "old")
    edition(tmp_path / "new" / name, name, b"\n# new\n")
    edition(tmp_path / "new" / name / "earlier" / "2026", name, b"\n# old\n")
    assert list(shown(story_of(table, tmp_path / "old"))) == list(shown(story_of(table, tmp_path / "new")))


@GAMES
def test_all_files_of_an_earlier_version_stand_by_themselves(name: str, tmp_path: Path) -> None:
    files = {**catalogue.read_content(name), "of_that_version.toml": b"# whatever it held"}
    folder = tmp_path / name / "earlier" / "1.0.0"
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    assert catalogue.open_rulebook(name, tmp_path).has_content(catalogue.digest(files))
    assert not catalogue.open_rulebook(name).has_content(catalogue.digest(files))


def test_a_folder_that_would_be_overlooked_is_named(tmp_path: Path) -> None:
    name = catalogue.names()[0]
    (tmp_path / ".DS_Store").touch()
    assert catalogue.read_content(name, tmp_path) == catalogue.read_content(name)
    (tmp_path / "claustrofobia").mkdir()
    with pytest.raises(ValueError, match="claustrofobia replaces nothing: rulebooks are beast_hunter"):
        catalogue.read_content(name, tmp_path)
    with pytest.raises(ValueError, match="missing isn't a folder"):
        catalogue.read_content(name, tmp_path / "missing")


@GAMES
def test_what_is_gone_is_refused_and_nothing_stands_in_for_it(name: str, tmp_path: Path) -> None:
    edition(tmp_path / name, name, b"\n# gone\n")
    table = begun(name, tmp_path)
    story = story_of(table, None)
    match: Match[object] = story.match
    assert (story.head.sequence, match.seats, match.game) == (
        len(table.records),
        table.setting.seats,
        story.rulebook.blank,
    )
    resigned = log_pb2.MatchCause(resigned=log_pb2.Resigned(seat=1))
    for ask in (
        lambda: story.update(1, SPECTATOR),
        lambda: present(story.rulebook, match, 1, OMNISCIENT),
        lambda: legal_commands(story.rulebook, match, Seated(Seat(1))),
        lambda: judge_cause(story.rulebook, match, resigned, BlockChance(None)),
    ):
        with pytest.raises(OtherContent, match=table.rulebook.content_digest.hex()):
            ask()


@GAMES
def test_a_match_whose_content_is_gone_can_be_called_off(name: str, tmp_path: Path) -> None:
    edition(tmp_path / name, name, b"\n# gone\n")
    story = story_of(begun(name, tmp_path), None)
    cause = log_pb2.MatchCause(aborted=log_pb2.Aborted())
    ending = judge_cause(story.rulebook, story.match, cause, BlockChance(None)).ending
    assert ending is not None
    assert ending.outcome.reason == "ABORTED"


def test_what_is_kept_replaces_files_of_the_room(tmp_path: Path) -> None:
    name = catalogue.names()[0]
    edition(tmp_path / name / "earlier" / "x", name, b"")
    (tmp_path / name / "earlier" / "x" / "other.toml").touch()
    with pytest.raises(ValueError, match=r"other\.toml replaces nothing"):
        catalogue.open_rulebook(name, tmp_path)
