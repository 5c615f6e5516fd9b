"""docs/api.md, "Reasons": the table has what the code raises and nothing else, and each line is shown by a test."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import services.replay.library
from deploy.dev.process import free_ports
from ludolog.api.gateway.v1 import (
    play_pb2,
    play_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from ludolog.client import ApiError, Client
from ludolog.eventlog.port import RecordTooLarge
from ludolog.hosting import Platform, SystemClock, errors
from ludolog.hosting.errors import told
from ludolog.hosting.router import EngineRouter
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.port import CacheUnavailable
from services.replay.database import connect
from services.replay.library import Library
from services.replay.projection import Place
from services.replay.queries import Queries
from tests.integration.api.reasons import ROOT, documented, raised
from tests.integration.matchmaking.house import EVERYTHING, GAME, RULEBOOK, guests, running
from tests.integration.security.test_other_peoples import signed

BETWEEN_SERVICES = {
    "NOT_A_SERVICE": "internal ports only",
    "NOT_A_PLAYER": "a service's or operator's token, which the public port doesn't take",
    "BAD_SERVICE_TOKEN": "internal ports only",
    "WRONG_CERTIFICATE": "internal ports only",
    "UNKNOWN_KEY": "the rng tells engines",
    "ALREADY_FOUNDED": "matchmaking founds matches",
    "ALREADY_OPENED": "matchmaking opens tables",
    "ALREADY_FORMED": "matchmaking's own command",
    "ALREADY_RESERVED": "matchmaking's own command",
    "NOT_RESERVED": "matchmaking reserves, then queues the ticket again",
    "NOT_FORMED": "matchmaking's own command",
    "NOBODY_WAITS": "matchmaking's own command",
    "NOT_STARTED": "matchmaking's own command",
    "NOT_PLAYING": "matchmaking's own command",
    "WRONG_PLAYER_COUNT": "a table's number of seats is checked as a field, before there is a match",
}
"""Reasons that clients never meet, and why."""
SHOWN = {
    "ACCOUNTS_UNAVAILABLE": "integration/gateway/test_accounts.py::test_a_database_that_doesnt_answer_is_unavailable",
    "ALREADY_CANCELLED": "integration/matchmaking/test_queue.py::test_a_cancelled_ticket_waits_no_more",
    "ALREADY_MATCHED": "integration/matchmaking/test_queue.py::test_enough_tickets_form_a_match",
    "ALREADY_QUEUED": "integration/matchmaking/test_queue.py::test_enough_tickets_form_a_match",
    "BAD_TOKEN": "integration/security/test_every_method.py::test_public_methods_take_good_tokens_only",
    "COMMAND_ID_REUSED": (
        "integration/security/test_other_peoples.py::test_a_repeated_command_gives_the_same_receipt_and_does_nothing"
    ),
    "DEADLINE_EXCEEDED": "unit/hosting/test_guard.py",
    "GAME_OVER": "integration/engine/test_match.py",
    "INTERNAL": "unit/hosting/test_guard.py",
    "LOG_UNAVAILABLE": (
        "integration/cluster/test_broker_away.py::test_commands_are_refused_soon_reads_go_on_and_everything_resumes"
    ),
    "LOG_UNREADABLE": "integration/spectator/test_reading.py::test_a_record_of_a_later_version_stops_its_partition",
    "MATCH_CORRUPT": "integration/replay/test_archive.py::test_a_corrupt_match_is_stopped_and_the_others_go_on",
    "MATCH_NOT_OVER": "integration/replay/test_rpcs.py",
    "MATCH_STOPPED": "integration/spectator/test_reading.py::test_a_corrupt_match_ends_its_streams_and_no_other",
    "NOT_ARCHIVED": "integration/replay/test_rpcs.py",
    "NOT_INVITED": (
        "integration/matchmaking/test_queue.py::test_after_a_while_house_players_fill_the_table_which_starts_itself"
    ),
    "NOT_OPENED": "unit/gateway/test_limits.py",
    "NOT_OWNER": "integration/engine/test_takeover.py",
    "NOT_YOUR_SEAT": "integration/security/test_other_peoples.py::test_another_seat_and_a_spectator_who_acts",
    "NO_ISSUER_KEYS": "unit/hosting/test_oidc.py::test_known_keys_outlive_an_issuer_that_is_away",
    "NO_RECALL": "integration/replay/test_rpcs.py::test_who_has_to_remember_is_shown_nothing_again_before_the_end",
    "NO_SUCH_MATCH": "unit/engine/test_aggregate.py",
    "OVERLOADED": "integration/security/test_overload.py",
    "PERMISSION_DENIED": "integration/security/test_other_peoples.py",
    "QUEUE_BUSY": "integration/matchmaking/test_queue.py::test_many_who_queue_at_once_all_get_a_table",
    "OTHER_CONTENT": (
        "integration/embedded/test_replaced_content.py::test_a_match_waits_for_its_content_and_goes_on_with_it"
    ),
    "RATE_LIMITED": "integration/security/test_endless.py::test_a_flood_of_commands_is_refused_and_hurts_nobody_else",
    "SEED_NOT_REVEALED": "integration/replay/test_rpcs.py",
    "SLOW_READER": "integration/security/test_endless.py::test_slow_readers_lose_their_streams_and_cost_no_memory",
    "STALE_DECISION": "integration/engine/test_answers.py",
    "STOPPING": "unit/hosting/test_lifetimes.py::test_streams_end_with_a_hint_and_calls_go_on",
    "STREAM_AGE": "unit/hosting/test_guard.py",
    "TOKEN_EXPIRED": (
        "integration/security/test_ended_tokens.py::test_streams_end_with_the_token_that_they_were_opened_with"
    ),
    "TOO_MANY_GUESSES": "integration/security/test_other_peoples.py::test_invite_codes_cant_be_guessed",
    "TOO_MANY_STREAMS": "unit/gateway/test_limits.py",
    "TOO_MANY_TABLES": "integration/security/test_endless.py::test_tables_without_end_are_refused",
    "UNAVAILABLE": "unit/gateway/test_playing.py::test_a_command_that_stays_unknown_is_answered_with_unavailable",
}
"""Where a reason is shown that isn't shown below: a test, or a file whose tests name it."""
NOT_BY_NAME = {
    "ACCOUNTS_UNAVAILABLE": "it looks for the kind of the error",
    "LOG_UNREADABLE": "it looks for the code",
    "MATCH_STOPPED": "it looks for the code",
    "NO_ISSUER_KEYS": "it looks for the kind of the error",
    "QUEUE_BUSY": "whoever gets it asks again: all get a table",
    "UNAVAILABLE": "it looks for the code",
}
"""Those whose test doesn't spell them, and what it looks at."""


