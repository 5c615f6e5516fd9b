"""A game made by `ludolog new-rulebook` is played on the page by touch, on a phone, with nothing else changed."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.browser.person import PHONE, Person
from tests.contract.new_room import NAME, with_new_room
from tests.integration.embedded.test_sixth_game import EmbeddedCopy


async def test_a_new_game_is_played_by_touch(browser: Browser, tmp_path: Path) -> None:
    checkout = with_new_room(tmp_path / "checkout")
    with EmbeddedCopy(tmp_path / "platform", checkout) as platform:
        context = await browser.new_context(viewport=PHONE, has_touch=True)
        ann = Person(await context.new_page(), platform)
        await ann.page.goto(platform.page)
        await ann.sign_in("Ann")
        await ann.page.get_by_label("Game").select_option(f"rulebooks/{NAME}")
        await ann.page.fill("input[type=number] >> nth=0", "2")
        await ann.page.click("summary:has-text('Options')")
        await ann.page.select_option("#decision-time", label="no clock")
        await ann.page.click("#create")
        await ann.page.wait_for_url("**/seats/*")
        cards = 0
        while await ann.my_turn():
            await ann.page.locator(".play > .board .legal").first.tap()
            cards += 1
            await expect(ann.page.locator("#log li:has-text('Ann plays the')")).to_have_count(cards)
            assert await ann.page.locator(".headline").inner_text() != "", "who is to decide"
            assert ":" not in await ann.page.locator(".headline span").first.inner_text(), "no clock is shown"
            assert await ann.fits()
        assert cards == 3
        await ann.page.click("#to-replay")
        await expect(ann.page.locator("#verdict")).to_contain_text("This match verifies")
        assert ann.errors == []
