"""The API process: builds its parts, and takes the steps that the lifecycle asks for."""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from typing import Any, Final

import asyncpg

from services.api.cache.change_feed import ChangeFeed
from services.api.cache.memory import Memory
from services.api.cache.tokens import Tokens
from services.api.documents.rendering import documents
from services.api.http.addresses import ClientAddresses
from services.api.limiter_client import LimiterClient
from services.api.pages.site import Site, fixed_pages
from services.api.request.throttle import Throttle
from services.board import errors
from services.board.access.freezes import FreezeInForce
from services.board.access.rates import RatesInForce, read_rates, record_rates
from services.board.agents import registration
from services.board.database import connections, readiness
from services.board.database.admission import Admission
from services.board.database.write_queue import WriteQueue, have_stalled, measure_writes
from services.board.links import Links
from services.board.overview.health import Probe
from services.board.posts.commits.committer import Committer
from services.board.validation.skeletons import prototypes
from services.board.verifiable_log import checkpoints
from services.process.http_server import HttpServer
from services.process.lifecycle import Lifecycle, StartError
from services.process.metrics import Registry
from services.process.settings import Settings

from .handlers.resources import Resources
from .handlers.shared_reads import SharedReads
from .http.server import make_server
from .pools import Pools
from .request.accounting import Accounting
from .request.auth import Authenticator
from .request.cached_reads import CachedReads
from .request.dispatch import Dispatch
from .request.refusals import Refusals
from .request.request_log import RequestLog
from .request.routes import add_routes
from .request.steps import Steps
from .request.writes import Writes, rarer_writes

# Requests leave no reference cycles; at the default of 700, the collector would search for them at every other request.
GARBAGE_THRESHOLD: Final = 20_000


