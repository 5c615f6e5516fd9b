"""Content checks itself on load: whatever a file lacks or gets wrong is a ValueError that names the file."""

from __future__ import annotations

import pytest

from ludolog.rulebooks import catalogue

every_file = pytest.mark.parametrize(
    ("room", "file"), [(room, file) for room in catalogue.names() for file in catalogue.read_content(room)]
)


def refused(room: str, file: str, old: str, new: str, problem: str) -> None:
    """Loading the room with the first `old` of a file replaced is refused, for a reason that matches `problem`."""
    content = catalogue.read_content(room)
    text = content[file].decode()
    assert old in text
    with pytest.raises(ValueError, match=problem):
        catalogue.build(room, {**content, file: text.replace(old, new, 1).encode()})


@every_file
def test_a_missing_file_is_named(room: str, file: str) -> None:
    with pytest.raises(ValueError, match=file):
        catalogue.build(room, {name: data for name, data in catalogue.read_content(room).items() if name != file})


@every_file
def test_a_file_that_isnt_toml_is_named(room: str, file: str) -> None:
    with pytest.raises(ValueError, match=file):
        catalogue.build(room, {**catalogue.read_content(room), file: b"\x00 not content"})


@every_file
def test_an_entry_has_a_source_and_says_where(room: str, file: str) -> None:
    refused(room, file, "source = ", "gossip = ", f"{file}: an entry without source")
    refused(room, file, "section = ", "chapter = ", f"{file}: an entry without source")
