"""The limiter process: Sanic's server for the api's checks, started and stopped by the lifecycle."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import structlog
from sanic import Sanic
from sanic.exceptions import MethodNotAllowed, SanicException
from sanic.log import logger as sanic_logger
from sanic.request import Request
from sanic.response import HTTPResponse, raw

from services.board.contract.checks import CHECK_PATH, RELEASE_PATH, Check
from services.board.contract.limits import set_rates
from services.board.process.connections import busy_connections
from services.board.process.lifecycle import Lifecycle, StartError
from services.board.process.metrics import Registry
from services.board.process.settings import Settings

from .limiter import Limiter
from .messages import PROBLEM_JSON, Refusal, encode, of_status, parse_checks
from .policies import Policies
from .window import StoreAway, Windows

BACKLOG: Final = 1024
BODY_BYTES_MAX: Final = 128 * 1024
# longer than the api keeps a connection that it does not use, so that it is never closed under a request on its way
KEEP_ALIVE_SECONDS: Final = 75
POLL_SECONDS: Final = 0.05

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
# its greeting at the start says nothing to an operator
sanic_logger.setLevel(logging.WARNING)


class LimiterProcess:
    """The limiter, as its lifecycle sees it."""

    name = "limiter"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        set_rates(settings.rates)
        self.settings = settings
        try:
            self.windows = Windows(settings.redis_url.get_secret_value())
        except ValueError:
            # the client's own sentence may repeat a part of the password
            raise StartError("REDIS_URL is not an address that the Redis client understands.") from None
        self.limiter = Limiter(self.windows, Policies(), registry)
        self.server = make_server(self)
        self.quiet_now = False
        self.listener: Any = None

    async def start(self, lifecycle: Lifecycle) -> None:
        """Listen. Redis may come later: until then nobody is sent here. Raises StartError."""
        self.listener = await self.server.create_server(
            sock=listening_socket(self.settings), backlog=BACKLOG, asyncio_server_kwargs={"start_serving": False}
        )
        await self.listener.startup()
        await self.listener.start_serving()

    async def ready(self) -> str | None:
        """Why no checks should come: without Redis none can be decided."""
        return None if await self.windows.answers() else "Redis does not answer."

    def live(self) -> str | None:
        """Nothing here needs a restart."""
        return None

    async def quiet(self) -> None:
        """From now on every answer closes its connection."""
        self.quiet_now = True

    async def stop_accepting(self) -> None:
        """Close the listening socket."""
        self.listener.close()

    async def finish(self, seconds: float) -> None:
        """Answer what is in hand; connections that only wait are closed. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while busy_connections(self.listener.connections):  # noqa: ASYNC110 - Sanic has no event for it
                await asyncio.sleep(POLL_SECONDS)

    async def close(self) -> None:
        """Cut off what is left, then the connections to Redis."""
        for connection in list(self.listener.connections) if self.listener else []:
            connection.abort()
        await self.windows.close()

    async def answer(self, request: Request, decide: Callable[[Sequence[Check]], Awaitable[list[Any]]]) -> HTTPResponse:
        """Answer a list of checks with a list of what was decided."""
        if self.quiet_now:
            stream: Any = request.stream
            stream.keep_alive = False
        try:
            decided = await decide(parse_checks(request.headers.get("content-type", ""), request.body))
        except StoreAway:
            return self.refuse(Refusal("unavailable", "Redis does not answer; nothing was decided."))
        except Refusal as refusal:
            return self.refuse(refusal)
        return raw(encode(decided), content_type="application/json")

    def refuse(self, refusal: Refusal) -> HTTPResponse:
        body = refusal.body(self.settings.base_url)
        return raw(body, refusal.status, headers=refusal.headers, content_type=PROBLEM_JSON)


def make_server(process: LimiterProcess) -> Sanic[Any, Any]:
    """The two routes; whatever else is asked is answered with a problem."""
    server: Sanic[Any, Any] = Sanic("agent-board-limiter", configure_logging=False, strict_slashes=True)
    server.config.ACCESS_LOG = False
    server.config.REQUEST_MAX_SIZE = BODY_BYTES_MAX
    server.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS

    async def check(request: Request) -> HTTPResponse:
        return await process.answer(request, process.limiter.check)

    async def release(request: Request) -> HTTPResponse:
        return await process.answer(request, process.limiter.release)

    async def refuse(_request: Request, exception: Exception) -> HTTPResponse:
        status = exception.status_code if isinstance(exception, SanicException) else 500
        if status >= 500:
            _log.error("internal_error", exc_info=exception)
        refusal = process.refuse(of_status(status))
        if isinstance(exception, MethodNotAllowed):
            refusal.headers["Allow"] = "POST"
        return refusal

    server.add_route(check, CHECK_PATH, methods=["POST"])
    server.add_route(release, RELEASE_PATH, methods=["POST"])
    server.exception(Exception)(refuse)
    return server


def listening_socket(settings: Settings) -> socket.socket:
    """The limiter's port. Raises StartError when it is not to be had."""
    host, port = settings.limiter_host, settings.limiter_port
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if settings.reuse_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise StartError(f"Port {port} of {host} is not to be had: {error.strerror}.") from None
    listener.setblocking(False)
    return listener
