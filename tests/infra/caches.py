"""A cache of what an owner needs of one; the simulated cache makes it late and lossy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from ludolog.sessions.port import CacheUnavailable


class DictCache:
    """A SessionCache of one dict; `down` makes it unavailable."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.down = False

    def _ask(self) -> None:
        if self.down:
            raise CacheUnavailable("down")

    async def get(self, key: str) -> bytes | None:
        self._ask()
        return self.values.get(key)

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        self._ask()
        self.values[key] = value

    async def delete(self, *keys: str) -> None:
        for key in keys:
            self.values.pop(key, None)

    async def get_many(self, keys: list[str]) -> Mapping[str, bytes]:
        return {key: self.values[key] for key in keys if key in self.values}

    async def count(self, key: str, window_ms: int) -> int:
        raise NotImplementedError

    async def take(self, key: str, rate: float, burst: float, tokens: float = 1, *, debt: bool = False) -> float:
        raise NotImplementedError

    async def touch(self, group: str, member: str, ttl_ms: int) -> None:
        raise NotImplementedError

    async def members(self, group: str) -> frozenset[str]:
        raise NotImplementedError

    async def wake(self, channel: str, hint: bytes) -> None:
        raise NotImplementedError

    def wakes(self, *channels: str) -> AsyncIterator[tuple[str, bytes]]:
        raise NotImplementedError

    async def close(self) -> None:
        pass