def test_the_table_has_what_the_code_raises_and_nothing_else() -> None:
    assert set(documented()) == raised() - set(BETWEEN_SERVICES)
    assert set(BETWEEN_SERVICES) <= raised()


def test_each_reason_is_shown_by_a_test_that_there_is() -> None:
    shown_here = {reason for reason, _, _ in PROVOCATIONS} | set(ALONE)
    assert set(documented()) == set(SHOWN) | shown_here
    assert not set(SHOWN) & shown_here, "one of the two is enough"
    for reason, where in SHOWN.items():
        file, _, test = where.partition("::")
        text = (ROOT / "tests" / file).read_text()
        assert not test or re.search(rf"def {test}\(", text), where
        assert reason in NOT_BY_NAME or reason in text, f"{where} doesn't mention {reason}"


# ---- provoked here


class Scene:
    """Ann and Bob at a table of Ann's; Cid somewhere else."""

    def __init__(self, platform: Platform, people: list[Client]) -> None:
        self.platform = platform
        self.ann, self.bob, self.cid = people
        self.channel = platform.channel("gateway")
        self.table = tables_pb2.Table()

    def stub(self, kind: Any) -> Any:
        return kind(self.channel)

    async def sit(self) -> None:
        self.table = await self.ann.tables.create(RULEBOOK, 3)
        for person in (self.ann, self.bob):
            await person.tables.join(self.table)

    def join(self, who: Client, **more: Any) -> Any:
        given = {"entropy": b"e" * 32, "request_id": f"join-{id(more)}"} | more
        request = tables_pb2.JoinTableRequest(name=self.table.name, **given)
        return self.stub(tables_pb2_grpc.TableServiceStub).JoinTable(request, metadata=signed(who))


