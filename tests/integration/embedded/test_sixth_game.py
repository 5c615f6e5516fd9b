"""A game made by `ludolog new-rulebook` is played on every service, with nothing else changed."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from deploy.dev.embedded import Embedded
from tests.contract.new_room import NAME, Checkout, with_new_room

SEATS = 3


class EmbeddedCopy(Embedded):
    """The platform of a copied checkout."""

    def __init__(self, folder: Path, checkout: Checkout) -> None:
        super().__init__(folder)
        self._checkout = checkout

    def command(self) -> list[str]:
        """As `make run` does, from the copy: -P keeps the working folder off the path."""
        return [sys.executable, "-P", "-m", "services.local"]

    def environment(self) -> dict[str, str]:
        """Imports come from the copy."""
        return super().environment() | {"PYTHONPATH": self._checkout.environment()["PYTHONPATH"]}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return with_new_room(tmp_path_factory.mktemp("checkout"))


def changed(copied: Mapping[Path, bytes], root: Path) -> list[Path]:
    return [path for path, data in copied.items() if (root / path).read_bytes() != data]


def test_it_is_played_on_every_service_and_its_record_verifies(checkout: Checkout, tmp_path: Path) -> None:
    record = tmp_path / "match.ludolog"
    with EmbeddedCopy(tmp_path / "platform", checkout) as platform:
        arguments = [platform.address, NAME, str(SEATS), str(record)]
        played = checkout.python("-m", "tests.integration.embedded.one_match", *arguments)
        listed = checkout.python("-m", "ludolog.cli", "watch", "--json", "--address", platform.address)
    assert played.stdout.split() == ["MOST_TRICKS"]
    assert listed.stdout == "", "it isn't on any more"
    assert json.loads(checkout.python("-m", "ludolog.cli", "verify", "--json", str(record)).stdout)["holds"]
    frames = checkout.python("-m", "ludolog.cli", "replay", "--json", "--omniscient", str(record)).stdout.splitlines()
    assert json.loads(frames[-1])["outcome"]["reason"] == "MOST_TRICKS"
    assert changed(checkout.copied, checkout.root) == [Path("libs/ludolog/rulebooks/catalogue.py")]
