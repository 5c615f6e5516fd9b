"""A member of a consumer group as a process of its own, to be killed or frozen. A JSON line for each callback."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

from ludolog.eventlog.kafka import KafkaLog
from ludolog.eventlog.port import Listener
from tests.integration.ports.test_eventlog_kafka import SETTINGS


async def main(bootstrap: str, topic: str, group: str) -> None:
    """Be a member until the end."""

    def saying(what: str) -> Callable[[frozenset[int]], Awaitable[None]]:
        async def say(partitions: frozenset[int]) -> None:
            sys.stdout.write(json.dumps([what, sorted(partitions)]) + "\n")
            sys.stdout.flush()

        return say

    log = KafkaLog(bootstrap, SETTINGS)
    listener = Listener(assigned=saying("assigned"), revoked=saying("revoked"), lost=saying("lost"))
    await log.join(topic, group, "member", listener)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
