"""The api process: Sanic's server around our own dispatch, one process, started and stopped by the lifecycle."""

import asyncio
import gc
import socket
from typing import Any, cast

import asyncpg
from sanic import Sanic
from sanic.exceptions import PayloadTooLarge, SanicException, ServiceUnavailable
from sanic.http import Stage
from sanic.request import Request

from services.board import database, errors
from services.board.contract.limits import set_rates
from services.board.contract.schemas import HEAD_BYTES_MAX, FieldError
from services.board.health import database_answers
from services.board.links import Links
from services.board.process.connections import busy_connections
from services.board.process.lifecycle import Lifecycle, StartError
from services.board.process.metrics import Registry, RequestMetrics
from services.board.process.request_log import RequestLog
from services.board.process.settings import Settings
from services.board.tags import missing_tags

from .addresses import ClientAddresses
from .board import Board
from .committer import Committer
from .dispatch import Dispatch
from .documents import documents
from .lane import BATCH_MAX
from .limiter_client import LimiterClient
from .memory import Memory
from .parsing import DRAIN_BYTES_MAX
from .recent import Recent
from .routes import Routes, add_routes
from .stream import HEADS_MAX, Heads, Protocol, Stream
from .tail import Tail
from .throttle import Throttle
from .wire import send

BACKLOG = 1024
GARBAGE_THRESHOLD = 20_000  # requests leave no cycles; the default of 700 looks for them at every other one
RESPONSE_SECONDS = 60
KEEP_ALIVE_SECONDS = 75
IDLE_POLL_SECONDS = 0.05


class Server(Sanic[Any, Any]):
    """Sanic with one handler for everything: no middleware, no signals, no error pages of its own."""

    __slots__ = ("dispatcher", "heads", "quiet")

    def __init__(self) -> None:
        super().__init__("agent-board", configure_logging=False, strict_slashes=True)
        self.config.ACCESS_LOG = False
        self.config.REQUEST_MAX_SIZE = DRAIN_BYTES_MAX
        self.config.REQUEST_MAX_HEADER_SIZE = HEAD_BYTES_MAX
        self.config.RESPONSE_TIMEOUT = RESPONSE_SECONDS
        self.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS
        self.config.FALLBACK_ERROR_FORMAT = "json"
        self.dispatcher: Dispatch | None = None
        self.heads: Heads = Recent(HEADS_MAX)
        self.quiet = False

    async def handle_request(self, request: Request) -> None:
        """Answer one request."""
        assert self.dispatcher is not None
        await send(cast(Stream, request.stream), await self.dispatcher.answer(request), self.quiet)

    async def handle_exception(self, request: Request, exception: BaseException, run_middleware: bool = True) -> None:
        """Answer what Sanic refused before it was a request, or what it cut short."""
        assert self.dispatcher is not None
        if request.stream is not None and request.stream.stage is Stage.HANDLER:
            stream: Any = request.stream
            if stream.protocol.conn_info.lost:
                # the client hung up: the dispatch has accounted for that, and nobody is there to be answered
                raise asyncio.CancelledError
            await send(stream, self.dispatcher.refuse(request, translated(exception)), self.quiet)


def translated(exception: BaseException) -> Exception:
    """What Sanic refuses, in the words of the board."""
    if isinstance(exception, PayloadTooLarge):
        detail = f"The request line and headers are longer than {HEAD_BYTES_MAX} bytes."
        return errors.Invalid([FieldError(None, "head", "too_long", detail, HEAD_BYTES_MAX)])
    if isinstance(exception, ServiceUnavailable):
        return errors.OutcomeUnknown("The answer took too long; whether the change was made is not known.")
    if isinstance(exception, SanicException) and exception.status_code < 500:
        return errors.Invalid([FieldError(None, "head", "bad_format", "This is not a well-formed HTTP request.")])
    return exception if isinstance(exception, Exception) else errors.Unavailable()