class Api:
    """One API process, as its lifecycle sees it."""

    name = "api"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.settings = settings
        self.registry = registry
        self.request_log = RequestLog(self.name, settings.log_level)
        self.links = Links(settings.base_url)
        self.accounting = Accounting(registry, self.request_log, self.links, settings.operator_contact)
        self.pools = Pools(registry)
        self.admission = Admission(settings.database_url.get_secret_value())
        self.probe = Probe(self.probing_connection)
        self.committer = Committer(self.admission, settings.communities_open, registry)
        self.rarer_writes = rarer_writes()
        self.memory = Memory(settings.memory_mebibytes * 2**20, registry)
        self.tokens = Tokens()
        self.rates = RatesInForce(settings.rates)
        self.freeze = FreezeInForce()
        self.feed = ChangeFeed(
            self.feed_connection, self.apply, self.clear, registry, self.follow_rates, self.freeze.has_ended
        )
        self.registration_open = True
        self.log_key: str | None = None
        self.resources: Resources | None = None
        self.limiter = LimiterClient(settings.limiter_url, registry) if settings.limiter_url else None
        self.throttle: Throttle | None = None
        self.write_queues: list[WriteQueue[Any, Any]] = [*self.committer.queues, *self.rarer_writes.values()]
        measure_writes(self.write_queues, registry)
        self.server = make_server()
        self.http = HttpServer(self.server)
        self.dispatcher: Dispatch | None = None

    async def start(self, lifecycle: Lifecycle) -> None:
        """Wait for the schema, connect, then listen. Raises StartError."""
        prototypes()  # so that no request waits until the table is read
        try:
            await self.connect()
        except errors.Unavailable as error:
            raise StartError(str(error)) from None
        if self.limiter is not None:
            self.throttle = Throttle(
                self.limiter, self.feed, self.rates, self.freeze, self.pools["token"], self.registry
            )
        self.dispatcher = self.dispatch()
        add_routes(self.server, self.dispatcher.respond)
        self.server.error_handler = Refusals(self.dispatcher.refuse)
        await self.listen()

    async def connect(self) -> None:
        """Connect to PostgreSQL once the schema is new enough, and the standby has everything that the server shows.

        Both addresses must lead there. Raises Unavailable.
        """
        settings = self.settings
        writes, reads = settings.database_url.get_secret_value(), settings.read_database_url.get_secret_value()
        await readiness.wait_for_revision(writes, readiness.WAIT_SECONDS, reads)
        await self.pools.open(settings, self.admission)
        await self.committer.connection.open()
        try:
            await record_rates(self.pools["write"], settings.rates)
        except asyncpg.ReadOnlySQLTransactionError:
            raise errors.Unavailable("The database is read-only, so changed rates cannot be stored.") from None
        await self.feed.catch_up()

    async def feed_connection(self) -> asyncpg.Connection:
        """Open a connection for the change feed. If it has lost one, those of the pools may be dead too."""
        connection = await connections.reading_connection(self.settings.read_database_url.get_secret_value())
        if self.feed.count:
            self.pools.doubt()
        return await self.admission.admitted(connection)

    async def probing_connection(self) -> asyncpg.Connection:
        """Open a connection for the probe."""
        connection = await connections.probing_connection(self.settings.read_database_url.get_secret_value())
        return await self.admission.admitted(connection)

    def apply(self, changes: Sequence[Mapping[str, Any]]) -> None:
        """Evict what the changes affect from both caches."""
        self.tokens.apply(changes)
        self.memory.apply(changes)

    def clear(self, reason: str) -> None:
        """Trust nothing in either cache any more, because changes may have been missed."""
        self.tokens.end_all()
        self.memory.clear(reason)

    async def follow_rates(self, connection: asyncpg.Connection) -> None:
        """Put the rates of the database in force, and write them into the documents, with the state of registration.

        The key of the verifiable log and a freeze are written there, too.
        """
        found = await read_rates(connection)
        await self.freeze.follow(connection)
        self.registration_open = await registration.is_open(connection)
        self.log_key = await checkpoints.read_verifier_key(connection)
        self.rates.follow(found)
        if self.resources is not None:
            self.resources.documents.update(self.documents())

    def documents(self) -> dict[str, bytes]:
        """Return the fixed documents by path."""
        known = self.settings
        rendered = documents(
            self.links,
            known.contacts,
            known.robots,
            self.registration_open,
            known.mcp_served,
            self.log_key,
            self.rates,
        )
        return rendered | fixed_pages(
            self.links, known.contacts, known.robots, self.registration_open, self.rates, self.freeze.freeze
        )

    def dispatch(self) -> Dispatch:
        """Build the path that requests take through the parts of this process."""
        resources = self.resources = self.make_resources()
        authenticator = Authenticator(
            database=self.pools["token"],
            feed=self.feed,
            tokens=self.tokens,
            throttle=self.throttle,
            addresses=ClientAddresses(self.settings.trusted_proxies),
            registry=self.registry,
        )
        steps = Steps(
            resources=resources,
            authenticator=authenticator,
            reads=CachedReads(resources, self.feed, self.memory),
            writes=Writes(resources, self.throttle, self.rarer_writes, self.tokens),
            registration_is_open=lambda: self.registration_open,
            freeze=self.freeze,
        )
        return Dispatch(resources=resources, steps=steps, accounting=self.accounting, server=self.http)

    def make_resources(self) -> Resources:
        return Resources(
            reads=self.pools["read"],
            searches=self.pools.searches,
            shared=SharedReads(self.pools["read"]),
            writes=self.pools["write"],
            probe=self.probe,
            is_stalled=lambda: self.committer.is_refused() or have_stalled(self.write_queues),
            committer=self.committer,
            links=self.links,
            documents=self.documents(),
            site=Site(self.links, self.settings.robots, self.freeze),
            secret_guard=self.settings.secret_guard,
            rates=self.rates,
            limiter=self.limiter,
        )

    async def listen(self) -> None:
        await self.http.listen(self.settings.host, self.settings.port, self.settings.reuse_port)
        # Startup objects live until exit; keep the garbage collector off them.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        await self.http.serve()

    async def ready(self) -> str | None:
        """Return why no traffic should come: without PostgreSQL no request can be answered."""
        return None if await self.probe.answers() else "The database does not answer."

    def live(self) -> str | None:
        """Return None: everything that requests wait for has a time limit."""
        return None

    async def quiet(self) -> None:
        """Close every connection after its next answer."""
        self.http.quiet()

    async def stop_accepting(self) -> None:
        """Close the listening socket."""
        self.http.stop_accepting()

    async def finish(self, seconds: float) -> None:
        """Complete the requests and writes in flight; idle connections are closed.

        Raises TimeoutError when that takes longer than `seconds`; `close` then cuts off the rest.
        """
        dispatcher = self.dispatcher
        assert dispatcher is not None
        async with asyncio.timeout(seconds):
            await self.http.finish(lambda: bool(self.accounting.metrics.in_flight or dispatcher.steps.writes.tasks))

    async def close(self) -> None:
        """Cut off the requests that are left; close the pools last."""
        self.http.abort()
        await self.committer.close()
        await self.memory.close()
        await self.feed.close()
        if self.throttle is not None:
            await self.throttle.close()
        await self.probe.close()
        await self.pools.close()
        await self.admission.close()
        self.request_log.flush()
