"""Beast Hunter on the page: a whole solo game on the adventure sheet, by dragging, keyboard and clicks."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.async_api import Browser, Locator, ViewportSize, expect

from deploy.dev.embedded import Embedded
from tests.browser.person import DESKTOP, PHONE, Person
from tests.browser.test_choosing import drag

NAME = "beast_hunter"
ROOM = Path(__file__).resolve().parent.parent.parent / "libs" / "ludolog" / "rulebooks" / NAME
BOARD = ".play .board"
BOX = "square-the_scar-1"
ANSWERS = ("attack", "take_damage", "decline", "accept", "roll", "hp", "track")
"""What is touched where it is offered: fights are fought, offers declined, and then it is rest day after day."""
MOST_STEPS = 300
FINGER_PX = 40


async def seated(browser: Browser, platform: Embedded, size: ViewportSize = DESKTOP) -> Person:
    """A table for one."""
    mason = await Person.named(browser, platform, "Mason", size)
    await mason.page.get_by_label("Game").select_option(f"rulebooks/{NAME}")
    await mason.page.click("#create")
    await mason.page.wait_for_url("**/seats/*")
    await mason.page.wait_for_selector(".board svg")
    return mason


def on_board(mason: Person, name: str) -> Locator:
    """What has this id on the board, if it can be touched."""
    return mason.page.locator(f"{BOARD} .legal[id='{name}']")


async def touch(mason: Person, *names: str) -> None:
    """Touch these one after the other, and wait for what comes of it."""
    seen = len(mason.updates)
    for name in names:
        await on_board(mason, name).click()
    await mason.more_updates(seen)


async def search(mason: Person) -> None:
    """A search box of The Scar: one die is dragged, one put in by the keyboard, the others by touching."""
    await touch(mason, "region-the_scar")
    await touch(mason, "box-the_scar-1")
    await touch(mason, "roll")
    seen = len(mason.updates)
    await drag(mason.page, f"{BOARD} #die-1", f"{BOARD} #{BOX}-top-1")
    await mason.more_updates(seen)
    seen = len(mason.updates)
    for name in ("die-2", f"{BOX}-bottom-3"):
        await on_board(mason, name).focus()
        await mason.page.keyboard.press("Enter")
    await mason.more_updates(seen)
    for column in (2, 3):
        await touch(mason, "roll")
        await touch(mason, "die-1", f"{BOX}-top-{column}")
        await touch(mason, "die-2", f"{BOX}-bottom-{column - 1}")


async def go_on(mason: Person) -> None:
    """Answer what is asked."""
    seen = len(mason.updates)
    for name in ANSWERS:
        if await on_board(mason, name).count():
            await on_board(mason, name).click()
            break
    else:
        await mason.page.locator("#commands .kind:not([hidden]) button.command").first.click()
    await mason.more_updates(seen)


async def test_a_solo_game_is_played_on_the_sheet(browser: Browser, platform: Embedded) -> None:
    mason = await seated(browser, platform)
    assert ":" not in await mason.page.locator(".headline span").first.inner_text(), "no clock is shown"
    await expect(mason.page.locator(".play > .board")).to_contain_text("The number of circles is a reconstruction")
    await search(mason)
    await expect(mason.page.locator("#box-the_scar-1")).to_contain_text("=")
    if os.environ.get("LUDOLOG_TEST_SCREENSHOTS"):
        await mason.page.screenshot(path=ROOM / "screenshot.png", full_page=True)
    for _ in range(MOST_STEPS):
        if not await mason.my_turn():
            break
        await go_on(mason)
    await expect(mason.page.locator("#score")).to_contain_text("Score sheet")
    await mason.page.click("#to-replay")
    await expect(mason.page.locator("#verdict")).to_contain_text("This match verifies")
    assert mason.errors == []


async def test_on_a_phone_what_is_under_way_is_large_enough_for_fingers(browser: Browser, platform: Embedded) -> None:
    mason = await seated(browser, platform, PHONE)
    await touch(mason, "region-the_scar")
    await touch(mason, "box-the_scar-1")
    await touch(mason, "roll")
    under_way = mason.page.locator(".scene .legal")
    await expect(under_way).to_have_count(9)  # two dice, six squares, the Luck Charm
    for place in await under_way.all():
        box = await place.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= FINGER_PX, await place.get_attribute("id")
    assert await mason.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
        "the page itself is too wide"
    )
    await touch(mason, "die-1", f"{BOX}-top-1")
    assert mason.errors == []
