"""A match of hundreds of moves is opened: the newest board is there at once, what was before is only told."""

from __future__ import annotations

import random

from playwright.async_api import Browser, expect

from deploy.dev.embedded import Embedded
from ludolog.api.match.v1 import match_pb2
from ludolog.client import Client, Refused, fill
from tests.browser.person import PATIENCE_MS, Person

MOVES = 330
"""More than the log of the page holds."""
LINES = 300
MOST_DRAWINGS = 4
COUNT = """
window.drawings = 0;
new MutationObserver((changes) => {
  window.drawings += changes.filter(({target}) => target.matches?.(".play > .board")).length;
}).observe(document, {childList: true, subtree: true});
"""
TAKE = """
async () => {
  const { together } = await import("/page/together.js"), sizes = [];
  async function* stream() {
    for (let n = 0; n < 40; n += 1) {
      yield n;
      yield n;
      await new Promise((done) => setTimeout(done, 2));
    }
    throw new Error("lost");
  }
  try {
    for await (const batch of together(stream())) {
      sizes.push(batch.length);
      await new Promise((done) => setTimeout(done, 40));
    }
  } catch (error) {
    sizes.push(error.message);
  }
  return sizes;
}
"""
"""Eighty things, two at a time, for somebody who takes longer for each batch than the next things take to come."""
NUMBERS = "all => all.map(one => one.value)"


async def long_match(platform: Embedded) -> tuple[str, int, str]:
    """A match that is on, of two guests who move at random. Its name, its last move, the first guest's token."""
    chance = random.Random(7)
    async with Client(platform.address) as ann, Client(platform.address) as ben:
        await ann.sign_in_guest("Ann")
        await ben.sign_in_guest("Ben")
        table = await ann.tables.create("warlock_of_firetop_mountain", seats=2, decision_time_s=0)
        for one in (ann, ben):
            await one.tables.join(table)
        await ann.tables.start(table)
        match, sequence = (await ann.tables.until_playing(table)).match, 1
        while sequence < MOVES:
            for seat, one in ((1, ann), (2, ben)):
                sequence = await moved(one, match, seat, sequence, chance)
        return match, sequence, ann.token


async def moved(player: Client, match: str, seat: int, sequence: int, chance: random.Random) -> int:
    """Make a move where there is one. Returns the number of the last move."""
    legal = await player.legal_commands(match, seat, minimum_sequence=sequence)
    moves = [one for one in legal if one.kind == match_pb2.COMMAND_KIND_MOVE]
    if not moves:
        return sequence
    chosen = chance.choice(moves)
    try:
        receipt = await player.submit(match, seat, fill(chosen), decision_id=chosen.decision_id)
    except Refused:
        return sequence
    return receipt.sequence


async def test_a_long_match_is_drawn_once(browser: Browser, platform: Embedded) -> None:
    match, last, token = await long_match(platform)
    for path, seated in ((f"/#/{match}", False), (f"/#/{match}/seats/1", True)):
        person = await Person.arrive(browser, platform)
        await person.page.add_init_script(COUNT)
        if seated:
            await person.page.evaluate("token => { localStorage['ludolog.token'] = token; }", token)
        await person.page.goto(platform.page + path)
        await person.page.reload()
        log = person.page.locator("#log li")
        await expect(person.page.locator(".play > .board svg").first).to_be_visible()
        await expect(log.nth(LINES // 2)).to_be_attached()
        await expect(log.filter(has_text="earlier moves come")).to_have_count(0, timeout=PATIENCE_MS)
        numbers = await log.evaluate_all(NUMBERS)
        assert LINES // 2 < len(numbers) <= LINES, "some moves are told to nobody"
        assert numbers == sorted(numbers, reverse=True), "the newest stands above"
        assert numbers[0] <= last
        assert {update["sequence"] for update in person.updates} >= {str(last)}
        assert await person.page.evaluate("window.drawings") <= MOST_DRAWINGS
        assert person.errors == []


async def test_what_waits_is_taken_together(browser: Browser, platform: Embedded) -> None:
    ann = await Person.arrive(browser, platform)
    *sizes, end = await ann.page.evaluate(TAKE)
    assert sum(sizes) == 80
    assert sizes[0] == 2, "what came at once"
    assert len(sizes) < 20
    assert end == "lost"
