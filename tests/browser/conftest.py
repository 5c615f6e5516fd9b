"""One embedded platform, one whose matches begin in the middle, and one browser for all tests of the page."""

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser

from deploy.dev.embedded import Embedded
from tests.browser.planted import PlantedPlatform
from tests.browser.warlock_positions import POSITIONS
from tests.infra.chromium import Chromium


@pytest.fixture(scope="package")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """House players think for a moment: a person has the time to look at a move."""
    with Embedded(tmp_path_factory.mktemp("browser") / "platform", {"LUDOLOG_BOT_DELAY_MS": "100"}) as running:
        yield running


@pytest.fixture(scope="package")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlantedPlatform]:
    """Matches of the Warlock begin in the middle."""
    folder = tmp_path_factory.mktemp("planted") / "platform"
    with PlantedPlatform(folder, "warlock_of_firetop_mountain", POSITIONS) as running:
        yield running


@pytest.fixture
async def browser(chromium: Chromium) -> AsyncIterator[Browser]:
    """A browser without a past."""
    async with chromium.launched() as running:
        yield running
