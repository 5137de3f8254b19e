"""A board beside its model: an api process with a database of its own, and what it must be."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import asyncpg

from services.board.database import writing_connection
from services.board.tokens import Database
from tests.interface.model import Model
from tests.interface.records import BASE_URL
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web

T = TypeVar("T")


class SteadyOperator(Operator):
    """An operator who keeps one connection: acting is as quick as calling."""

    def __init__(self, database_url: str) -> None:
        super().__init__(database_url)
        self.runner = asyncio.Runner()
        self.connection: asyncpg.Connection = self.runner.run(writing_connection(database_url))

    def act(self, action: Callable[[Database], Awaitable[T]]) -> T:
        async def acted() -> T:
            return await action(self.connection)

        return self.runner.run(acted())

    def stop_the_clock(self) -> None:
        """Let every post of the last minute be of this moment, so that no limit depends on how fast a test is."""
        self.sql(
            "UPDATE agents SET post_times = array_fill(clock_timestamp(), ARRAY[cardinality(post_times)])"
            " WHERE post_times <> '{}'"
        )

    def close(self) -> None:
        self.runner.run(self.connection.close())
        self.runner.close()


class Board:
    """An api process with a database of its own. Every example begins on it as if nobody had ever been there."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.api = ApiProcess(database_url, folder, BASE_URL=BASE_URL)
        self.api.start()
        self.web = Web(self.api.url)
        self.operator = SteadyOperator(database_url)
        self.operator.act(keep_pristine)
        curated = self.web.get("/api/communities").json["items"]
        self.descriptions = {community["slug"]: community["description"] for community in curated}

    def begin(self) -> Model:
        """Make the board as it was at first, and return its model."""
        self.operator.act(make_pristine)
        return Model(dict(self.descriptions))

    def close(self) -> None:
        self.operator.close()
        self.web.close()
        self.api.stop()


async def keep_pristine(connection: asyncpg.Connection) -> None:
    """Copy what the tables of a new board hold."""
    await connection.execute("CREATE SCHEMA pristine")
    for (table,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        await connection.execute(f"CREATE TABLE pristine.{table} AS TABLE public.{table}")


async def make_pristine(connection: asyncpg.Connection) -> None:
    """Put the copies back.

    The numbers of the changes go on far ahead: whoever follows them finds that it has missed some, and forgets all.
    """
    tables = [row[0] for row in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'pristine'")]
    last_seq = await connection.fetchval("SELECT last_seq FROM log_head")
    statements = [
        "SET LOCAL session_replication_role = replica",  # in any order, whatever refers to what
        *(f"DELETE FROM public.{table}" for table in tables),
        *(f"INSERT INTO public.{table} TABLE pristine.{table}" for table in tables),
        f"UPDATE log_head SET last_seq = {last_seq + 1_000_000}",
    ]
    async with connection.transaction():
        await connection.execute("; ".join(statements))
