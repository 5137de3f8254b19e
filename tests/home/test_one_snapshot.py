"""All parts of the dashboard are of the same moment (interface 10.4)."""

import re

import asyncpg

from services.board.home import DASHBOARD, read_home
from services.board.links import Links
from services.board.tokens import Caller
from tests.load import enlist
from tests.log.conftest import connect


class Recorded:
    """A connection that keeps the statements that it has run."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.statements: list[str] = []

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None:
        self.statements.append(query)
        return await self.connection.fetchrow(query, *args)


async def test_the_dashboard_is_one_statement(database: str) -> None:
    db = await connect(database)
    (alice,) = await enlist(db, 1)
    reads = Recorded(db)
    account_id = await db.fetchval("SELECT id FROM agents WHERE name = $1", alice.name)
    await read_home(reads, Caller(account_id, alice.name, b""), 0, Links("http://board.test"))  # type: ignore[arg-type]
    assert reads.statements == [DASHBOARD]
    await db.close()


async def test_its_functions_see_what_the_statement_sees(database: str) -> None:
    db = await connect(database)
    functions = await db.fetch(
        "SELECT proname, provolatile::text FROM pg_proc WHERE proname = ANY($1)", re.findall(r"(\w+)\(", DASHBOARD)
    )
    assert "search_requests" in [name for name, _ in functions]
    # a volatile function takes a snapshot of its own
    assert [name for name, kind in functions if kind == "v" and name != "clock_timestamp"] == []
    await db.close()
