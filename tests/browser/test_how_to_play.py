"""Who never saw a game reads how it is played: before signing in, before opening a table, and in a match."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, Page, Route, expect

from deploy.dev.embedded import Embedded
from ludolog.rulebooks import catalogue
from tests.browser.person import PHONE, Person
from tests.browser.test_beast_hunter import on_board, seated, touch

MARKUP = (
    "# <b>Bold</b>\n\nOne line\nand its second\n\n- <img src=x onerror='throw 1'>\n  goes on\n- [two](javascript:1)\n"
)


async def assert_tells(page: Page, name: str) -> None:
    """The dialog has every heading and every list entry of the room's text, in its order."""
    lines = catalogue.load(name).how_to_play.splitlines()
    headings = page.locator("dialog h2, dialog h3")
    await expect(headings).to_have_text([line.lstrip("# ") for line in lines if line.startswith("#")])
    entries = page.locator("dialog li")
    await expect(entries).to_have_text([line[2:] for line in lines if line.startswith("- ")])


@pytest.mark.parametrize("name", catalogue.names())
async def test_before_signing_in_and_before_a_table(browser: Browser, platform: Embedded, name: str) -> None:
    ann = await Person.arrive(browser, platform)
    await ann.page.get_by_role("button", name=catalogue.load(name).title).click()
    await assert_tells(ann.page, name)
    await ann.page.get_by_role("button", name="Close").click()
    await expect(ann.page.locator("dialog")).to_have_count(0)
    await ann.sign_in("Ann")
    await ann.page.get_by_label("Game").select_option(f"rulebooks/{name}")
    button = ann.page.get_by_role("button", name="How to play")
    await button.focus()
    await ann.page.keyboard.press("Enter")
    await assert_tells(ann.page, name)
    await ann.page.keyboard.press("Escape")
    await expect(ann.page.locator("dialog")).to_have_count(0)
    await expect(button).to_be_focused()
    assert ann.errors == []


async def test_in_a_match_on_a_phone(browser: Browser, platform: Embedded) -> None:
    ben = await Person.named(browser, platform, "Ben", PHONE)
    await ben.open_table()
    await ben.page.get_by_role("button", name="How to play").click()
    await assert_tells(ben.page, "tempel_des_schreckens")
    dialog = ben.page.locator("dialog")
    assert await ben.fits()
    assert await dialog.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert await dialog.evaluate("one => one.getBoundingClientRect().bottom <= innerHeight")
    assert await dialog.evaluate("one => one.scrollHeight > one.clientHeight"), "long enough to be scrolled"
    await ben.page.keyboard.press("End")
    await expect(dialog.locator("li").last).to_be_in_viewport()
    await expect(dialog.locator(".close")).to_be_in_viewport()
    await ben.page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    assert await ben.my_turn()
    await ben.click_a_chamber()
    assert ben.errors == []


async def test_escape_takes_nothing_back_on_the_board(browser: Browser, platform: Embedded) -> None:
    cleo = await seated(browser, platform)
    for name in ("region-the_scar", "box-the_scar-1", "roll"):
        await touch(cleo, name)
    chosen = cleo.page.locator(".play .board .chosen[id='die-1']")
    await on_board(cleo, "die-1").click()
    await expect(chosen).to_have_count(1)
    await cleo.page.get_by_role("button", name="How to play").click()
    await expect(cleo.page.locator("dialog")).to_be_visible()
    await cleo.page.keyboard.press("Escape")
    await expect(cleo.page.locator("dialog")).to_have_count(0)
    await expect(chosen).to_have_count(1)
    await cleo.page.keyboard.press("Escape")
    await expect(chosen).to_have_count(0)
    assert cleo.errors == []


async def test_markup_stays_text(browser: Browser, platform: Embedded) -> None:
    async def answer(route: Route) -> None:
        about = await (await route.fetch()).json()
        await route.fulfill(body=json.dumps({**about, "how_to_play": MARKUP}), content_type="application/json")

    eve = await Person.arrive(browser, platform)
    await eve.page.route("**/RulebookService/GetRulebook", answer)
    await eve.page.get_by_role("button", name="Tempel des Schreckens").click()
    article = eve.page.locator("dialog article")
    await expect(article.locator("h2")).to_have_text("<b>Bold</b>")
    await expect(article.locator("p")).to_have_text("One line and its second")
    assert await article.locator("li").all_text_contents() == [
        "<img src=x onerror='throw 1'> goes on",
        "[two](javascript:1)",
    ]
    assert await article.locator("b, img, a, script").count() == 0
    assert eve.errors == []
