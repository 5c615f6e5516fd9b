"""Queues, with a clock that stands still until it is moved."""

import asyncio
from pathlib import Path

import grpc

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.takeovers import Checkpoint, Fence
from ludolog.hosting import Platform
from services.matchmaking.aggregate import EVENTS, TOPIC, queue_id
from tests.infra.asking import SimulatedClock, refused
from tests.integration.matchmaking.house import RULEBOOK, Person, parts_of, running, until

STATE = tables_pb2.TicketState


async def matched(person: Person, ticket: tables_pb2.Ticket) -> tables_pb2.Table:
    async def look() -> tables_pb2.Ticket | None:
        found: tables_pb2.Ticket = await person.ticket(ticket.name)
        return found if found.state == STATE.TICKET_STATE_MATCHED else None

    table: tables_pb2.Table = await person.get((await until(look)).table)
    return table


async def events_of_queue(platform: Platform) -> list[str]:
    assert platform.log is not None
    partition = partition_of(queue_id(RULEBOOK), await platform.log.partitions(TOPIC))
    commits = Fence(Checkpoint()).count(await platform.log.read(TOPIC, partition, 0, 1000))
    mine = [one.commit for one in commits if one.commit.stream_id == queue_id(RULEBOOK)]
    return [EVENTS.decode_event(data).DESCRIPTOR.name for commit in mine for data in commit.events]


async def test_enough_tickets_form_a_match(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, ben, cat, dan = (Person(platform, letter) for letter in "abcd")
        first = await ann.queue(request_id="t")
        assert (first.state, first.position, first.seat_count) == (STATE.TICKET_STATE_WAITING, 1, 3)
        assert await ann.queue(request_id="t") == first
        assert (await refused(ann.queue())).reason == "ALREADY_QUEUED"
        assert (await dan.queue(4)).position == 1
        second = await ben.queue()
        assert (second.position, second.commitment) == (2, first.commitment)
        assert (await refused(ben.ticket(first.name))).code == grpc.StatusCode.NOT_FOUND
        last = await cat.queue()
        table = await matched(ann, first)
        assert table.commitment == first.commitment
        assert [seat.player for seat in table.seats] == [f"players/{p.player_id}" for p in (ann, ben, cat)]
        assert (await matched(cat, last)).name == table.name
        assert (await cat.playing(table.name)).match
        assert (await refused(cat.cancel(last.name))).reason == "ALREADY_MATCHED"
        assert await events_of_queue(platform) == [
            *("TableReserved", "TicketQueued", "TableReserved", "TicketQueued"),
            *("TicketQueued", "TicketQueued", "TableFormed", "TableConfirmed"),
        ]


async def test_after_a_while_house_players_fill_the_table_which_starts_itself(tmp_path: Path) -> None:
    clock = SimulatedClock()
    async with running(tmp_path, clock=clock, queue_fill_s=10.0) as platform:
        ann, bots = Person(platform, "a"), [Person(platform, letter, "house") for letter in "xy"]
        ticket = await ann.queue()
        assert ticket.fill_time.ToMilliseconds() == clock.now_ms() + 10_000
        clock.seconds += 9.9
        parts_of(platform).matchmaker.tick()
        assert not parts_of(platform).matchmaker.jobs
        assert (await ann.ticket(ticket.name)).state == STATE.TICKET_STATE_WAITING
        clock.seconds += 0.2
        table = await matched(ann, ticket)
        assert (table.bots_wanted, len(table.seats), table.host) == (2, 1, "")
        assert not (await Person(platform, "z").list()).tables
        assert (await refused(Person(platform, "z").join(table.name))).reason == "NOT_INVITED"
        assert [one.name for one in (await bots[0].list()).tables] == [table.name]
        await bots[0].join(table.name)
        last = await bots[1].join(table.name)
        assert last.state != tables_pb2.TABLE_STATE_OPEN
        await ann.playing(table.name)


async def test_a_queue_doesnt_wait_by_a_clock_that_jumps(tmp_path: Path) -> None:
    clock = SimulatedClock()
    async with running(tmp_path, clock=clock, queue_fill_s=10.0) as platform:
        ann = Person(platform, "a")
        ticket = await ann.queue()
        clock.since_ms += 3_600_000
        parts_of(platform).matchmaker.tick()
        assert not parts_of(platform).matchmaker.jobs
        clock.since_ms -= 2 * 3_600_000
        clock.seconds += 10.1
        assert (await matched(ann, ticket)).bots_wanted == 2


async def test_a_cancelled_ticket_waits_no_more(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        ann, ben, cat = (Person(platform, letter) for letter in "abc")
        ticket = await ann.queue()
        await ben.queue()
        assert (await ann.cancel(ticket.name)).state == STATE.TICKET_STATE_CANCELLED
        assert (await refused(ann.cancel(ticket.name))).reason == "ALREADY_CANCELLED"
        assert (await refused(ben.cancel(ticket.name))).code == grpc.StatusCode.NOT_FOUND
        assert (await cat.queue()).position == 2
        assert (await ann.queue()).state == STATE.TICKET_STATE_WAITING


async def test_many_who_queue_at_once_all_get_a_table(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abcdefghijkl"]
        tickets = await asyncio.gather(*(person.queue() for person in people))
        found = [await matched(person, ticket) for person, ticket in zip(people, tickets, strict=True)]
        assert len({table.name for table in found}) == 4
        for person, table in zip(people, found, strict=True):
            assert f"players/{person.player_id}" in [seat.player for seat in table.seats]


async def test_a_table_that_was_formed_is_opened_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path, ("rng", "matchmaking")) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        tickets = [await person.queue() for person in people]
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await matched(people[0], tickets[0])
        assert (await people[2].playing(table.name)).seat_count == 3
