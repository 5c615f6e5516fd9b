"""Accounts where the database is away."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from deploy.dev.process import free_ports
from ludolog.hosting import Unavailable
from services.gateway.accounts import Accounts


async def test_a_database_that_doesnt_answer_is_unavailable() -> None:
    store = Accounts(create_async_engine(f"postgresql+psycopg://nobody@127.0.0.1:{free_ports(1)[0]}/none"))
    try:
        with pytest.raises(Unavailable):
            await store.add_guest("Zoë", 1_800_000_000_000)
        with pytest.raises(Unavailable):
            await store.get("p-nobody")
    finally:
        await store.close()
