"""The limiter process: a Sanic server for the checks of API processes, started and stopped by the lifecycle."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
import structlog
from msgspec import Meta
from sanic import Sanic
from sanic.exceptions import SanicException
from sanic.log import logger as sanic_logger
from sanic.request import Request
from sanic.response import HTTPResponse, raw, text

from services.contract.checks import CHECK_PATH, CHECKS_MAX, RELEASE_PATH, Check
from services.process.guard import Guard
from services.process.http_server import HttpServer
from services.process.lifecycle import Lifecycle, StartError
from services.process.metrics import Registry
from services.process.settings import Settings

from .limiter import Limiter
from .window import StoreAway, Windows

JSON: Final = "application/json"
CHECKS: Final[msgspec.json.Decoder[list[Check]]] = msgspec.json.Decoder(
    Annotated[list[Check], Meta(max_length=CHECKS_MAX)]
)
BODY_BYTES_MAX: Final = 128 * 1024
# longer than API processes keep an idle connection, so that a connection is never closed while a request is sent on it
KEEP_ALIVE_SECONDS: Final = 75

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
# its greeting at the start is of no use to an operator
sanic_logger.setLevel(logging.WARNING)


class LimiterProcess:
    """The limiter, as its lifecycle sees it."""

    name = "limiter"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.settings = settings
        self.guard = Guard(settings.limiter_host, settings.internal_names)
        try:
            self.windows = Windows(settings.redis_url.get_secret_value())
        except ValueError:
            # the client's own sentence may repeat a part of the password
            raise StartError("REDIS_URL is not an address that the Redis client understands.") from None
        self.limiter = Limiter(self.windows, registry)
        self.server = make_server(self)
        self.http = HttpServer(self.server)
        self.in_flight = 0

    async def start(self, lifecycle: Lifecycle) -> None:
        """Listen. Redis may come later; until then the process is not ready. Raises StartError."""
        await self.http.listen(self.settings.limiter_host, self.settings.limiter_port, self.settings.reuse_port)
        await self.http.serve()

    async def ready(self) -> str | None:
        """Why no checks should come: without Redis none can be decided."""
        return None if await self.windows.answers() else "Redis does not answer, or takes no writes."

    def live(self) -> str | None:
        """Nothing here needs a restart."""
        return None

    async def quiet(self) -> None:
        """From now on every answer closes its connection."""
        self.http.quiet()

    async def stop_accepting(self) -> None:
        """Close the listening socket."""
        self.http.stop_accepting()

    async def finish(self, seconds: float) -> None:
        """Complete the requests in flight and close idle connections. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            await self.http.finish(lambda: self.in_flight > 0)

    async def close(self) -> None:
        """Abort the remaining connections, then close those to Redis."""
        self.http.abort()
        await self.windows.close()

    async def respond(
        self, request: Request, decide: Callable[[Sequence[Check]], Awaitable[list[Any]]]
    ) -> HTTPResponse:
        """Return the response to a list of checks: a list of decisions."""
        self.http.note(request.transport)
        local = request.transport.get_extra_info("sockname") if request.transport else None
        if refused := self.guard.wrong_host(request.headers.getall("host", []), local):
            status, sentence = refused
            return text(sentence, status)
        if request.content_type != JSON:
            return text(f"The body must be sent as {JSON}.", 415)
        try:
            checks = CHECKS.decode(request.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return text(f"The body is not a list of at most {CHECKS_MAX} checks.", 400)
        self.in_flight += 1
        try:
            return raw(msgspec.json.encode(await decide(checks)), content_type=JSON)
        except StoreAway:
            return text("Redis does not answer; nothing was decided.", 503)
        finally:
            self.in_flight -= 1


def make_server(process: LimiterProcess) -> Sanic[Any, Any]:
    """The two routes; all other requests are refused with one sentence."""
    server: Sanic[Any, Any] = Sanic("agent-board-limiter", configure_logging=False, strict_slashes=True)
    server.config.ACCESS_LOG = False
    server.config.REQUEST_MAX_SIZE = BODY_BYTES_MAX
    server.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS

    async def check(request: Request) -> HTTPResponse:
        return await process.respond(request, process.limiter.check)

    async def release(request: Request) -> HTTPResponse:
        return await process.respond(request, process.limiter.release)

    async def refuse(_request: Request, exception: Exception) -> HTTPResponse:
        status = exception.status_code if isinstance(exception, SanicException) else 500
        if status >= 500:
            log.error("internal_error", exc_info=exception)
        return text(f"{HTTPStatus(status).phrase}.", status)

    server.add_route(check, CHECK_PATH, methods=["POST"])
    server.add_route(release, RELEASE_PATH, methods=["POST"])
    server.exception(Exception)(refuse)
    return server
