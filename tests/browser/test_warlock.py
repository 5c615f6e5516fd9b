"""The Warlock of Firetop Mountain on the page: a whole game of ten rounds against a house player, mostly on the map."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.async_api import Browser, Locator, expect

from deploy.dev.embedded import Embedded
from tests.browser.person import Person

NAME = "warlock_of_firetop_mountain"
ROOM = Path(__file__).resolve().parent.parent.parent / "libs" / "ludolog" / "rulebooks" / NAME
ROUNDS = 10
MOST_STEPS = 600
BOARD = ".play .board .legal"
BUTTONS = ("attack", "die", "no-challenge", "decline", "encounter", "spoils", "keep-all", "end-turn")
FORM = "#commands .kind:not([hidden]) details.command"


async def seated(browser: Browser, platform: Embedded) -> Person:
    """A table of two with a house player, for as few rounds as there can be."""
    ann = await Person.named(browser, platform, "Ann")
    await open_table(ann)
    return ann


async def open_table(ann: Person, rounds: int = ROUNDS, seats: int = 2) -> None:
    """From the home page to one's seat in a new match."""
    await ann.page.get_by_label("Game").select_option(f"rulebooks/{NAME}")
    await ann.page.fill("input[type=number] >> nth=0", str(seats))
    await ann.page.click("summary:has-text('Options')")
    await ann.page.get_by_label("Limit of rounds").fill(str(rounds))
    await ann.page.click("#create")
    await ann.page.wait_for_url("**/seats/*")
    await ann.page.wait_for_selector(".board svg")


async def first_of(ann: Person, *selectors: str) -> Locator | None:
    """What the first of these that is there finds."""
    for selector in selectors:
        if await ann.page.locator(selector).count():
            return ann.page.locator(selector).last
    return None


async def step(ann: Person) -> str:
    """Do something that is offered, on the map where that goes, else in the list. Returns the id that was touched."""
    seen = len(ann.updates)
    target = await first_of(ann, *(f"{BOARD}[id={name}]" for name in BUTTONS), f"{BOARD}[id^=R_]", f"{BOARD}[id^=c]")
    touched = ""
    if target is not None:
        touched = await target.get_attribute("id") or ""
        await target.click()
        if await ann.page.locator(".chooser button.command").count():
            await ann.page.locator(".chooser button.command").first.click()
        elif await ann.page.locator(".chooser form").count():
            await fill(ann, ann.page.locator(".chooser form").first)
    elif await ann.page.locator(FORM).count():
        await ann.page.locator(f"{FORM} > summary").first.click()
        await fill(ann, ann.page.locator(f"{FORM} form").first)
    else:
        await ann.page.locator("#commands .kind:not([hidden]) button.command").first.click()
    await ann.more_updates(seen)
    return touched


async def fill(ann: Person, form: Locator) -> None:
    """Send a form, with its first boxes ticked where some must be."""
    if await form.locator("input[type=checkbox]").count():
        await form.locator("input[type=checkbox]").first.check()
    await form.get_by_text("Do it").click()


async def test_a_game_is_played_on_the_map(browser: Browser, platform: Embedded) -> None:
    ann = await seated(browser, platform)
    await expect(ann.page.locator(".play > .board")).to_contain_text("Reconstructed, not as printed in the box: board;")
    touched: list[str] = []
    while await ann.my_turn() and len(touched) < MOST_STEPS:
        touched.append(await step(ann))
        if os.environ.get("LUDOLOG_TEST_SCREENSHOTS") and touched[-1].startswith(("c", "R_")):
            await ann.page.screenshot(path=ROOM / "screenshot.png", full_page=True)
    assert {"die"} < set(touched), "the map was played on"
    assert any(place.startswith(("c", "R_")) for place in touched)
    await expect(ann.page.locator(".play > .board")).to_contain_text("the last round is over")
    await ann.page.click("#to-replay")
    await expect(ann.page.locator("#verdict")).to_contain_text("This match verifies")
    assert ann.errors == []
