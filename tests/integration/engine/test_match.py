"""Whole matches: from the founding to the end, log, receipts, repeats, reveal, restarts."""

from pathlib import Path

import grpc

from ludolog.api.engine.v1 import engine_pb2
from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.reveals import all_reveals
from ludolog.fairness import commitment
from ludolog.hosting import names, topic_of
from ludolog.record.commits import Head, continues, next_head
from ludolog.record.file import Receipt, write_record
from ludolog.record.match import Match, apply_commit
from ludolog.record.verify import verify
from ludolog.rulebooks import catalogue
from tests.infra.asking import refused
from tests.integration.engine.house import RULEBOOK, Table, running, stub


async def test_a_match_is_played_to_its_end_and_its_seed_is_revealed(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        assert (await table.found()).sequence == 1
        assert platform.log is not None
        last = await table.play_on(3)
        assert await all_reveals(platform.log) == {}
        last = await table.play_on()
        assert last.outcome.reason in {"ALL_GOLD", "ALL_FIRE", "TIME_UP"}
        assert not last.awaiting
        assert not (await table.legal(1)).legal_commands

        commits = await table.commits()
        head, match = Head(), Match(catalogue.load(RULEBOOK).blank)
        for counted in commits:
            assert continues(head, counted.commit)
            head = next_head(counted.value, counted.commit)
            match = apply_commit(catalogue.load(RULEBOOK), match, counted.commit)
        assert head.sequence == last.sequence == len(commits)
        assert match.outcome == last.outcome
        assert match.founding == table.founding
        assert commits[0].commit.draw_index == 1
        drawn = [counted.commit.draw_index for counted in commits if counted.commit.draw_index]
        assert drawn == list(range(1, len(drawn) + 1))

        seed = await table.seed()
        assert commitment(seed) == table.receipt.commitment
        record = write_record([counted.value for counted in commits], seed, key=platform.keys.signer)
        public_key = platform.keys.signer.public_key().public_bytes_raw()
        report = verify(record, receipt=Receipt.from_message(table.receipt), public_keys=[public_key])
        assert report.holds, report


async def test_metrics_tell_commands_by_result_and_draws_that_cost_no_hop(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform, seats=5)
        await table.found()
        await table.play_on()
        late = play_pb2.SubmitCommandRequest(name=table.at(1), command_id="late")
        late.command.Pack(catalogue.load(RULEBOOK).command_type())
        await refused(table.submit(1, late))
        commits = await table.commits()
        await platform.hosts[f"engine/{RULEBOOK}"].drain()

        def value(name: str, **labels: str) -> float:
            found = platform.metrics.registry.get_sample_value(
                f"ludolog_engine_{name}", {"rulebook": RULEBOOK, **labels}
            )
            return found or 0.0

        assert value("commands_total", kind="create", result="ok") == 1
        assert value("commands_total", kind="command", result="ok") == len(commits) - 1
        assert value("commands_total", kind="command", result="failed_precondition") == 1
        assert value("command_seconds_count", kind="command") == len(commits)
        draws = sum(counted.commit.draw_index > 0 for counted in commits)
        assert value("draws_total") == draws
        assert value("blocks_total", result="miss") == 1
        assert value("blocks_total", result="hit") == draws - 1
        assert value("refusals_total", reason="GAME_OVER") == 1
        events = {"topic": topic_of(RULEBOOK), "event": "broken_streams"}
        assert platform.metrics.registry.get_sample_value("ludolog_owner_events_total", events) == 0


async def test_a_repeat_gets_the_first_receipt_and_another_body_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        first = await table.found()
        assert await table.create() == first
        seat, request = await table.some_move("mine")
        receipt = await table.submit(seat, request)
        await table.move("next")
        assert await table.submit(seat, request) == receipt
        request.decision_id = "another"
        reused = await refused(table.submit(seat, request))
        assert (reused.code, reused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "COMMAND_ID_REUSED")
        assert len(await table.commits()) == 3
        table.founding.seats[0].player_id = "p-" + "a" * 26
        assert (await refused(table.create())).reason == "COMMAND_ID_REUSED"


async def test_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        await table.found()
        seat, request = await table.some_move("before")
        receipt = await table.submit(seat, request)
        before = await table.view(1)
    async with running(tmp_path) as platform:
        table.platform = platform
        assert await table.view(1) == before
        assert await table.submit(seat, request) == receipt
        last = await table.play_on()
        assert last.HasField("outcome")
        assert commitment(await table.seed()) == table.receipt.commitment
    async with running(tmp_path) as platform:
        table.platform = platform
        assert (await table.view(1)).outcome == last.outcome
        late = play_pb2.SubmitCommandRequest(name=request.name, command_id="late", command=request.command)
        over = await refused(table.submit(seat, late))
        assert (over.code, over.reason, over.domain) == (grpc.StatusCode.FAILED_PRECONDITION, "GAME_OVER", RULEBOOK)
        assert await table.submit(seat, request) == receipt


async def test_nothing_draws_while_the_rng_is_away_and_what_was_asked_then_can_be_repeated(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        await table.found()
    other = Table(platform)
    async with running(tmp_path, with_rng=False) as platform:
        other.platform, other.players = platform, table.players
        other.founding.CopyFrom(table.founding)
        away = await refused(other.create())
        assert (away.code, away.retry_after_ms is not None) == (grpc.StatusCode.UNAVAILABLE, True)
    async with running(tmp_path) as platform:
        other.platform = platform
        assert (await other.create()).sequence == 1


async def test_a_match_that_is_called_off_is_over_and_one_that_isnt_there_is_founded_as_over(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        engine = stub(platform, "matchmaking")
        table = Table(platform)
        await table.found()
        abort = engine_pb2.AbortMatchRequest(name=names.match_name(table.match_id), reason="nobody came")
        assert (await engine.AbortMatch(abort)).sequence == 2
        assert (await engine.AbortMatch(abort)).sequence == 2
        now = await table.view(1)
        assert (now.outcome.reason, len(now.awaiting), len(now.legal_commands)) == ("ABORTED", 0, 0)

        unfounded = Table(platform)
        abort.name = names.match_name(unfounded.match_id)
        assert (await engine.AbortMatch(abort)).sequence == 1
        assert (await refused(unfounded.found())).reason == "ALREADY_FOUNDED"
        assert (await refused(unfounded.view(1))).code is grpc.StatusCode.NOT_FOUND
        [only] = await unfounded.commits()
        assert only.commit.ending == log_pb2.Ending(outcome=now.outcome)


async def test_a_resignation_is_judged_by_the_rulebook_and_stands_in_the_log(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        table = Table(platform)
        await table.found()
        request = play_pb2.ResignRequest(name=table.at(2), command_id="gone")
        receipt = await table.owner.Resign(request, metadata=table.signed(2))
        assert (receipt.sequence, receipt.command_id) == (2, "gone")
        assert await table.owner.Resign(request, metadata=table.signed(2)) == receipt
        cause = (await table.commits())[-1].commit.cause
        assert (cause.actor, cause.command_id) == ("seats/2", "gone")
        assert log_pb2.MatchCause.FromString(cause.body).resigned.seat == 2
        another = await refused(table.owner.Resign(request, metadata=table.signed(1)))
        assert another.code is grpc.StatusCode.PERMISSION_DENIED
