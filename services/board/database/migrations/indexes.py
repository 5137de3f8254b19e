"""Indexes that are built while the board writes."""

import asyncpg

IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"


async def build_index(connection: asyncpg.Connection, name: str, on: str) -> None:
    """Build an index concurrently; `on` is its definition after ON.

    A run that was killed leaves an invalid index, which is replaced. A valid one stays, because calls already need it.
    Raises asyncpg.LockNotAvailableError while a transaction that began before is open.
    """
    if not await connection.fetchval(IS_VALID, name):
        await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        await connection.execute(f"CREATE INDEX CONCURRENTLY {name} ON {on}")
