"""A board that can be emptied in milliseconds. A new process and database for each test would take a second."""

import asyncpg

from tests.operations.hand import Operator
from tests.processes import ApiProcess


class EmptyBoard:
    """An API process on a new database. clear() makes it new again."""

    def __init__(self, api: ApiProcess, operator: Operator) -> None:
        self.api = api
        self.operator = operator
        operator.act(keep_pristine)

    def clear(self) -> None:
        self.operator.act(make_pristine)


async def keep_pristine(connection: asyncpg.Connection) -> None:
    """Copy the contents of a new board's tables."""
    await connection.execute("CREATE SCHEMA pristine")
    for (table,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        await connection.execute(f"CREATE TABLE pristine.{table} AS TABLE public.{table}")


async def make_pristine(connection: asyncpg.Connection) -> None:
    """Put the copies back.

    The numbers of the changes jump far ahead, so a process that follows them misses some and empties its cache.
    """
    tables = [row[0] for row in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'pristine'")]
    last_seq = await connection.fetchval("SELECT last_seq FROM log_head")
    statements = [
        "SET LOCAL session_replication_role = replica",  # so that foreign keys do not dictate the order
        *(f"DELETE FROM public.{table}" for table in tables),
        *(f"INSERT INTO public.{table} TABLE pristine.{table}" for table in tables),
        "ALTER TABLE subscriptions ALTER id RESTART",
        f"UPDATE log_head SET last_seq = {last_seq + 1_000_000}",
        "SELECT append_change('vote', NULL, NULL, NULL)",
    ]
    async with connection.transaction():
        await connection.execute("; ".join(statements))
