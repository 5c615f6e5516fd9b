"""The Warlock of Firetop Mountain without a mouse: what is in focus is seen, and has a name; the notebook."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from deploy.dev.embedded import Embedded
from tests.browser.person import Person
from tests.browser.planted import PlantedPlatform
from tests.browser.test_warlock import open_table
from tests.browser.warlock_positions import ARRIVED, FIGHT, KNOWING, MEETING, ON_THE_WAY

MOST_TABS = 120
LEGAL = ".play .board .legal"
CHOOSER = ".chooser:not([hidden])"
FOCUSED = """wanted => {
  const one = document.activeElement, style = getComputedStyle(one);
  return {
    tag: one.tagName, id: one.id, wanted: Boolean(wanted) && one.matches(wanted),
    named: one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent.trim(),
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
  };
}"""
Focus = dict[str, Any]


class Keys:
    """A person who has nothing but a keyboard."""

    def __init__(self, ann: Person) -> None:
        self.ann = ann
        self.press = ann.page.keyboard.press

    async def focus(self, wanted: str = "") -> Focus:
        """What is in focus: seen, and with a name; and whether a CSS selector finds it."""
        found: Focus = await self.ann.page.evaluate(FOCUSED, wanted)
        if found["tag"] not in {"BODY", "SECTION", "DIV", "MAIN"}:
            assert found["outlined"], f"{found} isn't seen to be in focus"
            assert found["named"], f"{found} has no name"
        return found

    async def find(self, wanted: str, *, backwards: bool = False) -> Focus:
        """Go by Tab to what a CSS selector finds; AssertionError where that can't be reached."""
        for _ in range(MOST_TABS):
            await self.press("Shift+Tab" if backwards else "Tab")
            if (found := await self.focus(wanted))["wanted"]:
                return found
        there = await self.ann.page.locator(LEGAL).evaluate_all("all => all.map(one => one.id)")
        raise AssertionError(f"{wanted} can't be reached by keys; on the board there are {there}")

    async def act(self, wanted: str, choice: str = "", typed: str = "") -> None:
        """Go there, press Enter, answer what is asked, and wait until something has come of it.

        `choice` is a text in the command that is meant where there are several; `typed` goes into the first field.
        """
        await self.find(wanted)
        seen = len(self.ann.updates)
        await self.press("Enter")
        if await self.has(CHOOSER):
            assert await self.has(f"{CHOOSER} :focus"), "what is asked has the focus"
            await self.choose(choice, typed)
        await self.ann.more_updates(seen)

    async def choose(self, choice: str, typed: str) -> None:
        """Do the first of what is offered, or the first with this text; boxes are ticked, selects moved one on."""
        if choice:
            while choice not in await self.ann.page.evaluate("document.activeElement.textContent"):
                await self.find(f"{CHOOSER} .command")
        if await self.has("button.command:focus"):
            await self.press("Enter")
            return
        if typed:
            await self.press(typed) if typed.startswith("Arrow") else await self.ann.page.keyboard.type(typed)
        if await self.has("input[type=checkbox]:focus"):
            await self.press("Space")
        await self.find(f"{CHOOSER} form button.primary")
        await self.press("Enter")

    async def has(self, wanted: str) -> bool:
        """Something like that is on the page."""
        return await self.ann.page.locator(wanted).count() > 0


def at(name: str) -> str:
    """Something on board or scene that can be touched, by the beginning of its id."""
    return f"{LEGAL}[id^={name}]"


@pytest.fixture
async def ann(browser: Browser, planted: PlantedPlatform) -> AsyncIterator[Person]:
    """Somebody at a platform where matches begin in the middle."""
    person = await Person.named(browser, planted, "Ann")
    yield person
    assert person.errors == []


async def test_an_adventurer_is_created_by_keys(browser: Browser, platform: Embedded) -> None:
    person = await Person.named(browser, platform, "Ann")
    await open_table(person)
    keys = Keys(person)
    await keys.act(at("piece-"))
    await keys.act(at("adventurer"), typed="Zagor")
    await keys.act(at("packing"))
    await expect(person.page.locator(".play > .board")).to_contain_text("Zagor")
    assert person.errors == []


async def test_a_move_a_fight_and_a_treasure_by_keys(ann: Person) -> None:
    await open_table(ann, FIGHT)
    keys = Keys(ann)
    await keys.act(at("die"))
    if await keys.has(at("no-challenge")):
        await keys.act(at("key-"))
    await look_around(keys)
    await keys.act(at("R_A"))
    rounds = 0
    while await keys.has(at("attack")):
        await keys.act(at("attack"))
        rounds += 1
        assert await keys.has(".scene [role=img][aria-label*=' and ']") or not await keys.has(at("attack"))
    assert rounds > 2
    await keys.act(at("R_A"))
    await expect(ann.page.locator("#log")).to_contain_text("Ann claims")
    await expect(ann.page.locator(".play > .board [id^=card-]")).to_have_count(1)


async def test_a_trade_and_the_roll_by_keys(ann: Person) -> None:
    await open_table(ann, MEETING)
    keys, log = Keys(ann), ann.page.locator("#log")
    await keys.act(at("seat-2"))
    await expect(log).to_contain_text("Ann offers")
    await expect(log).to_contain_text("1 gold for nothing")
    await ann.page.wait_for_selector(at("die"))
    await keys.act(at("die"))
    await expect(log).to_contain_text("to move.")


async def test_one_space_by_keys(ann: Person) -> None:
    await open_table(ann, ON_THE_WAY)
    await Keys(ann).act(f"{at('c')}[aria-label*='One space to']", choice="One space to")
    await expect(ann.page.locator("#log")).to_contain_text("Ann goes to passage 12, ")
    await expect(ann.page.locator(".play > .board")).to_contain_text(", 1 left")


async def test_the_end_of_a_turn_by_keys(ann: Person) -> None:
    await open_table(ann, ARRIVED)
    await Keys(ann).act(at("end-turn"))
    await expect(ann.page.locator(at("end-turn"))).to_have_count(0)
    await expect(ann.page.locator("#log")).to_contain_text("to move.")


async def look_around(keys: Keys) -> None:
    """Arrows lead from one place that can be touched to the next one."""
    first = await keys.find(LEGAL)
    seen = {first["id"]}
    for arrow in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        await keys.press(arrow)
        seen.add((await keys.focus())["id"])
    assert len(seen) > 1


async def test_the_notebook_says_what_was_seen_and_no_more(ann: Person) -> None:
    """Own cards, a card that was shown, a blank: nothing of what the chest or the other one really holds."""
    await open_table(ann, KNOWING)
    board = ann.page.locator(".play > .board")
    said = {key: await board.locator(f"#key-{key}").get_attribute("aria-label") or "" for key in range(1, 10)}
    assert all("held by Ann" in said[key] for key in (3, 4, 5)), said
    assert "in the chest" in said[9], "neither has it"
    other = said[6].partition("held by ")[2].partition(".")[0]
    assert other
    assert other != "Ann"
    assert all("not known" in said[key] for key in (1, 2, 7, 8)), said
    await expect(board).to_contain_text(f"{other} tried 1-2-3: 1 wrong")
