"""What PostgreSQL shows of its load, its standby and its indexes."""

from typing import Final

from msgspec import Struct

from .connections import Database

INVALID: Final = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid OR NOT indisready ORDER BY 1"
LOAD: Final = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
    current_setting('max_connections')::int AS most,
    current_setting('synchronous_standby_names') <> '' AND NOT EXISTS (SELECT FROM pg_stat_replication) AS lonely
"""


class Load(Struct, frozen=True):
    """How many connections are used of those that are accepted, and whether a standby is wanted and none connected."""

    used: int
    most: int
    lonely: bool


async def find_load(database: Database) -> Load:
    """Return the load of the server."""
    row = await database.fetchrow(LOAD)
    assert row is not None
    return Load(*row)


async def find_invalid_indexes(database: Database) -> list[str]:
    """Return the names of the indexes that a migration which was interrupted has left."""
    return [row[0] for row in await database.fetch(INVALID)]
