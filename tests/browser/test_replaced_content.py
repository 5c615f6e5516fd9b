"""Content is replaced while matches are on: each is drawn as it was begun, or the page says that it can't be."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.async_api import Browser, expect

from deploy.dev.embedded import Embedded
from ludolog.rulebooks import catalogue
from tests.browser.person import Person
from tests.browser.test_warlock import NAME, open_table, seated

ROOM = "Dragon's Lair"
OTHER = "Wyrm's Den"


def replace_board(folder: Path) -> None:
    """Another name for a room."""
    folder.mkdir(parents=True)
    board = catalogue.read_content(NAME)["board.toml"]
    assert ROOM.encode() in board
    (folder / "board.toml").write_bytes(board.replace(ROOM.encode(), OTHER.encode()))


async def sees(ann: Person, url: str, room: str) -> None:
    """The match at an address is drawn with this room, and not with the other one."""
    await ann.page.goto(url)
    await ann.page.reload()
    board = ann.page.locator(".play > .board")
    await expect(board.get_by_label(room).first).to_be_attached()
    assert await board.get_by_label(({ROOM, OTHER} - {room}).pop()).count() == 0


async def test_each_match_is_drawn_with_its_own_content(browser: Browser, tmp_path: Path) -> None:
    content = tmp_path / "content"
    content.mkdir()
    with Embedded(tmp_path / "platform", {"LUDOLOG_CONTENT_DIR": str(content)}) as platform:
        ann = await seated(browser, platform)
        printed = ann.page.url
        await sees(ann, printed, ROOM)

        platform.stop()
        replace_board(content / NAME)
        platform.start()
        await sees(ann, printed, ROOM)
        await ann.page.goto(platform.page)
        await open_table(ann)
        replaced = ann.page.url
        await sees(ann, replaced, OTHER)

        platform.stop()
        shutil.rmtree(content / NAME)
        platform.start()
        await ann.page.goto(replaced)
        await ann.page.reload()
        await expect(ann.page.get_by_role("alert")).to_contain_text("begun with other content")
        await expect(ann.page.locator(".board svg")).to_have_count(0)
        await sees(ann, printed, ROOM)

        platform.stop()
        replace_board(content / NAME / "earlier" / "den")
        platform.start()
        await sees(ann, replaced, OTHER)
