"""WatchTables: the list, then each table that changes; whoever reads slowly gets the newest state of each only."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator

from ludolog.hosting import TooMuch
from services.matchmaking.hall import Listed
from services.matchmaking.lobby import Lobby, Viewer

RETRY_MS = 1000


async def watch(lobby: Lobby, viewer: Viewer, rulebook: str, limit: int) -> AsyncGenerator[Listed, None]:
    """Tables as a viewer's list has them (`rulebook` "": of all), then each that changes, also when it leaves the list.

    TooMuch where more than `limit` changed tables wait for the reader. Close the generator to let go.
    """
    changed: OrderedDict[str, Listed] = OrderedDict()
    something = asyncio.Event()

    def note(listed: Listed) -> None:
        if len(changed) <= limit:
            changed[listed.table_id] = listed
        something.set()

    def sees(listed: Listed) -> bool:
        return viewer.sees(listed.table) and rulebook in ("", listed.table.rulebook)

    lobby.listeners.add(note)
    try:
        first = [listed for listed in lobby.seen_by(viewer) if rulebook in ("", listed.table.rulebook)]
        shown = {listed.table_id for listed in first}
        for listed in first:
            yield listed
        while True:
            await something.wait()
            something.clear()
            while changed:
                if len(changed) > limit:
                    raise TooMuch("SLOW_READER", "too many tables have changed", retry_after_ms=RETRY_MS)
                table_id, listed = changed.popitem(last=False)
                known = table_id in shown
                shown.add(table_id) if sees(listed) else shown.discard(table_id)
                if known or sees(listed):
                    yield listed
    finally:
        lobby.listeners.discard(note)
