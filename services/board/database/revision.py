"""The schema revision that this code needs."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import asyncpg

from services.board.errors import Unavailable

BOARD = Path(__file__).parents[1]
MIGRATIONS = Path(__file__).with_name("migrations")

LATER = "Another release has migrated this database ({}); nothing was changed. Use that release or a newer one."
LACKS = "The database lacks {}: run `agent-board migrate`."
APPLIED = "SELECT version FROM aerich WHERE app = 'board' ORDER BY id"

# with the comment of the next one
FUNCTION = re.compile(
    r"^CREATE OR REPLACE FUNCTION (\w+).*?(?=^CREATE OR REPLACE FUNCTION |\Z)", re.MULTILINE | re.DOTALL
)


def newest_migration() -> str:
    """Return the file name of the newest migration, as aerich records it."""
    return known_migrations()[-1]


def known_migrations() -> list[str]:
    """Return the file names of this release's migrations, the newest last."""
    files = [file.name for file in MIGRATIONS.glob("[0-9]*_*.py")]
    return sorted(files, key=lambda name: int(name.split("_")[0]))


async def applied_migrations(connection: asyncpg.Connection) -> list[str]:
    """Return the file names of the applied migrations, the newest last."""
    if await connection.fetchval("SELECT to_regclass('aerich') IS NULL"):
        return []
    return [row[0] for row in await connection.fetch(APPLIED)]


def later_migration(applied: Sequence[str]) -> str | None:
    """Return the newest migration of a later release among the applied ones, if a later release has run."""
    known = known_migrations()
    return next((name for name in reversed(applied) if name not in known), None)


async def check_not_later(connection: asyncpg.Connection) -> None:
    """Raise Unavailable if a later release has migrated the database, which may hold what this one cannot keep."""
    if later := later_migration(await applied_migrations(connection)):
        raise Unavailable(LATER.format(later.removesuffix(".py")))


def function_files() -> list[Path]:
    """Return the files of SQL functions, in the order of their names, from the folders `sql` of all nouns."""
    return sorted(BOARD.glob("*/sql/*.sql"), key=lambda file: file.name)


def functions() -> dict[str, str]:
    """Return the definition of each SQL function by its name, in the order of the files and of the text in them."""
    texts = [file.read_text(encoding="utf-8") for file in function_files()]
    return {found[1]: found[0] for text in texts for found in FUNCTION.finditer(text)}


def functions_digest() -> str:
    """Return the SHA-256 of the files of all SQL functions, names included, in hexadecimal."""
    digest = hashlib.sha256()
    for file in function_files():
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


async def revision_missing(connection: asyncpg.Connection) -> str | None:
    """Return which part of the required schema the database lacks, and what to do; None if all of it was applied.

    A schema newer than the code lacks nothing: the previous release keeps working on it, so that replicas can be
    replaced one by one.
    """
    try:
        migrated, replaced = await connection.fetchrow(
            "SELECT EXISTS (SELECT FROM aerich WHERE app = 'board' AND version = $1),"
            " EXISTS (SELECT FROM applied_functions WHERE digest = $2)",
            newest_migration(),
            functions_digest(),
        )
    except asyncpg.UndefinedTableError:
        migrated = replaced = False
    if not migrated:
        return LACKS.format(f"migration {newest_migration().removesuffix('.py')}")
    return None if replaced else LACKS.format(f"functions {functions_digest()[:12]}")
