"""The SQL functions that processes call. Those of the next release replace them while these processes still run."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg

from services.board.database import revision
from services.board.database.migrations import migrate
from services.local.postgresql import PostgreSQL

from .released import Function

SIGNATURES = """
SELECT proname::text AS name, pronargs - pronargdefaults AS required,
    ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS a(t, n) ORDER BY n) AS arguments,
    ARRAY(SELECT name FROM unnest(proargnames, proargmodes) AS a(name, mode) WHERE mode = 't') AS columns
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = ANY($1) ORDER BY proname
"""


def called_functions() -> list[str]:
    """Return the names of the SQL functions that Python calls."""
    source = "\n".join(file.read_text() for file in revision.BOARD.parent.rglob("*.py"))
    called = set(re.findall(r"\b(\w+)\(", source))
    return [name for name in revision.functions() if name in called]


async def functions(connection: asyncpg.Connection, names: Iterable[str]) -> dict[str, Function]:
    """Return the functions of a database that have one of these names."""
    rows = await connection.fetch(SIGNATURES, list(names))
    return {row["name"]: Function(row["arguments"], row["required"], row["columns"]) for row in rows}


def unserved(called: Mapping[str, Function], now: Mapping[str, Function]) -> list[str]:
    """Return the names of the called functions that are missing now, or that their callers cannot call."""
    return [name for name, function in called.items() if name not in now or not now[name].serves(function)]


def functions_of_new_board() -> dict[str, Function]:
    """Return all functions of this checkout, from a database that is made for it."""
    with TemporaryDirectory() as name, PostgreSQL(Path(name) / "postgresql", throwaway=True) as server:
        return asyncio.run(migrated(server.url()))


async def migrated(url: str) -> dict[str, Function]:
    await migrate(url, lambda _: None)
    connection = await asyncpg.connect(url)
    try:
        return await functions(connection, revision.functions())
    finally:
        await connection.close()
