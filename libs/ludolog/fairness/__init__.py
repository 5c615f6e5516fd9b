"""Randomness that anyone can check: docs/fairness.md is the specification, `vectors.json` its test vectors."""

from ludolog.fairness.chance import BlockChance, BlockNeeded
from ludolog.fairness.seeds import block, commitment, derive_seed, entropy_digest, receipt_bytes

__all__ = ["BlockChance", "BlockNeeded", "block", "commitment", "derive_seed", "entropy_digest", "receipt_bytes"]
