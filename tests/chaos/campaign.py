"""A campaign: load, blow after blow, and the check of everything in the end."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from deploy.dev.platform import ServiceProcess
from deploy.dev.process import LOCALHOST, Server, StartFailed, wait_until
from ludolog.client import ApiError, Client
from tests.chaos import plan
from tests.chaos.checker import Violation, check
from tests.chaos.evidence import Read, gather, takeovers
from tests.chaos.history import History
from tests.chaos.load import Load, Probe
from tests.chaos.measure import ARCHIVE, LOBBY, SIGN_IN, Blow, replies_s, table, waiting
from tests.chaos.plan import Attack
from tests.chaos.site import PARTITIONS, Site
from tests.infra.playing import RULEBOOK

PROBE_PAUSE_S = 0.1
ANSWER_S = 45.0
"""Longest time from a blow to the first correct reply; more is a violation."""
CALM_S = 0.5
"""Between one blow and the next, once everything serves again."""
LOOK_S = 0.2

Say = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """What a campaign found."""

    seed: int
    violations: list[Violation] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    figures: dict[str, float] = field(default_factory=dict)
    died: list[str] = field(default_factory=list)
    """Processes that ended though nobody had killed them."""

    def summary(self) -> dict[str, Any]:
        """For machines."""
        return {
            "seed": self.seed,
            **self.figures,
            "first_reply_s": table(self.times),
            "died": self.died,
            "violations": [asdict(violation) for violation in self.violations],
        }


class Campaign:
    """One campaign against one site."""

    def __init__(self, site: Site, seed: int, crews: int, say: Say) -> None:
        self._site, self._say = site, say
        self._load = Load(site.cluster.gateway_addresses, crews, seed)
        self._probes = {name: Probe(name) for name in (ARCHIVE, LOBBY, SIGN_IN)}
        self._outcome = Outcome(seed)
        self._down: set[str] = set()

    @property
    def _history(self) -> History:
        return self._load.history

    async def run(self, kills: int, only: str, quiet_s: float, folder: Path) -> Outcome:
        """Play, strike, check. `quiet_s`: load without any blow before the first one."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            await self._load.start()
            for name, probe in (
                (ARCHIVE, self._ask_archive),
                (LOBBY, self._ask_lobby),
                (SIGN_IN, self._sign_in),
            ):
                client = await stack.enter_async_context(Client(self._load.target(0), timeout_s=ANSWER_S))
                await client.sign_in_guest(f"Probe {name}")
                task = asyncio.create_task(self._probe(self._probes[name], client, probe))
                stack.callback(task.cancel)
            watch = asyncio.create_task(self._watch_processes())
            stack.callback(watch.cancel)
            await self._quiet(quiet_s)
            for step in plan.plan(self._outcome.seed, kills, only):
                if isinstance(step, str):
                    await self._upset(step)
                else:
                    await asyncio.gather(*(self._strike(attack, alone=len(step) == 1) for attack in step))
            await self._load.stop()
        await self._judge(folder)
        self._outcome.figures["seconds"] = round(time.monotonic() - began, 1)
        return self._outcome

    async def _quiet(self, seconds: float) -> None:
        """Load, and nobody strikes: whatever is taken over now was believed dead and wasn't."""
        before = await takeovers(self._site)
        await asyncio.sleep(seconds)
        self._outcome.figures["quiet_s"] = seconds
        self._outcome.figures["false_takeovers"] = await takeovers(self._site) - before

    # ---- blows

    async def _strike(self, attack: Attack, *, alone: bool) -> None:
        victim = self._site.victim(attack)
        blow = Blow(attack, 0.0, live=set(self._load.playing))
        if attack.victim == plan.ENGINE and isinstance(victim, ServiceProcess):
            blow.owned = await asyncio.to_thread(self._site.owned_by, victim.address)
        self._down.add(victim.name)
        async with AsyncExitStack() as stack:
            if attack.victim == plan.GATEWAY:
                await self._reach(victim, blow, stack)
            blow.at_s = time.time()
            await self._site.strike(attack)
            await self._site.mend(attack)
            blow.mended_s = time.time()
            self._down.discard(victim.name)
            await self._answered(blow)
        times = replies_s(blow, self._history, self._probes)
        self._outcome.times[attack.kind if alone else f"{attack.kind} +1"] += times
        worst = f"{max(times):.2f} s" if times else "nobody asked"
        mended = blow.mended_s - blow.at_s
        self._say(
            f"{attack.number:3} {victim.name:<32} {attack.how:<6} up again after {mended:5.1f} s, reply after {worst}"
        )

    async def _reach(self, victim: Server, blow: Blow, stack: AsyncExitStack) -> None:
        """Connect a client to the gateway that will be hit. Where that only stands still, it knows no other."""
        addresses = [f"{LOCALHOST}:{victim.ports['gateway_port']}"]
        if blow.attack.how != plan.PAUSE:
            addresses += [other for other in self._site.cluster.gateway_addresses if other not in addresses]
        client = await stack.enter_async_context(Client("ipv4:///" + ",".join(addresses), timeout_s=ANSWER_S))
        await client.sign_in_guest("Reach")
        task = asyncio.create_task(self._probe(blow.reached, client, self._ask_rulebook))
        stack.callback(task.cancel)

    async def _answered(self, blow: Blow) -> None:
        """Wait until everybody concerned was answered and everything serves."""
        deadline = blow.at_s + ANSWER_S
        while time.time() < deadline:
            missing = self._unanswered(blow)
            if not missing and await asyncio.to_thread(self._all_serve):
                await asyncio.sleep(CALM_S)
                return
            await asyncio.sleep(LOOK_S)
        what = f"{self._unanswered(blow)} unanswered; not serving: {', '.join(self._not_serving())}"
        self._outcome.violations.append(Violation("stall", f"{blow.attack.number} {blow.attack.kind}", what))
        self._say(f"    {what}")

    def _unanswered(self, blow: Blow) -> int:
        return waiting(blow, self._history, self._probes, self._load.playing)

    def _not_serving(self) -> list[str]:
        return [server.name for server in self._site.everything if not _serves(server)]

    def _all_serve(self) -> bool:
        return all(_serves(server) for server in self._site.everything) and len(self._site.owners()) == PARTITIONS

    async def _upset(self, what: str) -> None:
        self._say(f"    {what}")
        await asyncio.to_thread(getattr(self._site, what))
        await asyncio.to_thread(wait_until, self._all_serve, timeout_s=ANSWER_S)
        await asyncio.sleep(CALM_S)

    async def _watch_processes(self) -> None:
        """Start again what ends by itself, as an orchestrator does, and note it."""
        while True:
            await asyncio.sleep(1)
            for server in self._site.everything:
                if server.name not in self._down and not server.is_running():
                    self._outcome.died.append(server.name)
                    self._say(f"    {server.name} has ended by itself; it is started again")
                    await asyncio.to_thread(server.launch)

    # ---- probes

    async def _probe(self, probe: Probe, client: Client, ask: Callable[[Client], Awaitable[None]]) -> None:
        while True:
            began = time.time()
            try:
                await ask(client)
            except ApiError as error:
                self._history.troubles.append(f"{probe.name}: {type(error).__name__}: {error}")
            else:
                probe.note(began)
            await asyncio.sleep(PROBE_PAUSE_S)

    async def _ask_archive(self, client: Client) -> None:
        if self._load.finished:
            await client.replays.get(self._load.finished[0])

    async def _ask_lobby(self, client: Client) -> None:
        await client.tables.leave(await client.tables.create(RULEBOOK, 3, private=True))

    async def _sign_in(self, client: Client) -> None:
        await client.sign_in_guest("Probe")

    async def _ask_rulebook(self, client: Client) -> None:
        await client.get_player()

    # ---- the end

    async def _judge(self, folder: Path) -> None:
        target = self._load.target(0)
        self._say("all matches have ended; reading log, archive and records")
        evidence, game = await gather(self._site, target, folder, self._history.commitments)
        self._outcome.violations += check(self._history, evidence)
        self._outcome.figures.update(self._figures(game))

    def _figures(self, game: Read) -> dict[str, float]:
        journals = self._history.journals
        answers = [
            answer for journal in journals for command in journal.commands.values() for answer in command.answers
        ]
        return {
            "matches": len(self._load.finished),
            "acknowledged": sum(answer.sequence > 0 for answer in answers),
            "refused": sum(bool(answer.refused) for answer in answers),
            "updates": sum(len(journal.seen) for journal in journals),
            "streams": sum(len(journal.stretches) for journal in journals),
            "commits": sum(map(len, game.streams.values())),
            "void_commits": game.void,
            "takeovers": game.takeovers,
        }


def _serves(server: Server) -> bool:
    try:
        return server.is_running() and server.is_ready()
    except (OSError, StartFailed):
        return False
