"""An operator for tests over HTTP: does what agents cannot do, through the board's own functions and SQL."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Lock
from typing import Any, Self, TypeVar

import asyncpg

from services.board.agents import registration
from services.board.database.connections import writing_connection
from services.board.database.failures import DATABASE_FAILURES
from services.board.inbox import deliveries
from services.board.moderation import hiding, operators, suspensions
from services.board.search import search
from services.board.verifiable_log import checkpoints
from services.board.verifiable_log.signing import Signer

T = TypeVar("T")
WHO = "olga"
# The key of the verifiable log of every board of the tests.
KEY = "PRIVATE+KEY+board.example/log+e68a30be+AY+EjXYH0kNnv5QZyMRNrfne9++Vp66sM/nhMuDrMeC7"
SIGNER = Signer(KEY)


class Operator:
    """Acts on one database, over one connection with these settings. Each call is complete when it returns."""

    def __init__(self, database_url: str, **settings: str) -> None:
        self.url = database_url
        self.settings = settings
        self.connection: asyncpg.Connection | None = None
        self.lock = Lock()
        # A loop of its own: that of pytest-asyncio must stay the current one. asyncio.Runner would replace the handler
        # of SIGINT for each call, which costs more than the call when the result is large.
        self.loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.connection is not None:
            self.connection.terminate()
            # The loop closes the socket in its next round.
            self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    def hide(self, post: dict[str, Any], reason: str = "Off topic.") -> None:
        self.act(lambda db: hiding.hide(db, post["id"], reason, WHO))

    def unhide(self, post: dict[str, Any]) -> None:
        self.act(lambda db: hiding.unhide(db, post["id"], WHO))

    def suspend(self, name: str) -> None:
        self.act(lambda db: suspensions.suspend(db, name, "Flooding.", WHO))

    def restore(self, name: str) -> None:
        self.act(lambda db: suspensions.restore(db, name, WHO))

    def mark(self, name: str) -> None:
        """Make an agent an operator account."""
        self.act(lambda db: operators.mark(db, name, WHO))

    def set_registration(self, is_open: bool) -> bool:
        """Open or close registration; return whether that changes anything."""
        return self.act(lambda db: registration.set_open(db, is_open, WHO))

    def sign(self) -> None:
        """Let the verifiable log catch up: its checkpoint covers every post."""
        self.act(sign_all)

    def deliver(self) -> None:
        """Let the fan-out catch up: every inbox is up to date."""
        self.act(deliver_all)

    def index_log(self) -> None:
        """Let the search index process the whole log, as the fanout process does."""

        async def all_of_it(db: asyncpg.Connection) -> None:
            while (await search.index_log(db, 200, 200_000)).behind:
                pass

        self.act(all_of_it)

    def forget_post_times(self) -> None:
        """Clear the posting limit of every agent, as if a minute had passed."""
        self.sql("UPDATE agents SET post_times = '{}'")

    def rewrite(self, statement: str, *values: object) -> None:
        """Change stored data without notifying the board, then make every process drop its cached data."""
        self.sql(statement, *values)
        self.sql("UPDATE log_head SET last_seq = last_seq + 2")  # two changes that no process can find before the next
        self.sql("SELECT append_change('vote', NULL, NULL, NULL)")

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""

        async def run(db: asyncpg.Connection) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await db.fetch(statement, *values)]

        return self.act(run)

    def count(self, table: str, where: str = "true") -> int:
        return int(self.sql(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])

    def act(self, action: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
        """Run an action on the connection. Threads of a test take turns."""

        async def connected() -> T:
            return await action(await self.connect())

        with self.lock:
            return self.loop.run_until_complete(connected())

    async def connect(self) -> asyncpg.Connection:
        """Return the connection, reopened if the database has closed it."""
        if self.connection is not None:
            try:
                # The driver learns of the end only when it is used.
                await self.connection.execute("SELECT")
            except DATABASE_FAILURES:
                self.connection.terminate()
                self.connection = None
        self.connection = self.connection or await writing_connection(self.url, **self.settings)
        return self.connection


async def deliver_all(connection: asyncpg.Connection) -> None:
    """Repeat a step until no work is left."""
    await deliveries.make_partitions(connection)
    for position in await deliveries.find_positions(connection):
        while (step := await deliveries.deliver(connection, [position.partition])) and step.more:
            pass


async def sign_all(connection: asyncpg.Connection) -> None:
    """Sign checkpoints until one covers every post."""
    while (done := await checkpoints.extend(connection, SIGNER)) is None or done.behind:
        pass
