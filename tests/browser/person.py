"""Somebody with a browser: a page of their own, what came to it, and what they can do there."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, Response, ViewportSize

from deploy.dev.embedded import Embedded

PATIENCE_MS = 30_000
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
MOST_TABS = 60
AWAITED = ("/GetMatch", "/GetReplay", "/VerifyReplay")
"""What the page asks for until it is there."""
OPENED = "() => [...document.querySelectorAll('#log li')].filter(li => / opens chamber /.test(li.textContent)).length"
DRAWN = "sequence => Number(document.querySelector('.play')?.dataset.sequence ?? 0) >= sequence"
LISTEN = """
const parse = JSON.parse;
JSON.parse = (text, ...rest) => { if (String(text).includes('"view"')) heard(text); return parse(text, ...rest); };
"""
"""All that comes to the page as JSON goes through here; streams can't be read at the network before they end."""


class Person:
    """A page in a profile of its own. `errors`: what went wrong on it; `updates`: what it was sent of matches."""

    def __init__(self, page: Page, platform: Embedded) -> None:
        self.page = page
        self.platform = platform
        self.errors: list[str] = []
        self.updates: list[dict[str, Any]] = []
        self._came = asyncio.Event()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._said)
        page.on("response", self._answered)

    @classmethod
    async def arrive(
        cls, browser: Browser, platform: Embedded, size: ViewportSize = DESKTOP, path: str = "/"
    ) -> Person:
        """Open a page, signed in as nobody."""
        context = await browser.new_context(viewport=size, color_scheme="light")
        person = cls(await context.new_page(), platform)
        await person.page.expose_function("heard", person._heard)
        await person.page.add_init_script(LISTEN)
        await person.page.goto(platform.page + path)
        return person

    @classmethod
    async def named(cls, browser: Browser, platform: Embedded, name: str, size: ViewportSize = DESKTOP) -> Person:
        """Open the page and sign in."""
        person = await cls.arrive(browser, platform, size)
        await person.sign_in(name)
        await person.page.wait_for_selector("#create")
        return person

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def _answered(self, response: Response) -> None:
        if response.status >= HTTPStatus.BAD_REQUEST and not response.url.endswith(AWAITED):
            self.errors.append(f"{response.status} {response.url}")

    def _heard(self, text: str) -> None:
        self.updates.append(json.loads(text))
        self._came.set()

    async def more_updates(self, than: int) -> None:
        """Wait until more updates than so many have come to the page, and the first of them is drawn."""
        while len(self.updates) <= than:
            self._came.clear()
            await asyncio.wait_for(self._came.wait(), PATIENCE_MS / 1000)
        await self.page.wait_for_function(DRAWN, arg=int(self.updates[than]["sequence"]))

    async def sign_in(self, name: str) -> None:
        """Fill in the form of the page that is open."""
        await self.page.fill("#name", name)
        await self.page.click("text=Sign in as guest")

    async def open_table(self, seats: int = 5) -> None:
        """Open a table where we begin, have house players fill it, and arrive at the match: it starts by itself."""
        await self.page.get_by_label("Game").select_option("rulebooks/tempel_des_schreckens")
        await self.page.click("summary:has-text('Options')")
        await self.page.get_by_label("Starting player").fill("1")
        await self.page.fill("input[type=number] >> nth=0", str(seats))
        await self.page.click("#create")
        await self.page.wait_for_url("**/seats/*")
        await self.page.wait_for_selector(".board svg")

    async def my_turn(self) -> bool:
        """Wait until it is our turn; False once the match is over."""
        await self.page.wait_for_selector(".status.mine, #to-replay")
        return await self.page.query_selector("#to-replay") is None

    async def click_a_chamber(self) -> None:
        """Open the first chamber that may be opened, and wait until it is done."""
        await self._done_after(self.page.locator(".board g.legal[id^=chamber]").first.click)

    async def open_by_keyboard(self) -> None:
        """Go to a chamber by the tabulator alone, and open it with enter."""

        async def walk() -> None:
            await self.page.locator("body").focus()
            for _ in range(MOST_TABS):
                await self.page.keyboard.press("Tab")
                if await self.page.evaluate("document.activeElement.id.startsWith('chamber')"):
                    await self.page.keyboard.press("Enter")
                    return
            raise AssertionError("no chamber can be reached by the keyboard")

        await self._done_after(walk)

    async def _done_after(self, act: Any) -> None:
        before = await self.page.evaluate(OPENED)
        await act()
        await self.page.wait_for_function(f"before => ({OPENED})() > before", arg=before)

    async def fits(self) -> bool:
        """Nothing is wider than the window."""
        return bool(await self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
