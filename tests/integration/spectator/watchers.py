"""Somebody who watches: takes updates, leaves, and comes back for the next number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.api.spectator.v1 import spectator_pb2_grpc
from ludolog.hosting import Host, Platform, Service
from ludolog.kernel import SPECTATOR, Rulebook, Seat, Seated, Viewer
from ludolog.record.commits import parse_record
from ludolog.record.story import Story
from services.replay import service as replay
from services.spectator import service as spectator
from services.spectator.hub import Hub
from services.spectator.tracks import STEPS, Tracks
from tests.integration.replay.calls import as_player
from tests.integration.replay.scribe import Written


async def start(platform: Platform, *, archive: bool = True, most_steps: int = STEPS) -> Hub:
    """Start the archive and the spectator service; wait until both serve."""
    hubs: list[Hub] = []

    async def bind(host: Host) -> None:
        hubs.append(await spectator.start(host, Tracks(most_steps)))

    if archive:
        await platform.add(Service("replay", replay.bind))
    await platform.add(Service("spectator", bind))
    await platform.health.wait_serving()
    return hubs[0]


def live_bytes(written: Written, rulebook: Rulebook[Any], viewer: Viewer) -> list[bytes]:
    """What a viewer is to be told of each commit, folded from the records as they were written."""
    story, updates = Story(rulebook), []
    for record in written.records:
        story.extend(record, parse_record(record).commit)
        updates.append(story.update(story.head.sequence, viewer).SerializeToString(deterministic=True))
    return updates


@dataclass
class Watcher:
    """One audience's client. `seen` holds (sequence, bytes) of everything but snapshots."""

    platform: Platform
    written: Written
    seat: int | None = None
    seen: list[tuple[int, bytes]] = field(default_factory=list)
    snapshots: list[match_pb2.Update] = field(default_factory=list)
    following: int = 1
    over: bool = False

    @property
    def viewer(self) -> Viewer:
        return SPECTATOR if self.seat is None else Seated(Seat(self.seat))

    def call(self, from_sequence: int, player: str = "") -> Any:
        """Open a stream."""
        name = f"matches/{self.written.match_id}" + (f"/seats/{self.seat}" if self.seat else "")
        stub = spectator_pb2_grpc.SpectatorServiceStub(self.platform.channel("spectator", "gateway", on_behalf=True))
        player = player or (self.written.players[self.seat - 1] if self.seat else "")
        metadata = as_player(self.platform, player) if player else None
        return stub.Watch(play_pb2.WatchRequest(name=name, from_sequence=from_sequence), metadata=metadata)

    async def watch(self, most: int = 10_000, from_sequence: int | None = None) -> None:
        """Take so many updates from where we are, or all to the end; then leave."""
        call = self.call(self.following if from_sequence is None else from_sequence)
        try:
            async for update in call:
                self.take(update)
                most -= 1
                if not most:
                    return
            self.over = True
        finally:
            call.cancel()

    def take(self, update: match_pb2.Update) -> None:
        """Note an update."""
        if update.snapshot:
            self.snapshots.append(update)
        else:
            self.seen.append((update.sequence, update.SerializeToString(deterministic=True)))
        self.following = update.sequence + 1