async def full(scene: Scene) -> Any:
    """A fourth person at a table for three."""
    await scene.cid.tables.join(scene.table)
    async with Client(scene.channel) as dora:
        await dora.sign_in_guest("Dora")
        return await scene.join(dora)


async def closed(scene: Scene) -> Any:
    for person in (scene.bob, scene.ann):
        await person.tables.leave(scene.table)
    return await scene.join(scene.cid)


async def started(scene: Scene) -> Any:
    await scene.cid.tables.join(scene.table)
    await scene.ann.tables.start(scene.table)
    return await scene.ann.tables.leave(scene.table)


async def coming(scene: Scene) -> Any:
    await scene.ann.tables.add_bots(scene.table, 1)
    return await scene.ann.tables.start(scene.table)


async def no_bots(scene: Scene) -> Any:
    secret = (scene.platform.settings.data / "house.secret").read_text().strip()
    async with Client(scene.channel) as house:
        await house.sign_in_house_player("House", secret)
        return await house.tables.join(scene.table)


async def reused(scene: Scene) -> Any:
    tables = scene.stub(tables_pb2_grpc.TableServiceStub)
    for seats in (3, 4):
        request = tables_pb2.CreateTableRequest(rulebook=GAME, seat_count=seats, request_id="once")
        await tables.CreateTable(request, metadata=signed(scene.ann))


async def private(scene: Scene) -> Any:
    table = await scene.ann.tables.create(RULEBOOK, 3, private=True)
    return await scene.cid.tables.join(table, invite_code="AAAAA-AAAA2")


async def beyond(scene: Scene) -> Any:
    await scene.cid.tables.join(scene.table)
    await scene.ann.tables.start(scene.table)
    playing = await scene.ann.tables.until_playing(scene.table)
    watch = scene.stub(play_pb2_grpc.WatchServiceStub)
    call = watch.Watch(play_pb2.WatchRequest(name=playing.match, from_sequence=99))
    try:
        return await call.read()
    finally:
        call.cancel()


def nobody(scene: Scene) -> Any:
    return scene.stub(players_pb2_grpc.PlayerServiceStub).RefreshToken(players_pb2.RefreshTokenRequest())


MATCH = "matches/tempel-" + "a" * 26
Provoke = Callable[[Scene], Awaitable[Any]]
PROVOCATIONS: list[tuple[str, str, Provoke]] = [
    ("INVALID_FIELD", "INVALID_ARGUMENT", lambda s: s.ann.tables.create(RULEBOOK, -1)),
    ("REQUEST_ID_REUSED", "INVALID_ARGUMENT", reused),
    ("UNAUTHENTICATED", "UNAUTHENTICATED", nobody),
    ("BAD_SECRET", "UNAUTHENTICATED", lambda s: s.cid.sign_in_house_player("House", "guess")),
    ("NO_SUCH_PLAYER", "NOT_FOUND", lambda s: s.ann.get_player("players/p-" + "a" * 26)),
    ("NOT_YOURS", "PERMISSION_DENIED", lambda s: s.ann.delete_player("players/p-" + "a" * 26)),
    ("NOT_HOST", "PERMISSION_DENIED", lambda s: s.bob.tables.start(s.table)),
    ("WRONG_INVITE_CODE", "PERMISSION_DENIED", private),
    ("NOT_FOUND", "NOT_FOUND", lambda s: s.ann.get_match(MATCH)),
    ("NO_SUCH_TABLE", "NOT_FOUND", lambda s: s.ann.tables.get("tables/tempel-" + "a" * 26)),
    ("NO_SUCH_TICKET", "NOT_FOUND", lambda s: s.ann.tables.ticket("tickets/tempel-t" + "a" * 25)),
    ("NO_SUCH_SEAT", "NOT_FOUND", lambda s: s.ann.view(MATCH, 1)),
    ("NO_SUCH_RULEBOOK", "NOT_FOUND", lambda s: s.ann.rulebook("nonsense")),
    ("OUT_OF_RANGE", "OUT_OF_RANGE", beyond),
    ("TABLE_FULL", "FAILED_PRECONDITION", full),
    ("SEAT_TAKEN", "FAILED_PRECONDITION", lambda s: s.join(s.cid, seat=1)),
    ("ALREADY_SEATED", "FAILED_PRECONDITION", lambda s: s.join(s.bob)),
    ("NOT_SEATED", "FAILED_PRECONDITION", lambda s: s.cid.tables.leave(s.table)),
    ("SEATS_FREE", "FAILED_PRECONDITION", lambda s: s.ann.tables.start(s.table)),
    ("BOTS_COMING", "FAILED_PRECONDITION", coming),
    ("NOT_ENOUGH_SEATS", "FAILED_PRECONDITION", lambda s: s.ann.tables.add_bots(s.table, 2)),
    ("NO_BOTS_WANTED", "FAILED_PRECONDITION", no_bots),
    ("TABLE_CLOSED", "FAILED_PRECONDITION", closed),
    ("ALREADY_STARTED", "FAILED_PRECONDITION", started),
]


