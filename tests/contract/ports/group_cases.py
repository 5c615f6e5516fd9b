"""What a log promises to the members of its groups."""

import asyncio

from tests.contract.ports.worlds import LogWorld, Recorder, holds, new_topic


class GroupCases:
    """Groups."""

    async def test_a_single_member_gets_everything(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 6)
        alone = Recorder()
        membership = await log.join(topic, "engines", "a", alone.listener)
        await alone.until(lambda: alone.mine == frozenset(range(6)))
        assert alone.names[0] == "assigned"
        assert membership.assigned() == frozenset(range(6))

    async def test_a_second_member_gets_its_share_in_order(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 6)
        first, second = Recorder(), Recorder()
        one = await log.join(topic, "engines", "a", first.listener)
        await first.until(lambda: len(first.mine) == 6)
        two = await log.join(topic, "engines", "b", second.listener)
        await second.until(lambda: len(second.mine) == 3)
        await first.until(lambda: len(first.mine) == 3)
        assert first.mine | second.mine == frozenset(range(6))
        assert one.assigned() == first.mine
        assert two.assigned() == second.mine
        assert "lost" not in first.names + second.names

    async def test_nobody_gets_a_partition_while_its_former_owner_is_giving_it_up(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 4)
        first, second = Recorder(), Recorder()
        await log.join(topic, "engines", "a", first.listener)
        await first.until(lambda: len(first.mine) == 4)
        first.hold = asyncio.Event()
        await log.join(topic, "engines", "b", second.listener)
        await first.until(lambda: "revoked" in first.names)
        assert not second.mine
        first.hold.set()
        await second.until(lambda: len(second.mine) == 2)

    async def test_who_leaves_gives_up_in_order_and_the_others_take_over(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 6)
        first, second = Recorder(), Recorder()
        one = await log.join(topic, "engines", "a", first.listener)
        await log.join(topic, "engines", "b", second.listener)
        await second.until(lambda: len(second.mine) == 3)
        await first.until(lambda: len(first.mine) == 3)
        await one.leave()
        assert first.names[-1] == "revoked"
        assert not first.mine
        assert one.assigned() == frozenset()
        await second.until(lambda: len(second.mine) == 6)
        calls = len(first.calls)
        await one.leave()
        assert len(first.calls) == calls

    async def test_a_member_for_whom_there_is_nothing_is_told_so(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 2)
        one, two, three = Recorder(), Recorder(), Recorder()
        first = await log.join(topic, "engines", "a", one.listener)
        await one.until(lambda: len(one.mine) == 2)
        assert first.share() == frozenset({0, 1})
        second = await log.join(topic, "engines", "b", two.listener)
        await two.until(lambda: len(two.mine) == 1)
        third = await log.join(topic, "engines", "c", three.listener)
        await holds(lambda: third.share() is not None)
        assert third.share() == frozenset()
        assert first.share() == one.mine
        assert second.share() == two.mine
        await second.leave()
        await three.until(lambda: len(three.mine) == 1)
        assert third.share() == three.mine

    async def test_callbacks_of_a_member_never_overlap(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 8)
        members = [Recorder() for _ in range(4)]
        memberships = []
        for number, member in enumerate(members):
            memberships.append(await log.join(topic, "engines", f"i{number}", member.listener))
        for member in members:
            await member.until(lambda member=member: len(member.mine) == 2)  # type: ignore[misc]
        await memberships[0].leave()
        await memberships[2].leave()
        for member in members[1], members[3]:
            await member.until(lambda member=member: len(member.mine) == 4)  # type: ignore[misc]
        assert not any(member.overlapped for member in members)
        assert all(member.names[0] == "assigned" for member in members)

    async def test_groups_do_not_know_each_other(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 4)
        first, second = Recorder(), Recorder()
        await log.join(topic, "engines", "a", first.listener)
        await log.join(topic, "archive", "a", second.listener)
        await first.until(lambda: len(first.mine) == 4)
        await second.until(lambda: len(second.mine) == 4)
