"""The RPCs of the rng: pure functions of the master keys and the request. Blocks and seeds are never logged or kept."""

from __future__ import annotations

from typing import Any

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.eventlog.reveals import RNG_TOPIC
from ludolog.fairness import block, commitment, receipt_bytes
from ludolog.hosting import Clock, Host, Metrics, errors, names, topic_of
from ludolog.hosting.progress import Progress
from ludolog.kernel import BadInput
from ludolog.rulebooks import catalogue
from services.rng.follower import Figures, Follower
from services.rng.keys import MasterKeys, UnknownKey, own_keys, read_keys

DIGEST_BYTES = 32
MAXIMUM_INDEX = 1_000_000
"""No match draws so often: whoever asks for more has gone astray."""


class RngService(rng_pb2_grpc.RngServiceServicer):
    """Promises and blocks."""

    def __init__(self, keys: MasterKeys, signer: Ed25519PrivateKey) -> None:
        """`signer` is the service's own key, which receipts are signed with."""
        self._keys = keys
        self._signer = signer

    async def CommitSeed(
        self, request: rng_pb2.CommitSeedRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> tables_pb2.CommitmentReceipt:
        """Promise a match's seed, signed. Services only."""
        return promise(self._keys, self._signer, names.match_of(request.name))

    async def GetBlock(
        self, request: rng_pb2.GetBlockRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> rng_pb2.GetBlockResponse:
        """Give a block. Engines only; NOT_FOUND for an unknown key id."""
        match_id = names.match_of(request.name)
        if not 1 <= request.index <= MAXIMUM_INDEX:
            raise BadInput("index", f"must be 1 to {MAXIMUM_INDEX}")
        if len(request.entropy_digest) != DIGEST_BYTES:
            raise BadInput("entropy_digest", f"must be {DIGEST_BYTES} bytes")
        try:
            seed = self._keys.seed(request.key_id, match_id)
        except UnknownKey as unknown:
            raise errors.NotFound(str(unknown), reason="UNKNOWN_KEY") from unknown
        return rng_pb2.GetBlockResponse(block=block(seed, match_id, request.index, request.entropy_digest))


def promise(keys: MasterKeys, signer: Ed25519PrivateKey, match_id: str) -> tables_pb2.CommitmentReceipt:
    """The signed promise of a match's seed, made with the current master key."""
    promised = commitment(keys.seed(keys.current, match_id))
    return tables_pb2.CommitmentReceipt(
        match_id=match_id,
        commitment=promised,
        key_id=keys.current,
        signature=signer.sign(receipt_bytes(match_id, promised, keys.current)),
        public_key=signer.public_key().public_bytes_raw(),
    )


async def bind(host: Host) -> None:
    """Read the keys (embedded without a setting: make them on the first run), answer, and follow every game log.

    BadKeys where there is none that can be used.
    """
    files = host.settings.rng_key_files
    keys = read_keys(files) if files or not host.settings.embedded else own_keys(host.settings.data)
    topics = [topic_of(name) for name in catalogue.names()]
    for topic in (RNG_TOPIC, *topics):
        await host.log.ensure_topic(topic, host.settings.topic_partitions)
    rng_pb2_grpc.add_RngServiceServicer_to_server(RngService(keys, host.keys.signer), host.server)
    progress = Progress(host.metrics, "rng")
    follower = Follower(host.log, keys, host.instance, host.spawn, figures(host.metrics, progress, host.clock))
    host.on_drain(follower.stop)
    await follower.start(topics)
    _ = host.spawn("progress", progress.watch(host.log, host.clock, follower.positions))


def figures(metrics: Metrics, progress: Progress, clock: Clock) -> Figures:
    """The rng's metrics."""
    began_s = clock.monotonic()
    revealed = metrics.counter("ludolog_rng_reveals", "Seeds revealed, repeats included.")
    failed = metrics.counter("ludolog_rng_failures", "Attempts to follow a partition that failed.", ("reason",))
    stuck = metrics.gauge("ludolog_rng_stuck_partitions", "Partitions whose reveals wait; must go back to 0.")
    return Figures(
        revealed.inc,
        progress.void,
        lambda why: failed.labels(why).inc(),
        stuck.set,
        lambda topic: progress.caught_up(topic, clock.monotonic() - began_s),
    )