async def refusal(scene: Scene, provoke: Provoke) -> tuple[str, str]:
    """(code, reason) of what a provocation gets."""
    try:
        answer = await provoke(scene)
    except ApiError as error:
        return error.code.name, error.reason
    except grpc.aio.AioRpcError as error:
        return error.code().name, told(error).reason
    raise AssertionError(f"it was accepted: {answer}")


async def test_reasons_on_a_running_platform(tmp_path: Path) -> None:
    table = documented()
    async with (
        running(tmp_path, EVERYTHING, bots=0, sign_ins_per_minute=0) as platform,
        guests(platform, "Ann", "Bob", "Cid") as people,
    ):
        scene = Scene(platform, people)
        for reason, code, provoke in PROVOCATIONS:
            await scene.sit()
            assert await refusal(scene, provoke) == (code, reason)
            assert code in table[reason]
            # A host may have so many tables open; a match that has begun isn't one of them.
            with contextlib.suppress(ApiError):
                await scene.ann.tables.leave(scene.table)


def of(error: Exception) -> tuple[str, str]:
    """What clients are told of an exception."""
    status = errors.status_of(error, "test")
    return errors.status_code(status).name, told(status).reason


async def no_engine() -> tuple[str, str]:
    router = EngineRouter(
        RULEBOOK,
        partitions=4,
        cache=MemoryCache(),
        clock=SystemClock(),
        connect=grpc.aio.insecure_channel,
        fallback=lambda: (),
        timeout_s=1,
    )
    with pytest.raises(errors.Unavailable) as caught:
        await router.owner(MATCH.removeprefix("matches/"))
    return of(caught.value)


async def too_large() -> tuple[str, str]:
    return of(RecordTooLarge("two megabytes"))


async def cache_away() -> tuple[str, str]:
    return of(CacheUnavailable("nobody there"))


async def archive_away() -> tuple[str, str]:
    engine = connect(f"postgresql://nobody@127.0.0.1:{free_ports(1)[0]}/none")
    with pytest.raises(errors.Unavailable) as caught:
        await Queries(engine).match(MATCH.removeprefix("matches/"))
    await engine.dispose()
    return of(caught.value)


async def archive_behind() -> tuple[str, str]:
    class Behind:
        """A log with a record, and an archive that never reads it."""

        async def end_offset(self, topic: str, partition: int) -> int:
            return 1

        async def position(self, place: Any) -> int:
            return 0

    behind: Any = Behind()
    library = Library(behind, behind, behind, lambda _: Place("topic", 0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services.replay.library, "PATIENCE_S", 0.01)
        with pytest.raises(errors.Unavailable) as caught:
            await library.barrier("match")
    return of(caught.value)


ALONE = {
    "ARCHIVE_UNAVAILABLE": ("UNAVAILABLE", archive_away),
    "CATCHING_UP": ("UNAVAILABLE", archive_behind),
    "NO_ENGINE": ("UNAVAILABLE", no_engine),
    "TOO_LARGE": ("INVALID_ARGUMENT", too_large),
    "CACHE_UNAVAILABLE": ("UNAVAILABLE", cache_away),
}
"""Reasons that a healthy platform doesn't give, made by the part that gives them."""


async def test_reasons_that_need_a_part_alone() -> None:
    table = documented()
    for reason, (code, make) in ALONE.items():
        assert await make() == (code, reason)
        assert code in table[reason]
