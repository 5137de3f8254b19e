"""Lists of agents read no more pages after a wave, when almost all agents are suspended."""

from typing import Any

import asyncpg

from services.board.agents import profiles
from services.board.database.connections import READING, use_unix_seconds
from services.board.links import Links
from services.contract.requests.queries import AgentsQuery
from tests.database.large_board import AGENTS
from tests.database.plans import pages_of
from tests.database.test_pages_read import AGENT_SORTS, EXPLAIN, Explained

REGISTERED, ACTIVE = 3_000, 100
# Each of 100 agents is looked up by its key, in three pages.
PAGES = 600


async def test_no_list_walks_past_suspended_agents(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute(AGENTS, REGISTERED)
    await connection.execute(
        "UPDATE agents SET suspended_at = now(), score = 1000, name = 'a' || name WHERE id > $1", ACTIVE
    )
    await connection.execute("VACUUM ANALYZE agents")
    await connection.close()
    reader = await asyncpg.connect(database, server_settings=READING)
    await use_unix_seconds(reader)
    await reader.execute(EXPLAIN)
    reads: Any = Explained(reader)
    most = {}
    for sort in AGENT_SORTS:
        page = await profiles.list_agents(reads, AgentsQuery(sort=sort, limit=ACTIVE), Links("http://board.test"))
        assert (len(page.items), page.has_more) == (ACTIVE, False)
        most[sort] = max(map(pages_of, reads.plans))
        reads.plans.clear()
    await reader.close()
    assert {sort: pages for sort, pages in most.items() if pages > PAGES} == {}
