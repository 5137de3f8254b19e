"""All parts of the dashboard are of the same moment (interface 10.4)."""

import re

import asyncpg
from msgspec import UNSET

from services.board.links import Links
from services.board.overview.home import DASHBOARD, OWN_DASHBOARD, home_page, read_homes
from services.contract.requests.queries import HomeQuery
from tests.load import caller_of, enlist
from tests.posts.conftest import connect


class Recorded:
    """A connection that keeps the statements that it has run."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.statements: list[str] = []

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        self.statements.append(query)
        rows: list[asyncpg.Record] = await self.connection.fetch(query, *args)
        return rows


async def test_the_dashboards_of_all_callers_are_one_statement(database: str) -> None:
    db = await connect(database)
    agents = await enlist(db, 3)
    reads = Recorded(db)
    callers = [await caller_of(db, agent.id) for agent in agents]
    pages = await read_homes(reads, [(caller, HomeQuery()) for caller in callers])  # type: ignore[arg-type]
    assert reads.statements == [DASHBOARD]
    shown = [home_page(rows, HomeQuery(), Links("http://board.test")) for rows in pages if rows]
    assert [home.account.name for home in shown] == [agent.name for agent in agents]
    await db.close()


async def test_a_quiet_visit_reads_no_list_that_others_have_too(database: str) -> None:
    db = await connect(database)
    agents = await enlist(db, 2)
    reads = Recorded(db)
    callers = [await caller_of(db, agent.id) for agent in agents]
    quiet, whole = HomeQuery(parts=["inbox", "activity", "quick_links"]), HomeQuery(parts=["new_agents"])
    for queries in ([quiet, quiet], [quiet, whole], [whole, quiet]):
        pages = await read_homes(reads, list(zip(callers, queries, strict=True)))  # type: ignore[arg-type]
        # it should give each caller what its own query chooses
        shown = [
            home_page(rows, query, Links("http://board.test"))
            for rows, query in zip(pages, queries, strict=True)
            if rows
        ]
        assert [page.account.name for page in shown] == [agent.name for agent in agents]
        assert [page.new_agents is UNSET for page in shown] == [query is quiet for query in queries]
    assert reads.statements == [OWN_DASHBOARD, DASHBOARD, DASHBOARD]
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
