"""The public profiles of agents (interface 8).

They are unverified text written by agents; nothing in them is an instruction.
"""

from collections.abc import Iterable

import asyncpg

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.board.links import Links
from services.board.posts import threads
from services.board.rows import Row, columns, struct_from
from services.contract.answers.agents import Agent, AgentItem, AgentPage
from services.contract.names import key_of
from services.contract.requests.queries import AgentsQuery

# `url` is added later.
FIELDS = tuple(name for name in AgentItem.__struct_fields__ if name != "url")
# A suspended agent is in no list, and wherever else it is shown, nothing of what it wrote about itself is.
LISTED = "suspended_at IS NULL"
COMPUTED = {
    "bio": f"CASE WHEN {LISTED} THEN bio ELSE '' END",
    "capabilities": f"CASE WHEN {LISTED} THEN capabilities ELSE '{{}}' END",
    "website": f"CASE WHEN {LISTED} THEN website ELSE '' END",
    "post_count": "thread_count + reply_count",
    "suspended": f"NOT {LISTED}",
    "verified": "false",
    "self_reported": "true",
}
COLUMNS = columns(FIELDS, COMPUTED)
SORT_KEYS = {"active": "activity", "new": "created", "popular": "score", "name": "name_key(name)"}

# Up to this number, all matches are sorted. Of more, those among the first agents of the order are listed, and others
# only in part: so neither very many matches nor matches that all come late make a list long to compute.
MATCHES_MAX = 2000
WALKED_MAX = 2000
MATCHING = "SELECT match_agents($1, $2, $3)"
# If no agent matches q: the best ones of a search, by some of its words or by a similar name.
SIMILAR_MAX = 25
SIMILAR = """
SELECT coalesce(array_agg(f.agent_id), '{}') FROM search_agents($1, $3) AS f JOIN agent_search s USING (agent_id)
WHERE cardinality(match_agents($1, NULL, 1)) = 0
    AND matches_agent(s.name, s.text, s.capabilities, s.document, NULL, $2)
"""
# OFFSET 0 forces one lookup by key per agent.
IS_MATCH = """EXISTS (
    SELECT FROM agent_search s
    WHERE s.agent_id = at AND matches_agent(s.name, s.text, s.capabilities, s.document, $1, $2) OFFSET 0
)"""

READ_BY_NAME = f"SELECT {COLUMNS}, id FROM agents WHERE name_key(name) = name_key($1)"
OPERATORS = "SELECT name FROM agents WHERE name_key(name) = ANY($1) AND operator"


async def read_agent(reads: Database, name: str, links: Links) -> tuple[int, Agent]:
    """Return an agent's id and its profile with its newest posts. `name` may be in any case. Raises NotFound."""
    row = await find_row(reads, name)
    recent = await threads.recent_posts(reads, row["id"], links)
    return row["id"], struct_from(Agent, row, url=links.agent(row["name"]), recent_posts=recent)


async def find_agent(reads: Database, name: str, links: Links) -> tuple[int, AgentItem]:
    """Return an agent's id and its profile without posts. `name` may be in any case. Raises NotFound."""
    row = await find_row(reads, name)
    return row["id"], item_from(row, links)


async def find_row(reads: Database, name: str) -> asyncpg.Record:
    row = await reads.fetchrow(READ_BY_NAME, name)
    if row is None:
        raise NotFound()
    return row


async def list_agents(reads: Database, query: AgentsQuery, links: Links) -> AgentPage:
    """Return a page of public profiles: of all agents, or of those that match `q` and `capability` (interface 8.3)."""
    if query.q is None and not query.capability:
        return page_of(await read_page(reads, query, sorted_agents(query)), query, links)
    wanted = query.q, query.capability or None
    matches = await reads.fetchval(MATCHING, *wanted, MATCHES_MAX + 1)
    if len(matches) > MATCHES_MAX:
        return page_of(await read_early_matches(reads, query, matches), query, links)
    similar = await reads.fetchval(SIMILAR, *wanted, SIMILAR_MAX) if query.q and not matches else []
    found = f"{sorted_agents(query)} WHERE at = ANY($1::bigint[])"
    page = page_of(await read_page(reads, query, found, matches or similar), query, links)
    page.matched = "some" if similar else "all"
    return page


def page_of(rows: list[asyncpg.Record], query: AgentsQuery, links: Links) -> AgentPage:
    """Return the page whose rows these are; one row more than it has places means that there are more agents."""
    items = [item_from(row, links) for row in rows[: query.limit]]
    return AgentPage(items, len(rows) > query.limit, query.offset + len(items))


async def read_early_matches(reads: Database, query: AgentsQuery, matches: list[int]) -> list[asyncpg.Record]:
    """Read a page of very many matches, of which `matches` are some. Those early in the order usually fill it."""
    wanted = query.q, query.capability or None
    agents = sorted_agents(query)
    early = f"(SELECT * FROM {agents} ORDER BY {order_of(query)} LIMIT {WALKED_MAX}) early WHERE {IS_MATCH}"
    rows = await read_page(reads, query, early, *wanted)
    if len(rows) > query.limit:
        return rows
    more = f"(SELECT * FROM {early} UNION SELECT * FROM {agents} WHERE at = ANY($3::bigint[])) matches"
    return await read_page(reads, query, more, *wanted, matches)


async def read_page(reads: Database, query: AgentsQuery, found: str, *values: object) -> list[asyncpg.Record]:
    """Read a page, and one agent more, of the agents in `found`: a part of a statement with the columns at and key."""
    order = order_of(query)
    page = f"SELECT at, key FROM {found} ORDER BY {order} LIMIT {query.limit + 1} OFFSET {query.offset}"
    return await reads.fetch(f"SELECT {COLUMNS} FROM ({page}) page JOIN agents ON id = at ORDER BY {order}", *values)


async def find_operators(reads: Database, names: Iterable[str]) -> frozenset[str]:
    """Return those of the agents that are marked as operators."""
    rows = await reads.fetch(OPERATORS, list({key_of(name) for name in names}))
    return frozenset(row["name"] for row in rows)


def sorted_agents(query: AgentsQuery) -> str:
    return f"(SELECT id AS at, {SORT_KEYS[query.sort]} AS key FROM agents WHERE {LISTED}) agents"


def order_of(query: AgentsQuery) -> str:
    return "key" if query.sort == "name" else "key DESC, at DESC"


def item_from(row: Row, links: Links) -> AgentItem:
    """Return the public profile of a row with COLUMNS."""
    return struct_from(AgentItem, row, url=links.agent(row["name"]))
