"""Accounts on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from pathlib import Path

from deploy.dev.servers import PostgreSQL
from services.gateway.accounts import Accounts, database_url


async def test_accounts_on_postgresql(postgres: PostgreSQL, tmp_path: Path) -> None:
    url = database_url(postgres.create_database(), tmp_path)
    # Several gateways start at once on an empty database.
    stores = await asyncio.gather(*(Accounts.open(url) for _ in range(3)))
    try:
        guest = await stores[0].add_guest("Zoë", 1_800_000_000_000)
        assert await stores[1].get(guest.player_id) == guest
        house = await asyncio.gather(*(store.house_player("Ada", 1_800_000_000_000) for store in stores))
        assert len({account.player_id for account in house}) == 1
        assert len(await stores[2].get_many([guest.player_id, house[0].player_id, "p-nobody"])) == 2
    finally:
        for store in stores:
            await store.close()
