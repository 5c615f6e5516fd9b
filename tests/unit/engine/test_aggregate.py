"""A match as the owner sees it: snapshots give back the same match, draws come from the right block."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import Unavailable
from ludolog.fairness import entropy_digest
from ludolog.kernel import BadInput, Refusal
from ludolog.record.match import BlockRequest, Match
from ludolog.rulebooks import catalogue
from services.engine.aggregate import Matches, next_block, room_sources
from services.engine.blocks import Blocks
from services.engine.founding import LONGEST_DECISION_MS
from tests.unit.engine.play import MATCH_ID, RULEBOOK, Game, cause_of, founding


class Rng:
    """Gives blocks, and remembers which were asked for."""

    def __init__(self) -> None:
        self.asked: list[BlockRequest] = []
        self.away = False

    async def __call__(self, match_id: str, wanted: BlockRequest) -> bytes:
        assert match_id == MATCH_ID
        self.asked.append(wanted)
        if self.away:
            raise Unavailable("away")
        return hashlib.sha256(bytes([wanted.index]) + wanted.entropy_digest).digest()


@pytest.fixture
def rng() -> Rng:
    return Rng()


@pytest.fixture
def blocks(rng: Rng) -> Blocks:
    return Blocks(rng)


@pytest.fixture
def matches(blocks: Blocks) -> Matches[Any]:
    return Matches(RULEBOOK, blocks, room_sources(RULEBOOK.name))


def create_cause(create: log_pb2.CreateMatch) -> log_pb2.Cause:
    return cause_of("matchmaking", f"create:{MATCH_ID}", log_pb2.MatchCause(create=create))


def test_a_snapshot_gives_back_the_same_match_at_every_commit(matches: Matches[Any]) -> None:
    game = Game(create=founding(decision_ms=60_000))
    game.play_on()
    for match in (matches.blank(MATCH_ID), *(after for _, _, after in game.steps)):
        again = matches.load(matches.dump(match))
        assert again == match
        assert type(again.game) is type(match.game)
        assert matches.finished(again) is (match.outcome is not None)
    assert matches.finished(game.match)


@pytest.mark.parametrize("data", [b"", b"\x93\x01", b"\xc0", b"\xff" * 10])
def test_what_isnt_a_snapshot_is_a_value_error(matches: Matches[Any], data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        matches.load(data)


def test_a_snapshot_of_another_founding_or_state_is_a_value_error(matches: Matches[Any]) -> None:
    data = matches.dump(Game().match)
    with pytest.raises(ValueError, match=r".+"):
        matches.load(data[: len(data) // 2])


def test_matches_with_a_clock_are_attended_and_no_others(matches: Matches[Any]) -> None:
    def first(seconds: int) -> log_pb2.Commit:
        create = founding()
        create.decision_time.seconds = seconds
        body = log_pb2.MatchCause(create=create).SerializeToString()
        return log_pb2.Commit(sequence=1, cause=log_pb2.Cause(body=body))

    assert matches.attended(first(60))
    assert not matches.attended(first(0))
    assert matches.attended(log_pb2.Commit(sequence=1, cause=log_pb2.Cause(body=b"\xff")))


def test_the_code_digest_changes_with_code_content_and_version(blocks: Blocks) -> None:
    sources = room_sources(RULEBOOK.name)
    assert any(b"def evolve" in source for source in sources)
    digests = {
        Matches(rulebook, blocks, code).code_digest
        for rulebook, code in (
            (RULEBOOK, sources),
            (RULEBOOK, [*sources[:-1], sources[-1] + b"\n"]),
            (replace(RULEBOOK, rules_version="0"), sources),
            (replace(RULEBOOK, content_digest=b"x" * 32), sources),
            (replace(RULEBOOK, name="another"), sources),
        )
    }
    assert len(digests) == 5
    assert Matches(RULEBOOK, blocks, room_sources(RULEBOOK.name)).code_digest in digests


async def test_the_founding_draws_from_the_first_block_of_its_players(matches: Matches[Any], rng: Rng) -> None:
    create = founding()
    proposal = await matches.decide(MATCH_ID, matches.blank(MATCH_ID), create_cause(create))
    assert proposal.draw_index == 1
    assert rng.asked == [BlockRequest("k1", 1, entropy_digest(seat.entropy for seat in create.seats))]
    assert proposal.rules_version == RULEBOOK.rules_version


async def test_a_block_that_is_here_is_drawn_from_without_asking(
    matches: Matches[Any], blocks: Blocks, rng: Rng
) -> None:
    blank = matches.blank(MATCH_ID)
    first = await matches.decide(MATCH_ID, blank, create_cause(founding()))
    assert (blocks.hits, blocks.misses) == (0, 1)
    assert await matches.decide(MATCH_ID, blank, create_cause(founding())) == first
    assert (blocks.hits, blocks.misses, len(rng.asked)) == (1, 1, 1)
    other = founding()
    other.seats[0].entropy = b"another contribution"
    assert await matches.decide(MATCH_ID, blank, create_cause(other)) != first
    assert len(rng.asked) == 2


async def test_while_the_rng_is_away_draws_are_unavailable_and_the_rest_goes_on(
    matches: Matches[Any], rng: Rng
) -> None:
    rng.away = True
    with pytest.raises(Unavailable):
        await matches.decide(MATCH_ID, matches.blank(MATCH_ID), create_cause(founding()))
    game = Game()
    proposal = await matches.decide(MATCH_ID, game.match, cause_of("seats/1", "c", game.move_cause()))
    assert proposal.draw_index == 0


async def test_aborting_what_was_never_founded_needs_no_block(matches: Matches[Any], rng: Rng) -> None:
    body = log_pb2.MatchCause(aborted=log_pb2.Aborted())
    proposal = await matches.decide(MATCH_ID, matches.blank(MATCH_ID), cause_of("engine", "abort", body))
    assert proposal.ending is not None
    assert (proposal.ending.key_id, rng.asked) == ("", [])
    game = Game()
    with pytest.raises(Refusal, match="NO_SUCH_MATCH"):
        await matches.decide(MATCH_ID, matches.blank(MATCH_ID), cause_of("seats/1", "c", game.move_cause()))


async def test_what_a_match_cant_be_founded_on_is_refused(matches: Matches[Any], rng: Rng) -> None:
    def changed(**fields: Any) -> log_pb2.CreateMatch:
        create = founding()
        for field, value in fields.items():
            setattr(create, field, value)
        return create

    late, early, named = founding(decision_ms=LONGEST_DECISION_MS + 1), founding(decision_ms=-1), founding()
    named.seats[1].player_id = "p" * 65
    for create in (
        changed(commitment=b"c" * 31),
        changed(key_id=""),
        changed(key_id="k" * 65),
        changed(options=b"o" * 20_000),
        changed(spectator_policy=9),
        late,
        early,
        named,
    ):
        with pytest.raises(BadInput):
            await matches.decide(MATCH_ID, matches.blank(MATCH_ID), create_cause(create))
    assert rng.asked == []


def test_the_next_block_is_known_between_founding_and_end() -> None:
    game = Game()
    wanted = next_block(game.match)
    assert wanted is not None
    assert (wanted.index, wanted.key_id) == (2, "k1")
    assert next_block(Match(RULEBOOK.blank)) is None
    game.play_on()
    assert next_block(game.match) is None


def test_every_rulebook_of_the_catalogue_has_sources() -> None:
    assert all(room_sources(name) for name in catalogue.names())
