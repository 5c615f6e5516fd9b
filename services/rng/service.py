"""The RPCs of the rng: pure functions of the master keys and the request. Blocks and seeds are never logged or kept."""

from __future__ import annotations

from typing import Any

import grpc

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.fairness import block, commitment, receipt_bytes
from ludolog.hosting import errors, names
from ludolog.hosting.identity import require_service
from ludolog.kernel import BadInput
from services.rng.keys import MasterKeys, UnknownKey

DIGEST_BYTES = 32
MAXIMUM_INDEX = 1_000_000
"""No match draws so often: whoever asks for more has gone astray."""


class RngService(rng_pb2_grpc.RngServiceServicer):
    """Promises and blocks."""

    def __init__(self, keys: MasterKeys) -> None:
        self._keys = keys

    async def CommitSeed(
        self, request: rng_pb2.CommitSeedRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> tables_pb2.CommitmentReceipt:
        """Promise a match's seed, signed. Services only."""
        require_service()
        return promise(self._keys, names.match_of(request.name))

    async def GetBlock(
        self, request: rng_pb2.GetBlockRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> rng_pb2.GetBlockResponse:
        """Give a block. Engines only; NOT_FOUND for an unknown key id."""
        require_service("engine")
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


def promise(keys: MasterKeys, match_id: str) -> tables_pb2.CommitmentReceipt:
    """The signed promise of a match's seed, made with the current master key."""
    promised = commitment(keys.seed(keys.current, match_id))
    signer = keys.signer(keys.current)
    return tables_pb2.CommitmentReceipt(
        match_id=match_id,
        commitment=promised,
        key_id=keys.current,
        signature=signer.sign(receipt_bytes(match_id, promised, keys.current)),
        public_key=signer.public_key().public_bytes_raw(),
    )
