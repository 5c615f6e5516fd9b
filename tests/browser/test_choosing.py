"""Touching a board: several targets, drags, choices on the board, forms that hold their bounds; mouse, keys, phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from deploy.dev.embedded import Embedded
from tests.browser.person import PHONE, Person

BENCH = Path(__file__).with_name("bench.js")


@pytest.fixture
async def bench(browser: Browser, platform: Embedded) -> AsyncIterator[Page]:
    """The page's modules around a made-up game."""
    person = await Person.arrive(browser, platform)
    await set_up(person)
    yield person.page
    assert person.errors == []


async def set_up(person: Person) -> None:
    async def serve(route: Route) -> None:
        await route.fulfill(path=BENCH, content_type="text/javascript")

    await person.page.wait_for_selector("#name")
    await person.page.route("**/bench.js", serve)
    await person.page.evaluate("""async () => {
      (await import("/bench.js")).set();
    }""")


async def sent(page: Page) -> list[Any]:
    found: list[Any] = await page.evaluate("window.sent")
    return found


async def classed(page: Page, name: str) -> set[str]:
    """Ids on the board that have a class."""
    return set(await page.locator(f".board .{name}").evaluate_all("all => all.map(one => one.id)"))


async def test_first_the_die_then_the_square(bench: Page) -> None:
    await bench.click("#die-1")
    assert await sent(bench) == []
    assert await classed(bench, "chosen") == {"die-1"}
    assert await classed(bench, "next") == {"square-a1", "square-a2", "square-b1"}
    assert await bench.locator(".kind:not([hidden]) .command").count() == 4, "the list shows what still fits"
    await bench.evaluate("window.again()")
    assert await classed(bench, "chosen") == {"die-1"}, "an update in between takes nothing back"
    await bench.click("#square-b1")
    assert await sent(bench) == [{"place": {"die": 1, "square": "b1"}}]
    assert await classed(bench, "chosen") == set()
    await expect(bench.locator(".chooser")).to_be_hidden()


async def test_a_command_that_ends_where_others_begin_is_offered(bench: Page) -> None:
    await bench.click("#die-2")
    await bench.click(".chooser >> text=Throw die 2 again")
    assert await sent(bench) == [{"reroll": {"die": 2}}]


async def test_the_square_first_asks_which_die_and_one_that_only_one_fits_is_done_at_once(bench: Page) -> None:
    await bench.click("#square-a1")
    assert await bench.locator(".chooser .command").all_text_contents() == ["Put die 1 into a1", "Put die 2 into a1"]
    await bench.click("#die-2")
    await bench.click("#square-b2")
    assert await sent(bench) == [{"place": {"die": 2, "square": "a1"}}, {"place": {"die": 3, "square": "b2"}}]


async def test_a_touch_is_taken_back(bench: Page) -> None:
    for back in ("#die-1", "text=Never mind", "Escape"):
        await bench.click("#die-1")
        assert await classed(bench, "chosen") == {"die-1"}
        await (bench.keyboard.press(back) if back == "Escape" else bench.click(back))
        assert await classed(bench, "chosen") == set()
    await bench.click("#die-1")
    await bench.click("#die-2")
    assert await classed(bench, "chosen") == {"die-2"}, "two dice don't go together: it begins anew"
    assert await sent(bench) == []


async def test_a_path_is_touched_step_by_step_or_by_its_end(bench: Page) -> None:
    await bench.click("#space-hut")
    assert await sent(bench) == [{"go": {"path": ["pass", "hut"]}}]
    await bench.click("#space-peak")
    await expect(bench.locator(".chooser .command")).to_have_count(2)
    await bench.click("#space-gorge")
    assert (await sent(bench))[1] == {"go": {"path": ["gorge", "peak"]}}
    await bench.click("#space-pass")
    await bench.click(".chooser >> text=Go to the pass")
    assert (await sent(bench))[2] == {"go": {"path": ["pass"]}}


async def drag(page: Page, start: str, end: str) -> None:
    await page.hover(start)
    await page.mouse.down()
    await page.hover(end, force=True)
    await expect(page.locator(".ghost")).to_be_visible()
    await page.mouse.up()
    await expect(page.locator(".ghost")).to_have_count(0)


