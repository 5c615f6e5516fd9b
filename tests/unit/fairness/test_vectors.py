"""The published test vectors, against our code and against a verifier that shares none of it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest

from ludolog.fairness import BlockChance, block, commitment, derive_seed, entropy_digest, receipt_bytes
from ludolog.record.file import head_bytes
from tests.unit.fairness import independent

VECTORS = json.loads((resources.files("ludolog.fairness") / "vectors.json").read_text())
raw = bytes.fromhex


@pytest.mark.parametrize("vector", VECTORS["seed"])
def test_seeds(vector: dict[str, Any]) -> None:
    key = raw(vector["master_key"])
    assert derive_seed(key, vector["match_id"]) == raw(vector["seed"])
    assert independent.seed_of(key, vector["match_id"]) == raw(vector["seed"])


@pytest.mark.parametrize("vector", VECTORS["commitment"])
def test_commitments(vector: dict[str, Any]) -> None:
    assert commitment(raw(vector["seed"])) == raw(vector["commitment"])
    assert independent.commitment_of(raw(vector["seed"])) == raw(vector["commitment"])


@pytest.mark.parametrize("vector", VECTORS["entropy_digest"])
def test_digests_of_entropy(vector: dict[str, Any]) -> None:
    entropy = list(map(raw, vector["entropy"]))
    assert entropy_digest(entropy) == raw(vector["digest"])
    assert independent.entropy_of(entropy) == raw(vector["digest"])


@pytest.mark.parametrize("vector", VECTORS["block"])
def test_blocks(vector: dict[str, Any]) -> None:
    arguments = (raw(vector["seed"]), vector["match_id"], vector["index"], raw(vector["entropy_digest"]))
    assert block(*arguments) == raw(vector["block"])
    assert independent.block_of(*arguments) == raw(vector["block"])


@pytest.mark.parametrize("vector", VECTORS["draws"], ids=lambda vector: str(vector["title"]))
def test_draws(vector: dict[str, Any]) -> None:
    chance = BlockChance(raw(vector["block"]))
    for draw in vector["draws"]:
        match draw["ask"]:
            case "d6":
                chance.d6("p")
            case "choose":
                chance.choose("p", range(draw["size"]))
            case "shuffle":
                chance.shuffle("p", range(draw["size"]))
    wanted = [draw["values"] for draw in vector["draws"]]
    assert [list(draw.values) for draw in chance.draws] == wanted
    asked = [(draw["size"], len(draw["values"])) for draw in vector["draws"]]
    assert independent.draw_again(raw(vector["block"]), asked) == wanted


def test_some_vector_rejects_words() -> None:
    """Without rejection the words themselves would be the draws."""
    (vector,) = [vector for vector in VECTORS["draws"] if "every fourth" in vector["title"]]
    size = vector["draws"][0]["size"]
    words = independent.words_of(raw(vector["block"]))
    first = [next(words) for _ in vector["draws"]]
    assert any(word >= 2**32 // size * size for word in first)


def test_signed_bytes() -> None:
    (receipt,), (head,) = VECTORS["receipt_bytes"], VECTORS["head_bytes"]
    made = receipt_bytes(receipt["match_id"], raw(receipt["commitment"]), receipt["key_id"])
    assert made == raw(receipt["bytes"])
    assert head_bytes(head["match_id"], raw(head["head"])) == raw(head["bytes"])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        derive_seed(bytes(31), "m")
    with pytest.raises(ValueError, match="counted from 1"):
        block(bytes(32), "m", 0, bytes(32))
    with pytest.raises(ValueError, match="nothing to choose"):
        BlockChance(bytes(32)).choose("p", ())
