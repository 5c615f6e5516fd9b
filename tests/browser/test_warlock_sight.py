"""The Warlock of Firetop Mountain on small screens: one's own piece is in sight, and nothing runs out of its frame."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from tests.browser.person import PHONE, Person
from tests.browser.planted import PlantedPlatform
from tests.browser.test_warlock import open_table
from tests.browser.warlock_positions import FIGHT, LATE

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
OWN_PIECE = """() => {
  const piece = document.querySelector(".here").getBoundingClientRect();
  return piece.top >= 0 && piece.bottom <= innerHeight && piece.left >= 0 && piece.right <= innerWidth;
}"""
TOO_WIDE = """() => [...document.querySelectorAll("[id^=card-], [id^=seat-]")].flatMap((place) => {
  const frame = place.querySelector("rect").getBoundingClientRect();
  return [...place.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().right > frame.right);
}).map((text) => text.textContent)"""


async def test_ones_own_piece_is_in_sight_with_the_buttons(browser: Browser, planted: PlantedPlatform) -> None:
    ann = await Person.named(browser, planted, "Ann", LAPTOP)
    await open_table(ann, FIGHT)
    await expect(ann.page.locator(".status.mine")).to_be_visible()
    assert await ann.page.evaluate("scrollY") == 0
    assert await ann.page.evaluate(OWN_PIECE)


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
async def test_cards_and_sheets_keep_to_their_frames(
    size: ViewportSize, browser: Browser, planted: PlantedPlatform
) -> None:
    ann = await Person.named(browser, planted, "Ann", size)
    await open_table(ann, LATE, seats=3)
    await expect(ann.page.locator("#card-T08")).to_be_attached()
    assert await ann.page.evaluate(TOO_WIDE) == []
