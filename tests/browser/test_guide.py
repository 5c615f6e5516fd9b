"""The JavaScript in docs/api.md plays a whole match, in a browser."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Browser

from deploy.dev.embedded import Embedded
from tests.browser.person import Person

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
JAVASCRIPT = re.compile(r"```javascript\n(.*?)```", re.DOTALL)


async def test_the_match_over_http_is_played_to_its_end(browser: Browser, platform: Embedded) -> None:
    (program,) = JAVASCRIPT.findall(GUIDE.read_text().replace("http://127.0.0.1:7480", platform.page))
    reader = await Person.arrive(browser, platform)
    said: list[str] = []
    reader.page.on("console", lambda message: said.append(message.text))
    match, outcome = await reader.page.evaluate(f"async () => {{ {program}\nreturn [table.match, outcome]; }}")
    assert match.startswith("matches/tempel-")
    assert {result["seat"] for result in outcome["results"]} == {1, 2, 3}
    assert said[-1] == outcome["reason"]
    assert len(said) > len(outcome["results"])
    assert reader.errors == []
