"""HTTP: the page's files, the rooms' drawings, and the public API. Talks to the gateway only; knows no game."""

from __future__ import annotations

import logging
from importlib import resources
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from ludolog.hosting import Host
from ludolog.hosting.transport import PortTaken, page_context, taken
from ludolog.rulebooks import catalogue
from services.web.transcoding import Api

PAGE = Path(__file__).parent / "page"
MAXIMUM_BODY = 64 << 10
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


SERVERS_FAULT = 500
logger = logging.getLogger("ludolog.http")


async def bind(host: Host) -> None:
    """Open the page's port. PortTaken names the variable."""
    for name in catalogue.names():
        catalogue.load(name)  # the rooms' messages must be known before they can be written as JSON
    api = Api(host.channel("gateway", on_behalf=True), host.settings.trusted_proxies)
    runner = serving(api, host.settings.drain_s)
    await runner.setup()
    host.on_drain(api.close)
    host.on_close(runner.cleanup)
    site = web.TCPSite(runner, host.settings.host, host.settings.web_port, ssl_context=page_context(host.settings))
    try:
        await site.start()
    except OSError:
        raise PortTaken(taken(host.settings, "web_port")) from None
    host.opened("web_port", runner.addresses[0][1])


class _OurFaults(logging.Filter):
    """Drops what aiohttp says at ERROR of requests that aren't HTTP: whoever sends them is answered 400."""

    def filter(self, record: logging.LogRecord) -> bool:
        """False for such a record."""
        raised = record.exc_info[1] if record.exc_info else None
        return not (isinstance(raised, HttpProcessingError) and raised.code < SERVERS_FAULT)


_OUR_FAULTS = _OurFaults()


def serving(api: Api, drain_s: float) -> web.AppRunner:
    """The application, ready for a port; `drain_s`: how long open calls get at the stop, in seconds."""
    logger.addFilter(_OUR_FAULTS)
    return web.AppRunner(application(api), access_log=None, shutdown_timeout=drain_s, logger=logger)


def application(api: Api) -> web.Application:
    """The routes."""
    app = web.Application(client_max_size=MAXIMUM_BODY)
    app.add_routes(api.routes())
    app.add_routes(
        [
            web.get("/", index),
            web.get("/healthz", healthy),
            web.get("/rulebooks/{rulebook}/{file:board\\.js}", board),
            web.static("/page", PAGE),
        ]
    )
    app.on_response_prepare.append(_headers)
    return app


async def _headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.pop("Server", None)
    if request.path.startswith(("/page/", "/rulebooks/")):
        response.headers["Cache-Control"] = "no-cache"


async def index(request: web.Request) -> web.StreamResponse:
    """The one page; what it shows is in the address after the #."""
    return web.FileResponse(PAGE / "index.html")


async def healthy(request: web.Request) -> web.Response:
    """The process is alive."""
    return web.Response(text="ok\n")


async def board(request: web.Request) -> web.Response:
    """A room's drawing."""
    name = request.match_info["rulebook"]
    if name not in catalogue.names():
        raise web.HTTPNotFound
    script = (resources.files(f"ludolog.rulebooks.{name}") / "board.js").read_text(encoding="utf-8")
    return web.Response(text=script, content_type="text/javascript")
