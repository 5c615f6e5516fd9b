"""`python -m ludolog.hosting.copylog save|restore FOLDER`: back the log up, and put it back where nothing is.

With the settings of the platform (LUDOLOG_KAFKA_BOOTSTRAP, or LUDOLOG_DATA of an embedded one that is stopped). `save`
may run while the platform does. `restore` wants empty topics, and a platform that is stopped.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ludolog.eventlog.copying import restore, save
from ludolog.eventlog.port import LogError
from ludolog.eventlog.reveals import RNG_TOPIC
from ludolog.hosting import backends
from ludolog.hosting.router import topic_of
from ludolog.hosting.running import load_or_exit
from ludolog.hosting.settings import Settings
from ludolog.rulebooks import catalogue

MATCHMAKING = "matchmaking"


def topics() -> list[str]:
    """Every topic, those first that follow others: no copy of theirs is ahead of what they follow."""
    return [RNG_TOPIC, topic_of(MATCHMAKING), *map(topic_of, catalogue.names())]


async def copy(settings: Settings, what: str, folder: Path) -> dict[str, int]:
    """Save or restore the platform's log; return topic → records. LogError."""
    log = await backends.open_log(settings)
    try:
        return await (save(log, topics(), folder) if what == "save" else restore(log, folder))
    finally:
        await log.close()


def main(arguments: list[str]) -> int:
    """Do it; return the exit code: 0 done, 1 it failed, 2 it can't be done."""
    match arguments:
        case [("save" | "restore") as what, folder]:
            pass
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    try:
        records = asyncio.run(copy(load_or_exit(), what, Path(folder)))
    except (LogError, OSError) as error:
        sys.stderr.write(f"copylog: {error}\n")
        return 1
    for topic, count in records.items():
        sys.stdout.write(f"{topic}: {count} records\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
