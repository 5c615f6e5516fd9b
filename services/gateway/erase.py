"""`python -m services.gateway.erase players/PLAYER`: erase a person, as an operator, with the gateway's settings.

The gateways that run hear of it within seconds. Exit code 0: done; 1: there is no such player; 2: it can't be done.
"""

from __future__ import annotations

import asyncio
import sys

from ludolog.hosting import Unavailable, load_or_exit, names
from ludolog.kernel import BadInput
from services.gateway.accounts import Accounts, database_url


async def erase(url: str, player_id: str, token_ttl_s: float) -> bool:
    """Erase a player from the accounts at a database. False where there is none. Unavailable.

    `token_ttl_s`: how long tokens of players are good for.
    """
    accounts = await Accounts.open(url)
    try:
        return await accounts.erase(player_id, token_ttl_s)
    finally:
        await accounts.close()


def main(arguments: list[str]) -> int:
    """Do it; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    settings = load_or_exit()
    try:
        url, player_id = database_url(settings.sql_url, settings.data), names.player_of(arguments[0])
        done = asyncio.run(erase(url, player_id, settings.token_ttl_s))
    except (BadInput, Unavailable, OSError) as error:
        sys.stderr.write(f"erase: {error}\n")
        return 2
    sys.stdout.write("erased\n" if done else "there is no such player\n")
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
