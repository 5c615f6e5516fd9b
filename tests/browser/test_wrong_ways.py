"""Links that lead nowhere, seats of others, a sign-in that isn't taken for a while, a device whose clock is wrong."""

from __future__ import annotations

import re

from playwright.async_api import Browser, Page, Route, expect

from deploy.dev.embedded import Embedded
from tests.browser.person import PATIENCE_MS, Person

UNKNOWN = "tempel-" + "z" * 26
CODES = re.compile(r"[A-Z]+_[A-Z]+")
"""What is for programs alone."""
TEN_MINUTES_SLOW = "Date.now = ((right) => () => right() - 600_000)(Date.now);"
TOKEN = "localStorage['ludolog.token']"


async def failed(page: Page) -> str:
    """What the page says in place of what was asked for."""
    told = page.get_by_role("alert")
    await expect(told).to_be_visible(timeout=PATIENCE_MS)
    await expect(told.get_by_role("link", name="Home")).to_be_visible()
    return await told.inner_text()


async def test_a_link_to_nothing_is_told_and_leads_home(browser: Browser, platform: Embedded) -> None:
    for path in (f"/#/matches/{UNKNOWN}", f"/#/replays/{UNKNOWN}"):
        ann = await Person.arrive(browser, platform, path=path)
        await expect(ann.page.get_by_role("status").filter(has_text="Looking for it")).to_be_visible()
        assert not CODES.search(await failed(ann.page))
        await expect(ann.page.get_by_text("Looking for it")).to_have_count(0)
        await ann.page.click("main >> text=Home")
        await expect(ann.page.locator("#name")).to_be_visible()


async def test_the_seat_of_somebody_else_can_only_be_watched(browser: Browser, platform: Embedded) -> None:
    ann = await Person.named(browser, platform, "Ann")
    await ann.open_table()
    await expect(ann.page.locator("#resign")).to_be_visible()
    ben = await Person.named(browser, platform, "Ben")
    stranger = await Person.arrive(browser, platform)
    for other in (ben, stranger):
        await other.page.goto(ann.page.url)
        told = await failed(other.page)
        assert "seat of Ann" in told
        assert not CODES.search(told)
        assert await other.page.locator("#resign").count() == 0
        await other.page.click("#watch-instead")
        await expect(other.page.locator(".board svg").first).to_be_visible()
        await expect(other.page.get_by_text("You are watching.")).to_be_visible()


async def refuse(route: Route) -> None:
    """As the platform does while its clock is ahead."""
    error = {"code": "UNAUTHENTICATED", "reason": "TOKEN_EXPIRED", "message": "this token has ended: sign in again"}
    if "authorization" in route.request.headers:
        await route.fulfill(status=401, json={"error": error})
    else:
        await route.continue_()


async def test_a_sign_in_outlives_a_refusal(browser: Browser, platform: Embedded) -> None:
    ann = await Person.named(browser, platform, "Ann")
    await ann.open_table()
    seat, token = ann.page.url, await ann.page.evaluate(TOKEN)
    await ann.page.route("**/api/**", refuse)
    await ann.page.reload()
    assert "doesn't take your sign-in as Ann now" in await failed(ann.page)
    await ann.page.goto(platform.page)
    await expect(ann.page.get_by_text("doesn't take your sign-in as Ann now")).to_be_visible()
    assert await ann.page.evaluate(TOKEN) == token
    await ann.page.unroute("**/api/**")
    await ann.page.get_by_role("button", name="Try again").click()
    await expect(ann.page.locator("#who")).to_contain_text("Ann")
    await ann.page.goto(seat)
    assert await ann.my_turn()
    await ann.click_a_chamber()


async def test_the_countdown_goes_by_the_platforms_clock(browser: Browser, platform: Embedded) -> None:
    ann = await Person.named(browser, platform, "Ann")
    await ann.page.add_init_script(TEN_MINUTES_SLOW)
    await ann.page.reload()
    await ann.page.get_by_label("Game").select_option("rulebooks/tempel_des_schreckens")
    await ann.page.click("summary:has-text('Options')")
    await ann.page.get_by_label("Time to decide").select_option("300s")
    await ann.page.get_by_label("Starting player").fill("1")
    await ann.page.click("#create")
    await ann.page.wait_for_selector(".status.mine")
    await expect(ann.page.locator(".headline .quiet")).to_have_text(re.compile(r"[45]:\d\d"))