async def test_a_die_is_dragged_onto_a_square(bench: Page) -> None:
    await drag(bench, "#die-1", "#square-a2")
    assert await sent(bench) == [{"place": {"die": 1, "square": "a2"}}]
    await drag(bench, "#die-3", "#square-a2")
    assert await classed(bench, "chosen") == set(), "it doesn't go there"
    await bench.click("#die-3")
    await bench.click("#square-b2")
    assert len(await sent(bench)) == 2, "a click after a drag is a click"


async def test_cards_on_the_board_are_ticked_in_the_form(bench: Page) -> None:
    await bench.click("#card-owl")
    done = bench.locator(".chooser >> text=Do it").last
    await done.click()
    assert await sent(bench) == [], "two are to be chosen"
    for card in ("elk", "fox", "fox", "elk", "elk"):
        await bench.click(f"#card-{card}")
    await done.click()
    assert await sent(bench) == [{"discard": {"cards": ["card-owl", "card-elk"]}}]


async def test_counts_keep_their_sum_and_large_ranges_are_typed(bench: Page) -> None:
    await bench.click("summary:has-text('Pay')")
    form = bench.locator("form:has-text('Coins')")
    more = form.get_by_label("gold: one more")
    for _ in range(3):
        await more.click()
    await form.locator("text=Do it").click()
    assert await sent(bench) == [], "two gold are the most, and too few"
    await form.get_by_label("silver: one more").click()
    await form.get_by_label("Bid").fill("417")
    await form.locator("text=Do it").click()
    assert await sent(bench) == [
        {"pay": {"coins": [{"id": "gold", "count": 2}, {"id": "silver", "count": 1}], "bid": 417}}
    ]


async def test_a_scene_is_shown_while_there_is_one_and_is_touched_like_the_board(bench: Page) -> None:
    scene = bench.locator(".scene")
    await expect(scene).to_be_hidden()
    await bench.evaluate(
        """window.fight('<svg viewBox="0 0 90 30"><g id="space-gorge"><rect width="30" height="30"/></g></svg>')"""
    )
    await expect(scene).to_contain_text("A goblin!")
    await scene.locator("summary").click()
    await expect(scene.locator("svg")).to_be_hidden()
    await bench.evaluate(
        """window.fight('<svg viewBox="0 0 90 30"><g id="space-gorge"><rect width="30" height="30"/></g></svg>')"""
    )
    await expect(scene.locator("svg")).to_be_hidden()  # folded stays folded
    await scene.locator("summary").click()
    await scene.locator("#space-gorge").click()
    await bench.click("#space-peak")
    assert await sent(bench) == [{"go": {"path": ["gorge", "peak"]}}]
    await bench.evaluate("window.fight()")
    await expect(scene).to_be_hidden()


async def test_by_keyboard_alone(bench: Page) -> None:
    await bench.focus("#die-2")
    await bench.keyboard.press("ArrowLeft")
    await bench.keyboard.press("ArrowRight")
    await bench.keyboard.press("ArrowRight")
    assert await bench.evaluate("document.activeElement.id") == "die-3"
    await bench.keyboard.press("Enter")
    assert await bench.evaluate("document.activeElement.id") == "square-b2", "on to where it may go"
    await bench.keyboard.press(" ")
    assert await sent(bench) == [{"place": {"die": 3, "square": "b2"}}]
    await bench.focus("#square-a1")
    await bench.keyboard.press("Enter")
    assert await bench.evaluate("document.activeElement.textContent") == "Put die 1 into a1"
    await bench.keyboard.press("Escape")
    assert await bench.evaluate("document.activeElement.id") == "square-a1"


async def test_on_a_phone_a_large_board_is_scrolled_in_its_frame(browser: Browser, platform: Embedded) -> None:
    context = await browser.new_context(viewport=PHONE, has_touch=True)
    person = Person(await context.new_page(), platform)
    await person.page.goto(platform.page)
    await set_up(person)
    assert await person.fits()
    assert await person.page.locator("main > .board").evaluate("one => one.scrollWidth") == 600
    await person.page.tap("#die-1")
    await expect(person.page.locator(".chooser")).to_be_in_viewport()
    await person.page.tap("#square-a1")
    assert await sent(person.page) == [{"place": {"die": 1, "square": "a1"}}]
    assert person.errors == []
