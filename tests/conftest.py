"""What all suites share: real servers, the order of the suites, and a closing word on what didn't run."""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page

from deploy.dev.process import Missing
from deploy.dev.servers import Kafka, PostgreSQL, Prometheus, Redis
from tests.infra.chromium import Chromium, find_chromium
from tests.infra.provide import NOT_HERE, not_here, provided

TESTS = Path(__file__).resolve().parent
# Fast ones first, so that a mistake shows early.
SUITES = (
    "tidy",
    "unit",
    "property",
    "contract",
    "scenarios",
    "simulation",
    "golden",
    "integration",
    "browser",
    "chaos",
)


# Fixtures that stand for real servers.
SERVERS = frozenset({"broker", "kafka", "nodes", "postgres", "prometheus", "redis", "redis_server", "servers_folder"})


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    """A folder for the servers' data, which PostgreSQL's user can reach where tests run as root."""
    with tempfile.TemporaryDirectory(prefix="ludolog-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture(scope="session")
def kafka(servers_folder: Path) -> Iterator[Kafka]:
    """One Kafka broker for the whole session; use topics with names of your own."""
    with provided(Kafka(servers_folder / "kafka")) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(servers_folder: Path) -> Iterator[Redis]:
    """One Redis for the whole session; use keys of your own, or flush it."""
    with provided(Redis(servers_folder / "redis")) as server:
        yield server


@pytest.fixture(scope="session")
def postgres(servers_folder: Path) -> Iterator[PostgreSQL]:
    """One PostgreSQL for the whole session; `create_database()` gives a database of your own."""
    with provided(PostgreSQL(servers_folder / "postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def prometheus(servers_folder: Path) -> Iterator[Prometheus]:
    """One Prometheus for the whole session; `configure()` has it watch something."""
    with provided(Prometheus(servers_folder / "prometheus")) as server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """The browser: `async with chromium.launched() as browser`."""
    try:
        return find_chromium()
    except Missing as missing:
        not_here("Chromium", missing)


@pytest.fixture
async def page(chromium: Chromium) -> AsyncIterator[Page]:
    """An empty page in a browser of its own. The test fails if a script on it raised an error."""
    errors: list[Exception] = []
    async with chromium.launched() as browser:
        page = await browser.new_page()
        page.on("pageerror", lambda error: errors.append(error))  # noqa: PLW0108 - playwright marks its handlers
        yield page
    assert not errors, f"scripts on the page raised: {errors}"


def suite_of(path: Path) -> str:
    """The suite that a test file belongs to: its folder under tests/."""
    return path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what needs real servers, so that the rest can run beside it (`-m servers`, `-m "not servers"`)."""
    if not SERVERS.isdisjoint(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.servers)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the suites in their order; inside a suite, keep pytest's."""
    order = {suite: place for place, suite in enumerate(SUITES)}
    items.sort(key=lambda item: order.get(suite_of(item.path), len(SUITES)))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say, as the last word, which suites didn't run whole for want of a server, and how to get it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    missing: dict[str, Counter[str]] = {}
    for report in reporter.getreports("skipped"):
        _, _, reason = str(report.longrepr).partition(NOT_HERE)
        if reason:
            suite = suite_of(TESTS.parent / report.nodeid.partition("::")[0])
            missing.setdefault(suite, Counter())[reason.partition(":")[0]] += 1
    if missing:
        said = [
            f"{suite} ({servers.total()} tests, for want of {', '.join(sorted(servers))})"
            for suite, servers in missing.items()
        ]
        reporter.line(
            f"\nNot run on this machine: {'; '.join(said)}. Everything else did run. To run these too, install the "
            "servers (on Debian, as root: make servers; deploy/dev/install lists them) or start a Docker engine, and "
            "run make test again. With LUDOLOG_REQUIRE_INFRA=1 a missing server is a failure.",
        )
