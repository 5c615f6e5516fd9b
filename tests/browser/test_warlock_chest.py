"""The Warlock of Firetop Mountain on the page, from late in a game: the way, the fight, the chest, the proof."""

from __future__ import annotations

from playwright.async_api import Browser, expect

from tests.browser.person import Person
from tests.browser.planted import PlantedPlatform
from tests.browser.test_warlock import BOARD, open_table
from tests.browser.warlock_positions import LATE

MOST_STEPS = 120
WAY = ("c20_36", "c21_36", "c22_36", "R_g", "c25_36", "c25_37", "R_h")
"""From where Ann stands through the Warlock's Study to the Treasure Room."""


class Quest:
    """Ann at the table: she does what she sees on the page."""

    def __init__(self, ann: Person) -> None:
        self.ann = ann
        self.done: list[str] = []

    async def offered(self) -> set[str]:
        """The ids of what can be touched on the map, the sheets, the notebook and the scene."""
        return set(await self.ann.page.locator(BOARD).evaluate_all("all => all.map(one => one.id)"))

    async def noted(self, what: str) -> list[str]:
        """The rows of the notebook that say this."""
        rows = self.ann.page.locator(f".play .board [id^=key-][aria-label*='{what}']")
        return list(await rows.evaluate_all("all => all.map(one => one.id)"))

    async def touch(self, thing: str) -> None:
        """Touch it, then what may follow, and wait until something has come of it."""
        seen = len(self.ann.updates)
        await self.ann.page.locator(f"{BOARD}[id='{thing}']").click()
        for follows in (f"{BOARD}.next", ".chooser button.command"):
            if await self.ann.page.locator(follows).count():
                await self.ann.page.locator(follows).first.click()
                break
        await self.ann.more_updates(seen)
        self.done.append(thing)

    async def step(self) -> None:
        """Fight; ask for a number that isn't known; put the keys in; go on along the way; else what ends a turn."""
        offered = await self.offered()
        keys = await self.noted("not known" if "no-challenge" in offered else "in the chest")
        onward = [place for place in reversed(WAY) if place in offered]
        wanted = ["attack", *keys, *onward, "die", "no-challenge", "decline", "end-turn"]
        await self.touch(next(one for one in wanted if one in offered))


async def test_the_chest_is_opened_on_the_page(browser: Browser, planted: PlantedPlatform) -> None:
    ann = await Person.named(browser, planted, "Ann")
    await open_table(ann, LATE, seats=3)
    quest, board, log = Quest(ann), ann.page.locator(".play > .board"), ann.page.locator("#log")
    assert await quest.noted("in the chest") == ["key-2", "key-7", "key-9"]
    while await ann.my_turn() and len(quest.done) < MOST_STEPS:
        await quest.step()
    assert {"die", "R_g", "attack", "R_h", "key-2", "key-7", "key-9"} <= set(quest.done), quest.done
    await expect(ann.page.locator(".status")).to_have_text("You have won. The Warlock's Treasure Chest is open.")
    await expect(board).to_contain_text("The chest is open: Ann wins. The chest: 2, 7, 9.")
    for line in (
        "A fight: Ann against the Warlock",
        "Ann meets the Warlock: A new fight for every arrival.",
        "Ann has beaten the Warlock.",
        "Ann puts in key 9",
        "opens the chest with 2-7-9!",
    ):
        await expect(log).to_contain_text(line)
    for seat in (2, 3):
        name = (await board.locator(f"#seat-{seat}").get_attribute("aria-label") or "").partition(":")[0]
        await expect(log).to_contain_text(f"{name} goes to ")
    await ann.page.click("#to-replay")
    await expect(ann.page.locator("#verdict")).to_contain_text("This match verifies")
    assert ann.errors == []
