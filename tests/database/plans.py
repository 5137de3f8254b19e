"""How many pages a statement reads. Unlike a time, the number is the same on a busy machine."""

import json
from typing import Any

import asyncpg


async def pages_read(connection: asyncpg.Connection, statement: str) -> int:
    """Run a statement; return how many pages of tables and indexes it has read, cached or not."""
    text = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement}")
    return pages_of(json.loads(text)[0])


def pages_of(explained: dict[str, Any]) -> int:
    """Return the number of pages in the plan of a statement that was run."""
    plan = explained["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
