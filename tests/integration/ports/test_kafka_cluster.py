"""Three brokers, as in production: one may die without anything being lost or standing still; two may not."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from deploy.dev.keeper import keeper
from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog
from ludolog.eventlog.port import AppendFailed, LogError
from tests.contract.ports.eventlog_cases import take
from tests.contract.ports.worlds import Recorder, new_topic
from tests.infra.provide import provided

CLUSTER_ID = "ludologtestcluster0000"


class Node(Kafka):
    """One of three brokers."""

    def __init__(self, folder: Path, number: int, nodes: "list[Node]") -> None:
        super().__init__(folder, heap="256m")
        self.number = number
        self._nodes = nodes

    def properties(self) -> dict[str, str]:
        voters = [f"{node.number}@127.0.0.1:{node.ports['controller']}" for node in self._nodes]
        return super().properties() | {
            "node.id": str(self.number),
            "controller.quorum.voters": ",".join(voters),
            "default.replication.factor": "3",
            "min.insync.replicas": "2",
            "offsets.topic.replication.factor": "3",
            "replica.lag.time.max.ms": "3000",
            "controller.quorum.election.timeout.ms": "500",
            "controller.quorum.fetch.timeout.ms": "1000",
        }

    def prepare(self) -> None:
        properties = self.folder / "server.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self.properties().items()))
        if not (self.folder / "data" / "meta.properties").is_file():
            tool = ["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, "--config", str(properties)]
            with self.log.open("ab") as log:
                subprocess.run(self._java("64m", *tool), check=True, stdout=log, stderr=log)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """Three brokers; a test leaves them all running."""
    folder = tmp_path_factory.mktemp("kafka")
    nodes: list[Node] = []
    nodes += (Node(folder / str(number), number, nodes) for number in (1, 2, 3))
    assert len({node.port for node in nodes}) == 3
    keeper()  # made once, before threads ask for it
    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        # Together: one alone isn't ready before there is a majority.
        starting = [threads.submit(stack.enter_context, provided(node)) for node in nodes]
        for start in starting:
            start.result()
        yield nodes
        for node in nodes:
            node.kill()


@pytest.fixture
async def log(nodes: list[Node]) -> AsyncIterator[KafkaLog]:
    log = KafkaLog(",".join(node.bootstrap for node in nodes))
    yield log
    await log.close()


def leader_of(nodes: list[Node], topic: str) -> Node:
    admin = nodes[0].admin()
    leader: int = admin.describe_topics([topic])[0]["partitions"][0]["leader_id"]
    admin.close()
    return nodes[leader - 1]


class Appending:
    """Appends one record after the other, with a new producer after each failure."""

    def __init__(self, log: KafkaLog, topic: str) -> None:
        self._log = log
        self._topic = topic
        self.acknowledged: dict[int, bytes] = {}
        self.failed = 0
        self._progress = asyncio.Condition()
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        number = 0
        while True:
            try:
                appender = await self._log.appender()
                while True:
                    number += 1
                    value = b"%d" % number
                    self.acknowledged[await appender.append(self._topic, 0, b"k", value)] = value
                    async with self._progress:
                        self._progress.notify_all()
            except LogError as error:
                self.failed += isinstance(error, AppendFailed)

    async def more(self, count: int) -> None:
        """Wait until so many more are acknowledged."""
        goal = len(self.acknowledged) + count
        async with asyncio.timeout(60), self._progress:
            await self._progress.wait_for(lambda: len(self.acknowledged) >= goal)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


async def test_a_dead_broker_is_survived_and_nothing_acknowledged_is_lost(nodes: list[Node], log: KafkaLog) -> None:
    topic = await new_topic(log, 6)
    reader = await log.reader(topic, 0, 0)
    recorder = Recorder()
    membership = await log.join(topic, f"group-of-{topic}", "a", recorder.listener)
    await recorder.until(lambda: len(recorder.mine) == 6)
    appending = Appending(log, topic)
    await appending.more(100)
    leader = await asyncio.to_thread(leader_of, nodes, topic)
    await asyncio.to_thread(leader.kill)
    await appending.more(100)
    # Maybe it was the group's coordinator too: there is another now.
    other = Recorder()
    await log.join(topic, f"group-of-{topic}", "b", other.listener)
    await other.until(lambda: len(other.mine) == 3)
    await recorder.until(lambda: len(recorder.mine) == 3)
    assert membership.assigned() == recorder.mine
    assert recorder.mine | other.mine == frozenset(range(6))
    await asyncio.to_thread(leader.start)
    await appending.more(100)
    await appending.stop()
    end = await log.end_offset(topic, 0)
    found = await take(reader, end)
    assert [stored.offset for stored in found] == list(range(end))
    assert all(found[offset].value == value for offset, value in appending.acknowledged.items())


async def test_two_dead_brokers_stop_appends_and_their_return_lets_them_go_on(nodes: list[Node], log: KafkaLog) -> None:
    topic = await new_topic(log)
    appending = Appending(log, topic)
    await appending.more(10)
    for node in nodes[1:]:
        await asyncio.to_thread(node.kill)
    before = len(appending.acknowledged)
    with ThreadPoolExecutor(2) as threads:
        await asyncio.gather(*(asyncio.wrap_future(threads.submit(node.start)) for node in nodes[1:]))
    await appending.more(100)
    await appending.stop()
    assert before < len(appending.acknowledged)
    for offset, value in appending.acknowledged.items():
        assert (await log.read(topic, 0, offset, 1))[0].value == value
