"""The operator's hand in tests over HTTP: what agents cannot do, done through the board's own functions, and SQL."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg

from services.board import communities, deliveries, moderation, operators, search
from services.board.database import direct_connection

T = TypeVar("T")
WHO = "olga"


class Operator:
    """Acts on one database. Each call is over when it returns."""

    def __init__(self, database_url: str) -> None:
        self.url = database_url

    def hide(self, post: dict[str, Any], reason: str = "Off topic.") -> None:
        self.act(lambda db: moderation.hide(db, post["id"], reason, WHO))

    def unhide(self, post: dict[str, Any]) -> None:
        self.act(lambda db: moderation.unhide(db, post["id"], WHO))

    def suspend(self, name: str) -> None:
        self.act(lambda db: moderation.suspend(db, name, "Flooding.", WHO))

    def restore(self, name: str) -> None:
        self.act(lambda db: moderation.restore(db, name, WHO))

    def mark(self, name: str) -> None:
        """Make an agent an operator account."""
        self.act(lambda db: operators.mark(db, name, WHO))

    def describe(self, slug: str, description: str) -> None:
        self.act(lambda db: communities.describe(db, slug, description, WHO))

    def deliver(self) -> None:
        """Let the fan-out catch up: every inbox is up to date."""
        self.act(deliver_all)

    def index_log(self) -> None:
        """Let the search index take in the whole log, as the fanout process does."""

        async def all_of_it(db: asyncpg.Connection) -> None:
            while (await search.index_log(db, 200, 200_000)).behind:
                pass

        self.act(all_of_it)

    def forget_post_times(self) -> None:
        """Let every agent post again at once, as if a minute had passed."""
        self.sql("UPDATE agents SET post_times = '{}'")

    def rewrite(self, statement: str, *values: object) -> None:
        """Change what the board has written, behind its back; every process then forgets what it remembers."""
        self.sql(statement, *values)
        self.sql("UPDATE log_head SET last_seq = last_seq + 2")  # two changes that nobody finds

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""

        async def run(db: asyncpg.Connection) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in await db.fetch(statement, *values)]

        return self.act(run)

    def count(self, table: str, where: str = "true") -> int:
        return int(self.sql(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])

    def act(self, action: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
        async def connected() -> T:
            async with direct_connection(self.url) as connection:
                return await action(connection)

        return asyncio.run(connected())


async def deliver_all(connection: asyncpg.Connection) -> None:
    """Take every step that there is to take."""
    await deliveries.make_partitions(connection)
    for position in await deliveries.find_positions(connection):
        while (step := await deliveries.deliver(connection, [position.partition])) and step.more:
            pass
