"""Stored matches fold for ever: today's code sees in them what was seen when they were played."""

import json
from pathlib import Path

import pytest

from ludolog.record.file import read_record
from ludolog.record.verify import Verdict, verify
from ludolog.rulebooks import catalogue
from tests.golden.matches import HERE, records, views, views_file

STORED = [path for name in catalogue.names() for path in records(name)]
every_match = pytest.mark.parametrize("path", STORED, ids=lambda path: str(path.relative_to(HERE)))


@every_match
def test_a_stored_match_looks_as_it_did(path: Path) -> None:
    record = read_record(path.read_bytes())
    seen = views(catalogue.load(path.parent.name), record.commits)
    stored = json.loads(views_file(path).read_text())
    assert seen["last_view"] == stored["last_view"]
    assert seen["views"] == stored["views"], "a view in mid-match has changed"


@every_match
def test_a_stored_match_verifies_or_is_of_other_rules(path: Path) -> None:
    """Matches of the present rules and content are decided again; older ones can only be folded."""
    report = verify(path.read_bytes())
    broken = [check for check in report.checks if check.verdict is Verdict.BROKEN]
    assert not broken, report
    record = read_record(path.read_bytes())
    rulebook = catalogue.load(path.parent.name)
    same_content = record.header.content_digest == rulebook.content_digest.hex()
    if record.header.rules_version == rulebook.rules_version and same_content:
        assert report.holds


@pytest.mark.parametrize("name", catalogue.names())
def test_the_present_rules_version_has_golden_matches(name: str) -> None:
    versions = {read_record(path.read_bytes()).header.rules_version for path in records(name)}
    assert catalogue.load(name).rules_version in versions, f"make golden RULEBOOK={name}"


def test_every_record_has_its_views_and_no_views_are_left_behind() -> None:
    stored = {views_file(path) for path in STORED}
    assert stored == set(HERE.rglob("*.views.json"))
