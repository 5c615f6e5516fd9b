"""A person with a browser: plays by clicking, is watched, looks at the replay, sees that it verifies."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, expect

from deploy.dev.embedded import Embedded
from ludolog.cli import main
from tests.browser.person import PHONE, Person

IMAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "images"


async def shot(person: Person, name: str) -> None:
    """Take the pictures for the README, when they are asked for (make screenshots)."""
    if os.environ.get("LUDOLOG_TEST_SCREENSHOTS"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        await person.page.screenshot(path=IMAGES / name)


def known_roles(update: dict[str, Any]) -> set[int]:
    """The seats whose roles an update's view shows."""
    players = update["view"]["players"]
    return {player["seat"] for player in players if player.get("role", "ROLE_UNSPECIFIED") != "ROLE_UNSPECIFIED"}


def assert_no_secret(updates: list[dict[str, Any]], seat: int) -> None:
    """Before the end nothing but one's own role was sent (seat 0: none at all); at the end there are all."""
    during = [update for update in updates if "outcome" not in update]
    assert during
    for update in during:
        assert known_roles(update) <= {seat}
        assert "hidden" not in update["view"]
        assert ("own" in update["view"]) == bool(seat)
        dealt = [event["roles_dealt"] for event in update.get("events", []) if "roles_dealt" in event]
        assert seat or not any("own_role" in event for event in dealt)
        assert not any("roles_revealed" in event for event in update.get("events", []))
    assert any(known_roles(update) == {1, 2, 3, 4, 5} for update in updates if "outcome" in update)


async def test_a_match_from_sign_in_to_proof(browser: Browser, platform: Embedded) -> None:
    ann = await Person.named(browser, platform, "Ann")
    await ann.open_table()
    match = ann.page.url.rpartition("/matches/")[2].partition("/")[0]
    seat = int(ann.page.url.rpartition("/")[2])
    watcher = await Person.arrive(browser, platform, path=f"/#/matches/{match}")
    await watcher.page.wait_for_selector(".board svg")
    moves = 0
    while await ann.my_turn():
        if moves < 3:
            await shot(ann, "match.png")
        await ann.click_a_chamber()
        moves += 1
        if moves == 1:
            await ann.page.reload()
            await ann.page.wait_for_selector(".board svg")
    assert moves
    await expect(ann.page.locator(".status")).to_contain_text("You have")
    await expect(watcher.page.locator("#to-replay")).to_be_visible()
    log = await ann.page.locator("#log li").all_text_contents()
    assert await watcher.page.locator("#log li").count() == len(log)
    assert_no_secret(ann.updates, seat)
    assert_no_secret(watcher.updates, 0)
    await look_at_the_replay(ann)
    assert ann.errors == watcher.errors == []


async def look_at_the_replay(ann: Person) -> None:
    """Verify, scrub, see with other eyes, play, download."""
    page = ann.page
    await page.click("#to-replay")
    await expect(page.locator("#verdict")).to_contain_text("This match verifies")
    assert await page.locator(".checks .broken, .checks .quiet:not(span)").count() == 0
    await expect(page.locator(".checks")).to_contain_text("✓ your promise")
    await page.locator("#scrub").fill("1")
    await expect(page.locator("#position")).to_contain_text("1 /")
    assert "hides" not in await page.locator(".play > .board").inner_html()
    await page.select_option("#eyes", "omniscient")
    await expect(page.locator(".play > .board")).to_contain_text("hides gold")
    await page.click("#play")
    await expect(page.locator("#position")).to_contain_text("3 /")
    await page.click("#play")
    await shot(ann, "replay.png")
    async with page.expect_download() as download:
        await page.click("text=Download the record")
    file = await (await download.value).path()
    async with page.expect_download() as download:
        await page.click("#receipt")
    assert main(["verify", str(file), "--receipt", str(await (await download.value).path())]) == 0
    record = [json.loads(line) for line in file.read_text().splitlines()]
    assert record[0]["format"] == "ludolog-match-record"
    seed = next(bytes.fromhex(line["seed"]) for line in record if "seed" in line)
    domain = b"ludolog/commitment/v1"
    promised = hashlib.sha256(len(domain).to_bytes(4, "big") + domain + seed).hexdigest()
    await expect(page.locator(".checks")).to_contain_text(f"{promised[:16]}… was kept by this browser")


