"""From table to match, on a real log: every answer that a player gets, repeats, races, restarts."""

import asyncio
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.gateway.v1 import tables_pb2
from ludolog.kernel import wire
from tests.infra.asking import refused
from tests.integration.matchmaking.house import Person, full_table, running, until

STATE = tables_pb2.TableState
CODE = grpc.StatusCode


async def test_a_full_table_becomes_a_match_and_then_history(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await full_table(people)
        assert [seat.player for seat in table.seats] == [f"players/{p.player_id}" for p in people]
        assert table.commitment.match_id == table.name.removeprefix("tables/")
        assert (await refused(people[1].start(table.name))).reason == "NOT_HOST"
        started = await people[0].start(table.name)
        assert started.state in (STATE.TABLE_STATE_STARTED, STATE.TABLE_STATE_PLAYING)
        playing = await people[0].playing(table.name)
        assert playing.match == table.name.replace("tables", "matches")
        assert [one.name for one in (await people[1].list()).tables] == [table.name]
        assert not (await Person(platform, "z").list()).tables
        assert (await refused(people[0].start(table.name))).reason == "ALREADY_STARTED"


async def test_a_repeated_request_gets_the_first_answer_and_another_one_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann = Person(platform, "a")
        private = tables_pb2.TABLE_VISIBILITY_PRIVATE
        first, second = await asyncio.gather(*(ann.create(request_id="x", visibility=private) for _ in range(2)))
        assert first == second == await ann.create(request_id="x", visibility=private)
        assert first.invite_code
        other = await refused(ann.create(4, request_id="x", visibility=private))
        assert (other.code, other.reason) == (CODE.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
        assert (await Person(platform, "b").create(request_id="x")).name != first.name

        seated = await ann.join(first.name, request_id="j", seat=2)
        assert await ann.join(first.name, request_id="j", seat=2) == seated
        assert (await refused(ann.join(first.name, request_id="j", seat=3))).reason == "REQUEST_ID_REUSED"
        again = await refused(ann.join(first.name))
        assert (again.code, again.reason, again.metadata) == (CODE.FAILED_PRECONDITION, "ALREADY_SEATED", {"seat": "2"})


async def test_of_two_who_race_for_a_seat_one_gets_it(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abcdef"]
        table = await people[0].create(5)
        answers = await asyncio.gather(*(p.join(table.name, seat=3) for p in people), return_exceptions=True)
        seated = [answer for answer in answers if isinstance(answer, tables_pb2.Table)]
        assert len(seated) == 1
        now = await people[0].get(table.name)
        assert [seat.seat for seat in now.seats] == [3]
        assert now == seated[0] or now.revision == seated[0].revision


async def test_an_option_that_the_book_doesnt_allow_is_refused_when_the_table_is_opened(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann = Person(platform, "a")
        bad = await refused(ann.create(3, options=wire.pack(tempel.Options(starting_player=4))))
        assert (bad.code, bad.metadata) == (CODE.INVALID_ARGUMENT, {"field": "options.starting_player"})
        wrong = await refused(ann.create(3, options=wire.pack(tempel.View())))
        assert (wrong.metadata or {})["field"] == "options"
        assert ((await refused(ann.create(2))).metadata or {})["field"] == "seat_count"
        long = Duration(seconds=31 * 24 * 3600)
        assert ((await refused(ann.create(decision_time=long))).metadata or {})["field"] == "decision_time"
        good = await ann.create(3, options=wire.pack(tempel.Options(starting_player=3)))
        assert good.decision_time.seconds == 180
        assert (await ann.create(3, decision_time=Duration())).decision_time.seconds == 0
        assert (await refused(ann.join(good.name, entropy=b"short"))).metadata == {"field": "entropy"}


async def test_a_private_table_is_for_those_who_have_the_code_and_guessing_ends(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, ben, cat, nobody = (Person(platform, letter) for letter in "abcd")
        table = await ann.create(3, visibility=tables_pb2.TABLE_VISIBILITY_PRIVATE)
        assert not (await ben.list()).tables
        assert (await refused(ben.get(table.name))).code == CODE.NOT_FOUND
        assert (await refused(ben.join(table.name))).reason == "WRONG_INVITE_CODE"
        assert not (await ben.get(table.name, table.invite_code)).invite_code
        joined = await ben.join(table.name, invite_code=table.invite_code.lower().replace("-", " "))
        assert joined.invite_code == table.invite_code
        await ann.join(table.name)
        for _ in range(10):
            assert (await refused(cat.join(table.name, invite_code="AAAAA-AAAAA"))).code == CODE.PERMISSION_DENIED
        late = await refused(cat.join(table.name, invite_code=table.invite_code))
        assert (late.code, late.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_GUESSES")
        assert (await nobody.join(table.name, invite_code=table.invite_code)).seats[2].player


async def test_house_players_come_only_where_they_are_wanted_and_are_waited_for(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, bot, other = Person(platform, "a"), Person(platform, "b", "house"), Person(platform, "c", "house")
        table = await ann.create(3, visibility=tables_pb2.TABLE_VISIBILITY_PRIVATE)
        await ann.join(table.name)
        assert (await refused(bot.join(table.name))).reason == "NO_BOTS_WANTED"
        assert ((await refused(ann.add_bots(table.name, 1, "genius"))).metadata or {})["field"] == "bot_kind"
        assert (await refused(ann.add_bots(table.name, 3))).metadata == {"free": "2", "bots_wanted": "0"}
        assert (await ann.add_bots(table.name, 2, "random")).bots_wanted == 2
        assert [one.name for one in (await bot.list()).tables] == [table.name]
        waiting = await refused(ann.start(table.name))
        assert (waiting.reason, waiting.metadata) == ("BOTS_COMING", {"bots_wanted": "2"})
        assert (await bot.join(table.name)).bots_wanted == 1
        last = await other.join(table.name)
        assert (last.bots_wanted, last.bot_kind, last.seats[1].house_player) == (0, "random", True)
        await ann.start(table.name)
        await ann.playing(table.name)


async def test_a_player_may_take_a_chair_that_a_house_player_was_to_come_for(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, ben = Person(platform, "a"), Person(platform, "b")
        table = await ann.create(3)
        await ann.join(table.name)
        await ann.add_bots(table.name, 2)
        assert (await ben.join(table.name)).bots_wanted == 1
        assert (await ben.leave(table.name)).bots_wanted == 1


async def test_the_host_closes_the_table_by_leaving(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, ben = Person(platform, "a"), Person(platform, "b")
        table = await ann.create()
        await ben.join(table.name)
        assert not (await ben.leave(table.name)).seats
        assert (await refused(ben.leave(table.name))).reason == "NOT_SEATED"
        closed = await ann.leave(table.name)
        assert (closed.state, closed.close_reason) == (STATE.TABLE_STATE_CLOSED, "the host closed the table")
        assert (await refused(ben.join(table.name))).reason == "TABLE_CLOSED"
        assert not (await ann.list()).tables
        unknown = await refused(ben.join("tables/tempel-" + "a" * 26))
        assert (unknown.code, unknown.reason) == (CODE.NOT_FOUND, "NO_SUCH_TABLE")


async def test_lists_come_in_pages_newest_first(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann = Person(platform, "a")
        made = [(await ann.create()).name for _ in range(5)]
        anybody = Person(platform, "b")
        await anybody.get(made[-1])
        names: list[str] = []
        token = ""
        while True:
            page = await anybody.list(page_size=2, page_token=token)
            names += [table.name for table in page.tables]
            if not (token := page.next_page_token):
                break
            await ann.create()
        assert sorted(names) == sorted(made)
        newest = (await anybody.list(page_size=1)).tables[0]
        assert newest.create_time.ToMilliseconds() >= (await ann.get(names[0])).create_time.ToMilliseconds()
        assert ((await refused(anybody.list(page_token="nonsense"))).metadata or {})["field"] == "page_token"


async def test_a_watcher_sees_the_list_then_changes_and_that_a_table_leaves_it(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await people[0].create()
        stranger = Person(platform, "z")
        await stranger.get(table.name)
        call = stranger.watch()
        try:
            assert (await call.read()).name == table.name
            for person in people:
                await person.join(table.name)
            await people[0].start(table.name)
            seen = await call.read()
            while seen.state == STATE.TABLE_STATE_OPEN:
                seen = await call.read()
            another = await people[0].create()
            seen = await call.read()
            assert (seen.name, seen.state) == (another.name, STATE.TABLE_STATE_OPEN)
        finally:
            call.cancel()


@pytest.mark.parametrize("restarts", [1, 2])
async def test_a_table_that_was_started_gets_its_match_after_a_restart(tmp_path: Path, restarts: int) -> None:
    async with running(tmp_path, ("rng", "matchmaking")) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await full_table(people)
        assert (await people[0].start(table.name, "s")).state == STATE.TABLE_STATE_STARTED
    for _ in range(restarts - 1):
        async with running(tmp_path, ("rng", "matchmaking")) as platform:
            assert (await Person(platform, "a").get(table.name)).state == STATE.TABLE_STATE_STARTED
    async with running(tmp_path) as platform:
        ann = Person(platform, "a")
        playing = await ann.playing(table.name)
        repeated = await ann.start(table.name, "s")
        assert (repeated.match, repeated.seats) == (playing.match, playing.seats)


async def test_a_table_that_nobody_comes_to_is_closed(tmp_path: Path) -> None:
    async with running(tmp_path, table_idle_s=60.0) as platform:
        ann = Person(platform, "a")
        table = await ann.create()
        clock = platform.hosts["matchmaking"].clock
        later = clock.monotonic() + 61
        clock.monotonic = lambda: later  # type: ignore[method-assign]

        async def look() -> tables_pb2.Table | None:
            found: tables_pb2.Table = await ann.get(table.name)
            return found if found.state == STATE.TABLE_STATE_CLOSED else None

        assert (await until(look)).close_reason == "nobody came"
