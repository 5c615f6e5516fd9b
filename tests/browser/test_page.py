"""A person with a browser: plays by clicking, is watched, looks at the replay, sees that it verifies."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Response, expect

from tests.infra.chromium import Chromium
from tests.infra.embedded import Embedded

IMAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "images"
PATIENCE_MS = 30_000
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("browser") / "platform", {"LUDOLOG_BOT_DELAY_MS": "150"}) as running:
        yield running


@pytest.fixture
async def browser(chromium: Chromium) -> AsyncIterator[Browser]:
    async with chromium.launched() as running:
        yield running


class Person:
    """A page of one's own, and what came to it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.received: list[Response] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("response", self._received)

    def _received(self, response: Response) -> None:
        self.received.append(response)

    @classmethod
    async def with_name(cls, browser: Browser, platform: Embedded, name: str, size: dict[str, int]) -> "Person":
        """Open the page and sign in."""
        context = await browser.new_context(viewport=size, color_scheme="light")  # type: ignore[arg-type]
        person = cls(await context.new_page())
        await person.page.goto(platform.page)
        await person.page.fill("#name", name)
        await person.page.click("text=Sign in as guest")
        return person

    async def open_table(self, seats: int = 5) -> None:
        """Open a table, have it filled by house players, and arrive at the match."""
        await self.page.fill("input[type=number] >> nth=0", str(seats))
        await self.page.click("#create")
        await self.page.wait_for_url("**/seats/*")
        await self.page.wait_for_selector(".board svg")

    async def my_turn_or_over(self) -> bool:
        """Wait until it is our turn; False once the match is over."""
        await self.page.wait_for_selector(".status.mine, #to-replay")
        return await self.page.query_selector("#to-replay") is None

    async def move(self, *, keyboard: bool = False) -> None:
        """Open some chamber, by clicking or by the keyboard, and wait until it is done."""
        chamber = self.page.locator(".board g.legal[id^=chamber]").first
        line = await self.page.locator("#log li").first.get_attribute("value")
        if keyboard:
            await chamber.focus()
            await self.page.keyboard.press("Enter")
        else:
            await chamber.click()
        await self.page.wait_for_function(
            "line => document.querySelector('#log li').getAttribute('value') !== line", arg=line
        )


async def fits(page: Page) -> bool:
    """Nothing is wider than the window."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


async def shot(page: Page, name: str) -> None:
    """Take the README's pictures, when they are asked for (LUDOLOG_TEST_SCREENSHOTS=1)."""
    if os.environ.get("LUDOLOG_TEST_SCREENSHOTS"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=IMAGES / name)


async def test_a_match_from_sign_in_to_proof(browser: Browser, platform: Embedded) -> None:
    ann = await Person.with_name(browser, platform, "Ann", DESKTOP)
    await ann.open_table()
    address = ann.page.url.rpartition("/seats/")[0]
    watcher = Person(await (await browser.new_context(viewport=DESKTOP)).new_page())  # type: ignore[arg-type]
    await watcher.page.goto(address)
    await watcher.page.wait_for_selector(".board svg")
    moves = 0
    while await ann.my_turn_or_over():
        await ann.move(keyboard=moves == 0)
        moves += 1
        if moves == 3:
            await shot(ann.page, "match.png")
        if moves == 2:
            await ann.page.reload()
            await ann.page.wait_for_selector(".board svg")
    await expect(ann.page.locator(".status")).to_contain_text("You have")
    await watcher.page.wait_for_selector("#to-replay")
    await ann.page.click("#to-replay")
    await expect(ann.page.locator("#verdict")).to_contain_text("This match verifies")
    assert await ann.page.locator(".checks .broken").count() == 0
    await ann.page.locator("#scrub").fill("1")
    await expect(ann.page.locator("#position")).to_contain_text("1 /")
    await ann.page.keyboard.press("Tab")
    await ann.page.select_option("#eyes", "omniscient")
    await expect(ann.page.locator(".board svg")).to_be_visible()
    await ann.page.click("#play")
    await expect(ann.page.locator("#position")).to_contain_text("3 /")
    await shot(ann.page, "replay.png")
    async with ann.page.expect_download() as download:
        await ann.page.click("text=Download the record")
    assert (await (await download.value).path()).read_bytes().startswith(b'{"format":"ludolog-match-record"')
    assert ann.errors == watcher.errors == []


async def test_on_a_phone_nothing_is_too_wide(browser: Browser, platform: Embedded) -> None:
    ben = await Person.with_name(browser, platform, "Ben", PHONE)
    await ben.page.wait_for_selector("#create")
    assert await fits(ben.page)
    await ben.open_table(10)
    assert await fits(ben.page)
    await ben.page.click("summary:has-text('Talk')")
    assert await fits(ben.page)
    assert ben.errors == []


async def test_no_secret_of_others_comes_to_the_page(browser: Browser, platform: Embedded) -> None:
    cleo = await Person.with_name(browser, platform, "Cleo", DESKTOP)
    seen: list[str] = []
    await cleo.page.expose_function("heard", lambda text: seen.append(text))  # noqa: PLW0108 - playwright marks it
    await cleo.page.add_init_script(
        """const parse = JSON.parse; JSON.parse = (text, ...rest) => {
             if (text.includes("type.googleapis.com")) heard(text); return parse(text, ...rest); };"""
    )
    await cleo.page.reload()
    await cleo.open_table()
    if await cleo.my_turn_or_over():
        await cleo.move()
    updates = [json.loads(text) for text in seen if '"view"' in text]
    assert updates
    for update in updates:
        if "outcome" in update:
            continue
        view = update["view"]
        assert "hidden" not in view
        others = [player for player in view["players"] if player["seat"] != view["own"]["seat"]]
        assert len(others) == 4
        assert not [player for player in others if player.get("role", "ROLE_UNSPECIFIED") != "ROLE_UNSPECIFIED"]
    assert cleo.errors == []


async def test_a_private_table_is_found_by_its_invitation(browser: Browser, platform: Embedded) -> None:
    dora = await Person.with_name(browser, platform, "Dora", DESKTOP)
    await dora.page.check("text=Private (by invitation)")
    await dora.page.uncheck("text=Fill up with house players")
    await dora.page.fill("input[type=number] >> nth=0", "3")
    await dora.page.click("#create")
    link = await dora.page.locator("code:has-text('?code=')").text_content()
    assert link
    emil = await Person.with_name(browser, platform, "Emil", DESKTOP)
    await emil.page.wait_for_selector("#create")
    await emil.page.goto(link)
    await emil.page.click("text=Take a seat")
    await expect(dora.page.locator("main")).to_contain_text("Emil")
    assert dora.errors == emil.errors == []
