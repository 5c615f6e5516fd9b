"""`python -m tests.integration.embedded.one_match ADDRESS RULEBOOK SEATS RECORD`: a player against house players."""

import asyncio
import sys
from pathlib import Path

from deploy.dev.process import wait_until
from ludolog.client import Client
from ludolog.client.errors import Refused
from tests.infra.playing import match_of, play


async def main(address: str, rulebook: str, seats: int, record: Path) -> None:
    """Play a match to its end, see that it is in the archive and verifies there, and write its record."""
    async with Client(address, timeout_s=60) as client:
        await client.sign_in_guest("Ann")
        table = await client.tables.join(await client.tables.create(rulebook, seats))
        match = await match_of(client, await client.tables.add_bots(table, seats - 1))
        journal = await play(client, match, 1)
        watched = [update.sequence async for update in client.watch(match, from_sequence=1)]
        assert watched == list(range(1, journal.seen[-1] + 1))
        loop = asyncio.get_running_loop()

        def exported() -> bool:
            # The seed is revealed a moment after the end.
            try:
                asyncio.run_coroutine_threadsafe(client.replays.export(match, record), loop).result()
            except Refused:
                return False
            return True

        await asyncio.to_thread(wait_until, exported, timeout_s=60)
        assert (await client.replays.verify(match)).holds
        sys.stdout.write(journal.ended)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
