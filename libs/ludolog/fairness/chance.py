"""From a block to draws (docs/fairness.md, "Block to draws"): 32-bit words, rejection sampling, Fisher-Yates."""

from __future__ import annotations

import hmac
import struct
from collections.abc import Sequence
from typing import TypeVar

from ludolog.fairness.seeds import prefixed
from ludolog.kernel.chance import Draw

T = TypeVar("T")
WORDS = 2**32
_DOMAIN = prefixed(b"ludolog/draw/v1")
_CHUNK = struct.Struct(">8I")
"""The 32 bytes of a digest as words, the first one first."""


class BlockNeeded(Exception):
    """The rules want to draw and there is no block yet: fetch it and ask again."""


class BlockChance:
    """The draws of one commit. `draws` records them in order; without a block the first one raises BlockNeeded."""

    def __init__(self, block: bytes | None) -> None:
        """Begin a stream over a block of 32 bytes."""
        self.draws: list[Draw] = []
        self._block = block
        self._words: list[int] = []
        self._chunk = 0

    def _word(self) -> int:
        if not self._words:
            if self._block is None:
                raise BlockNeeded
            chunk = hmac.digest(self._block, _DOMAIN + self._chunk.to_bytes(4, "big"), "sha256")
            self._chunk += 1
            self._words = list(_CHUNK.unpack(chunk))
            self._words.reverse()
        return self._words.pop()

    def _below(self, size: int) -> int:
        """Uniform over 0 … size-1: words at or above the largest multiple of size are thrown away.

        Size 1 takes no word, so that a recorded draw says by its size alone how much of the stream it took.
        """
        if size == 1:
            return 0
        limit = WORDS - WORDS % size
        while (word := self._words.pop() if self._words else self._word()) >= limit:
            pass
        return word % size

    def d6(self, purpose: str) -> int:
        """Roll one die, 1 to 6."""
        value = self._below(6) + 1
        self.draws.append(Draw(purpose, 6, (value,)))
        return value

    def choose(self, purpose: str, options: Sequence[T]) -> T:
        """Choose one of at least one option. ValueError where there is none or more than 2**32."""
        if not 1 <= len(options) <= WORDS:
            msg = f"{purpose}: nothing to choose from"
            raise ValueError(msg)
        index = self._below(len(options))
        self.draws.append(Draw(purpose, len(options), (index + 1,)))
        return options[index]

    def shuffle(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """Fisher-Yates from the last place down: place i swaps with a uniform place 0 … i."""
        order = list(range(len(items)))
        for last in range(len(order) - 1, 0, -1):
            other = self._below(last + 1)
            order[last], order[other] = order[other], order[last]
        self.draws.append(Draw(purpose, len(order), tuple([place + 1 for place in order])))
        return tuple([items[place] for place in order])
