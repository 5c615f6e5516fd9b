"""The Chromium of the machine, for browser tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Browser, async_playwright

from deploy.dev.process import find_program

# Runs as root and in a closed network: it must not try to phone home, many times at once, at every start.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Chromium:
    """A browser that can be launched."""

    executable: str

    @asynccontextmanager
    async def launched(self) -> AsyncIterator[Browser]:
        """A headless browser with an empty profile, for the time of the context."""
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=self.executable, args=list(ARGUMENTS))
            try:
                yield browser
            finally:
                await browser.close()


def find_chromium() -> Chromium:
    """The installed browser. Raises Missing."""
    return Chromium(find_program("chromium", package="chromium"))