async def test_a_promise_that_was_not_kept_is_told(browser: Browser, platform: Embedded) -> None:
    gil = await Person.named(browser, platform, "Gil")
    await gil.open_table(3)
    await gil.page.evaluate(
        """const all = JSON.parse(localStorage["ludolog.promises"]);
           for (const one of Object.values(all)) one.commitment = btoa("x".repeat(32));
           localStorage["ludolog.promises"] = JSON.stringify(all);"""
    )
    while await gil.my_turn():
        await gil.click_a_chamber()
    await gil.page.click("#to-replay")
    await expect(gil.page.locator("#verdict")).to_contain_text("not the match that was promised")
    await expect(gil.page.locator(".checks .broken")).to_contain_text("your promise")


async def test_on_a_phone_by_keyboard_with_talk(browser: Browser, platform: Embedded) -> None:
    ben = await Person.named(browser, platform, "Ben", PHONE)
    assert await ben.fits()
    await ben.open_table(10)
    assert await ben.fits()
    await ben.page.click("summary:has-text('Talk')")
    claim = ben.page.locator("details.command").first
    await claim.locator("summary").click()
    assert await ben.fits()
    said = ben.page.locator("#log li:has-text('Ben says')")
    await claim.locator("select").first.select_option(index=1)
    await claim.locator("button").click()
    await expect(said).to_have_count(1)
    assert await ben.my_turn()
    await ben.open_by_keyboard()
    assert await ben.fits()
    assert ben.errors == []


async def test_a_private_table_is_found_by_its_invitation(browser: Browser, platform: Embedded) -> None:
    dora = await Person.named(browser, platform, "Dora")
    await dora.page.get_by_label("Game").select_option("rulebooks/tempel_des_schreckens")
    await dora.page.check("text=Private (by invitation)")
    await expect(dora.page.get_by_label("Fill up with house players")).not_to_be_checked()
    await dora.page.fill("input[type=number] >> nth=0", "3")
    await dora.page.click("#create")
    link = await dora.page.locator("code:has-text('?code=')").text_content()
    assert link
    await expect(dora.page.locator("main")).to_contain_text("A table for Tempel des Schreckens")
    await expect(dora.page.locator("main")).to_contain_text("2 seats are free")
    emil = await Person.arrive(browser, platform, path=link.removeprefix(platform.page))
    await emil.sign_in("Emil")
    await emil.page.click("button:has-text('Take a seat')")
    await expect(dora.page.locator("main")).to_contain_text("Emil")
    assert await tables_on_offer(await Person.named(browser, platform, "Fay")) == []
    await emil.page.goto(platform.page)
    await emil.page.click("text=Sign out")
    await expect(emil.page.locator("#name")).to_be_visible()
    await emil.page.reload()
    await expect(emil.page.locator("#name")).to_be_visible()
    assert dora.errors == emil.errors == []


async def tables_on_offer(person: Person) -> list[Any]:
    """The open tables that the API tells this person of."""
    answer = await person.page.evaluate(
        """async () => (await fetch("/api/TableService/ListTables", {
             method: "POST", body: "{}",
             headers: {Authorization: `Bearer ${localStorage["ludolog.token"]}`}})).json()"""
    )
    tables: list[Any] = answer.get("tables", [])
    return tables


async def test_the_page_comes_back_after_the_platform_was_killed(browser: Browser, platform: Embedded) -> None:
    cleo = await Person.named(browser, platform, "Cleo")
    await cleo.open_table()
    assert await cleo.my_turn()
    platform.kill()
    await expect(cleo.page.locator(".connection")).to_contain_text("reconnecting")
    platform.start()
    await expect(cleo.page.locator(".connection")).to_be_empty()
    assert await cleo.my_turn()
    await cleo.click_a_chamber()
    numbers = await cleo.page.locator("#log li").evaluate_all("all => all.map(li => li.value)")
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