class Api:
    """The api process, as its lifecycle sees it."""

    name = "api"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        set_rates(settings.rates)
        self.settings = settings
        self.registry = registry
        self.metrics = RequestMetrics(registry)
        self.request_log = RequestLog(self.name, settings.log_level)
        self.committer = Committer(
            settings.database_url.get_secret_value(),
            settings.communities_open,
            settings.write_queue,
            sizes=registry.distribution(
                "agent_board_batch_writes",
                "Writes committed together in one batch, by kind.",
                bounds=[1, 2, 4, 8, 16, 32, 64, 128, BATCH_MAX],
                labels=["kind"],
            ),
            seconds=registry.distribution(
                "agent_board_batch_seconds", "Time from sending a batch to its commit, by kind.", labels=["kind"]
            ),
        )
        self.receipt_mismatches = registry.count(
            "agent_board_receipt_mismatches_total", "Posts found not to be what their receipts were made of."
        )
        registry.reading("agent_board_writes_waiting", "Writes that wait for their batch.", self.committer.waiting)
        registry.reading(
            "agent_board_writes_waiting_max",
            "How many writes may wait; the next one is answered 503.",
            lambda: settings.write_queue,
        )
        registry.reading("agent_board_pool_connections", "Open connections, by pool.", self.pool_sizes, "pool")
        registry.reading(
            "agent_board_pool_connections_max", "How many connections a pool may open.", self.pool_limits, "pool"
        )
        registry.reading("agent_board_pool_idle_connections", "Idle connections, by pool.", self.pool_idle, "pool")
        self.memory = Memory(settings.memory_mebibytes * 2**20, registry)
        self.tail = Tail(self.tail_connection, self.memory.apply, self.memory.forget, registry)
        self.limiter = LimiterClient(settings.limiter_url, registry) if settings.limiter_url else None
        self.throttle: Throttle | None = None
        self.pools: dict[str, asyncpg.Pool] = {}
        self.server = Server()
        self.listener: Any = None

    def pool_sizes(self) -> dict[str, float]:
        return {name: pool.get_size() for name, pool in self.pools.items()}

    def pool_limits(self) -> dict[str, float]:
        return {name: pool.get_max_size() for name, pool in self.pools.items()}

    def pool_idle(self) -> dict[str, float]:
        return {name: pool.get_idle_size() for name, pool in self.pools.items()}

    async def start(self, lifecycle: Lifecycle) -> None:
        """Wait for the schema, connect, then listen. Raises StartError."""
        settings = self.settings
        try:
            await database.wait_for_revision(settings.database_url.get_secret_value(), settings.revision_wait_seconds)
            self.pools["read"] = await database.read_pool(
                settings.read_database_url.get_secret_value(), settings.read_pool_size
            )
            self.pools["write"] = await database.write_pool(settings.database_url.get_secret_value())
            self.pools["token"] = await database.write_pool(settings.database_url.get_secret_value())
            await self.committer.start()
            await self.tail.catch_up()
            if missing := await missing_tags(self.pools["read"]):
                raise StartError(missing)
        except errors.Unavailable as error:
            raise StartError(str(error)) from None
        if self.limiter is not None:
            await self.limiter.start()
            self.throttle = Throttle(self.limiter, self.pools["token"], self.registry, settings.write_queue)
        links = Links(settings.base_url)
        board = Board(
            self.pools["read"],
            self.pools["write"],
            self.pools["token"],
            self.committer,
            links,
            documents(links),
            settings.secret_guard,
            self.limiter,
        )
        self.server.dispatcher = Dispatch(
            board,
            self.throttle,
            ClientAddresses(settings.trusted_proxies),
            Routes(self.server.router),
            self.metrics,
            self.receipt_mismatches,
            self.request_log,
            self.tail,
            self.memory,
        )
        add_routes(self.server.router)
        await self.listen()
        assert self.committer.task is not None
        lifecycle.watch(self.committer.task)

    async def tail_connection(self) -> asyncpg.Connection:
        return await database.reading_connection(self.settings.read_database_url.get_secret_value())

    async def listen(self) -> None:
        self.listener = await self.server.create_server(
            sock=listening_socket(self.settings),
            protocol=Protocol,
            backlog=BACKLOG,
            asyncio_server_kwargs={"start_serving": False},
        )
        await self.listener.startup()
        # what is there now stays: the collector need not look at it again and again
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        await self.listener.start_serving()

    async def ready(self) -> str | None:
        """Why no traffic should come: without the database nothing can be answered."""
        return None if await database_answers(self.pools["read"]) else "The database does not answer."

    def live(self) -> str | None:
        """Only a task that died needs a restart, and the lifecycle watches that."""
        return None

    async def quiet(self) -> None:
        """From now on every answer closes its connection."""
        self.server.quiet = True

    async def stop_accepting(self) -> None:
        """Close the listening socket."""
        self.listener.close()

    async def finish(self, seconds: float) -> None:
        """Answer what is in hand; connections that only wait are closed.

        Raises TimeoutError when that takes longer than so many seconds; the rest is then cut off by `close`.
        """
        dispatcher = self.server.dispatcher
        assert dispatcher is not None
        async with asyncio.timeout(seconds):
            while dispatcher.writes or busy_connections(self.listener.connections):  # noqa: ASYNC110 - Sanic has no event for it
                await asyncio.sleep(IDLE_POLL_SECONDS)
            await self.committer.finish()

    async def close(self) -> None:
        """Cut off what is left, then the pools, last."""
        for connection in list(self.listener.connections) if self.listener else []:
            connection.abort()
        await self.committer.close()
        await self.memory.close()
        await self.tail.close()
        if self.throttle is not None:
            await self.throttle.close()
        for pool in self.pools.values():
            await pool.close()
        self.request_log.flush()


def listening_socket(settings: Settings) -> socket.socket:
    """The public port. Raises StartError when it is not to be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if settings.reuse_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise StartError(f"Port {settings.port} of {settings.host} is not to be had: {error.strerror}.") from None
    listener.setblocking(False)
    return listener
