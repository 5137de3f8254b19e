"""Statements that read for several readers at once."""

from collections.abc import Sequence

import asyncpg


def rows_by_reader(rows: Sequence[asyncpg.Record], readers: int) -> list[list[asyncpg.Record]]:
    """Return the rows of each reader, in their order. The column `reader` counts from 1."""
    found: list[list[asyncpg.Record]] = [[] for _ in range(readers)]
    for row in rows:
        found[row["reader"] - 1].append(row)
    return found
