"""What is let in from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from ludolog.hosting import Caller, Settings, TooMuch
from ludolog.hosting.addresses import client_address, limited_by, peer_address
from ludolog.hosting.limits import Admission, Limiter, Rate, per_minute
from ludolog.hosting.settings import load
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.port import CacheUnavailable
from tests.infra.asking import SimulatedClock

ANN = Caller(player_id="p-ann", roles=frozenset({"player"}), address="192.0.2.1")
BOB = Caller(player_id="p-bob", roles=frozenset({"player"}), address="192.0.2.1")
ROBO = Caller(player_id="p-robo", roles=frozenset({"player", "house"}), address="192.0.2.1")
RATE = Rate(10, 40)


class Away(MemoryCache):
    """A cache that doesn't answer."""

    async def take(self, *arguments: Any, **options: Any) -> float:
        raise CacheUnavailable("away")


class World:
    """Processes that share a cache."""

    def __init__(self, cache: MemoryCache | None = None) -> None:
        self.clock = SimulatedClock(since_ms=0)
        self.cache = cache or MemoryCache(self.clock.monotonic)
        self._told: set[asyncio.Task[None]] = set()

    def limiter(self) -> Limiter:
        return Limiter(self.cache, self.clock, self._spawn, shared=True)

    def _spawn(self, name: str, coro: Coroutine[Any, Any, None]) -> None:
        self._told.add(asyncio.ensure_future(coro))

    async def settle(self) -> None:
        """Wait until the cache has been told."""
        await asyncio.gather(*self._told)


def let_in(charge: Callable[[], None], most: int = 1000) -> int:
    """How many are let in until one isn't."""
    for count in range(most):
        try:
            charge()
        except TooMuch:
            return count
    return most


async def test_a_burst_is_let_in_and_then_what_the_rate_allows() -> None:
    world = World()
    limiter = world.limiter()
    assert let_in(lambda: limiter.charge("player", "ann", RATE)) == 40
    with pytest.raises(TooMuch) as caught:
        limiter.charge("player", "ann", RATE)
    assert caught.value.reason == "RATE_LIMITED"
    assert caught.value.retry_after_ms == 100
    world.clock.seconds += 1
    assert let_in(lambda: limiter.charge("player", "ann", RATE)) == 10
    assert let_in(lambda: limiter.charge("player", "bob", RATE)) == 40
    assert let_in(lambda: limiter.charge("player", "", RATE)) == 1000
    assert let_in(lambda: limiter.charge("player", "ann", None)) == 1000


async def test_processes_share_a_bucket() -> None:
    world = World()
    gateways = [world.limiter() for _ in range(4)]
    taken = 0
    for _ in range(100):
        for gateway in gateways:
            taken += let_in(lambda gateway=gateway: gateway.charge("player", "ann", RATE), 1)  # type: ignore[misc]
            await world.settle()
    assert 40 <= taken <= 40 + len(gateways) * 2, "each process may be ahead of the others by what it hasn't told"
    for _ in range(100):
        world.clock.seconds += 0.1
        for gateway in gateways:
            taken += let_in(lambda gateway=gateway: gateway.charge("player", "ann", RATE), 5)  # type: ignore[misc]
            await world.settle()
    assert taken <= 40 + 10 * 10 * 1.5 + 8, "ten seconds at ten a second, and not four times as many"


async def test_without_the_cache_each_process_counts_for_itself() -> None:
    world = World(Away())
    limiter = world.limiter()
    assert let_in(lambda: limiter.charge("player", "ann", RATE)) == 40
    await world.settle()
    for _ in range(60):
        await limiter.take("sign-in", "192.0.2.1", per_minute(60))
    with pytest.raises(TooMuch):
        await limiter.take("sign-in", "192.0.2.1", per_minute(60))
    world.clock.seconds += 1
    await limiter.take("sign-in", "192.0.2.1", per_minute(60))


async def test_rare_things_are_counted_by_all_processes_at_once() -> None:
    world = World()
    first, second = world.limiter(), world.limiter()
    for limiter in (first, second, first):
        await limiter.take("table", "ann", per_minute(3))
    for limiter in (first, second):
        with pytest.raises(TooMuch) as caught:
            await limiter.take("table", "ann", per_minute(3))
        assert caught.value.retry_after_ms == 20_000


def admission(**changes: Any) -> Admission:
    return Admission(replace(Settings(), **changes), World().limiter())


async def test_players_and_addresses_have_limits_of_their_own_and_the_house_has_none() -> None:
    door = admission(player_calls_per_second=10, address_calls_per_second=15)
    assert let_in(lambda: door.charge(ANN)) == 40
    assert let_in(lambda: door.charge(BOB)) == 20, "the address has given all that it has"
    assert let_in(lambda: door.charge(Caller(address="192.0.2.1"))) == 0
    assert let_in(lambda: door.charge(Caller(address="192.0.2.2"))) == 60
    assert let_in(lambda: door.charge(ROBO)) == 1000


async def test_one_method_takes_half_of_the_room_at_most() -> None:
    door = admission(busy_calls=4)
    with ExitStack() as stack:

        def enter(method: str) -> None:
            stack.enter_context(door.busy(method))

        assert let_in(lambda: enter("Stuck")) == 2
        assert let_in(lambda: enter("Other")) == 2
        with pytest.raises(TooMuch) as caught:
            enter("Third")
        assert caught.value.reason == "OVERLOADED"
        assert caught.value.retry_after_ms is not None
        assert 500 <= caught.value.retry_after_ms <= 1000
    with door.busy("Third"):
        pass


async def test_streams_are_counted_by_player_and_by_address() -> None:
    door = admission(player_streams=3, address_streams=5)
    with ExitStack() as stack:

        def enter(caller: Caller) -> None:
            stack.enter_context(door.stream(caller))

        assert let_in(lambda: enter(ANN)) == 3
        assert let_in(lambda: enter(BOB)) == 2
        assert let_in(lambda: enter(ROBO), 20) == 20
        with pytest.raises(TooMuch) as caught:
            enter(ANN)
        assert caught.value.reason == "TOO_MANY_STREAMS"
    with door.stream(ANN):
        pass


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.7", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.7", "203.0.113.9, 192.0.2.1", "192.0.2.1"),
        ("10.0.0.7", "192.0.2.1, 10.0.0.8", "192.0.2.1"),
        ("10.0.0.7", "", "10.0.0.7"),
        ("10.0.0.7", "nonsense", "10.0.0.7"),
        ("192.0.2.9", "192.0.2.1", "192.0.2.9"),
    ],
)
def test_only_trusted_proxies_are_believed(peer: str, forwarded: str, address: str) -> None:
    trusted = load({"LUDOLOG_TRUSTED_PROXIES": "10.0.0.0/8"}).trusted_proxies
    assert client_address(peer, forwarded, trusted) == address
    assert client_address(peer, forwarded, ()) == peer


def test_a_peer_is_an_address_and_of_ipv6_a_network() -> None:
    assert peer_address("ipv4:192.0.2.1:50000") == "192.0.2.1"
    assert peer_address("ipv6:%5B2001:db8::1%5D:50000") == "2001:db8::1"
    assert peer_address("local") == peer_address("unix:/run/x") == ""
    assert limited_by("2001:db8::1") == limited_by("2001:db8::ffff") != limited_by("2001:db8:0:1::1")
    assert limited_by("::ffff:192.0.2.1") == "192.0.2.1"
