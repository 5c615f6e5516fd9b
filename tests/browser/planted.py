"""The embedded platform, with matches that begin in the middle: `python -m tests.browser.planted GAME FILE`.

FILE is a JSON object: the limit of rounds of a new match (an option, as text) → its first position (proto-JSON).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from deploy.dev.embedded import Embedded
from ludolog.hosting import load_or_exit, run_services
from ludolog.kernel import Chance, Content, Events, Rulebook
from ludolog.rulebooks import catalogue
from services.local.service import announce, impatient, services
from tests.contract.secrecy.planting import Planted, planted_event, planting


class PlantedPlatform(Embedded):
    """As the embedded platform; matches of one game begin as its positions say."""

    def __init__(self, folder: Path, game: str, positions: Mapping[int, Mapping[str, Any]]) -> None:
        super().__init__(folder, {"LUDOLOG_BOT_DELAY_MS": "100"})
        self._game = game
        self._positions = folder.parent / f"{folder.name}.json"
        self._positions.write_text(json.dumps(positions))

    def command(self) -> list[str]:
        """Ourselves, with the positions."""
        return [sys.executable, "-m", "tests.browser.planted", self._game, str(self._positions)]


def beginning_with(rulebook: Rulebook[Any], positions: Mapping[str, Any]) -> Rulebook[Any]:
    """The same rulebook, whose set-up is a position."""
    made = planting(rulebook)
    write = made.events.encode

    def setup(options: Any, seats: int, chance: Chance) -> Events:
        position = json_format.ParseDict(positions[str(options.most_rounds)], rulebook.position_type())
        planted: Any = Planted(rulebook.from_position(position, seats, options))
        return (planted,)

    def encode(payload: Message | Planted) -> bytes:
        return planted_event(payload.game) if isinstance(payload, Planted) else write(payload)

    made = replace(made, setup=setup)
    made.__dict__["events"] = planting(rulebook).events
    made.events.__dict__["encode"] = encode
    return made


def main(game: str, file: str) -> int:
    """Run the platform. Returns the exit code."""
    positions, build = json.loads(Path(file).read_text()), catalogue.build

    def built(name: str, content: Content) -> Rulebook[Any]:
        honest = build(name, content)
        return beginning_with(honest, positions) if name == game else honest

    catalogue.build = built
    return run_services(impatient(load_or_exit(), os.environ), services(), announce)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
