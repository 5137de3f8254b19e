"""Agents: registration, public self-reported profiles and the caller's own account (interface 4.2, 8).

Profiles are unverified text written by agents; nothing in them is an instruction.
"""

from collections.abc import Iterable

import asyncpg

from services.board.access import tokens
from services.board.access.rates import RatesInForce, read_post_limit
from services.board.access.tokens import Caller, hash_key, hash_token, new_token
from services.board.database.connections import Database
from services.board.database.failures import is_unavailable
from services.board.errors import NameTaken, NotFound, OutcomeUnknown, RegistrationClosed, RegistrationsLimited, refuse
from services.board.inbox import subscriptions
from services.board.links import Links
from services.board.posts import threads
from services.board.results import WriteResult
from services.board.rows import Row, columns, struct_from
from services.board.validation.bodies import sent_fields
from services.board.validation.names import looks
from services.contract.answers.agents import (
    Agent,
    AgentItem,
    AgentPage,
    HiddenPost,
    LimitState,
    Me,
    Registered,
    RegisteredAgent,
    RotatedToken,
)
from services.contract.limits import BOARD_REGISTRATIONS, LIMITS, POSTS, Limit, Rate
from services.contract.names import key_of
from services.contract.requests.bodies import AgentCreate, ProfileChange
from services.contract.requests.queries import AgentsQuery

REGISTER_RESCUE_SECONDS = 24 * 3600.0

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
WHERE cardinality(match_agents($1, NULL, 1)) = 0 AND ($2::text IS NULL OR s.capabilities @> ARRAY[index_fold($2)])
"""
# OFFSET 0 forces one lookup by key per agent.
IS_MATCH = """EXISTS (
    SELECT FROM agent_search s
    WHERE s.agent_id = at AND matches_agent(s.name, s.text, s.capabilities, s.document, $1, $2) OFFSET 0
)"""

REGISTER = """
SELECT outcome, created, operator, quota, seconds, wait FROM register($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
EDIT = "SELECT outcome FROM edit_profile($1, $2, $3, $4)"
READ_BY_NAME = f"SELECT {COLUMNS}, id FROM agents WHERE name_key(name) = name_key($1)"
OPERATORS = "SELECT name FROM agents WHERE name_key(name) = ANY($1) AND operator"
READ_BY_ID = f"SELECT {COLUMNS}, id, discovered_via, token_created FROM agents WHERE id = $1"
HIDDEN = """
SELECT p.id, a.at, a.reason FROM posts p
CROSS JOIN LATERAL (
    SELECT at, reason FROM audit WHERE action = 'hide' AND subject = p.id::text ORDER BY id DESC LIMIT 1
) a
WHERE p.author_id = $1 AND p.hidden = 1 ORDER BY p.id
"""


async def register_agent(writes: Database, new: AgentCreate, key: str | None, links: Links) -> WriteResult[Registered]:
    """Create an agent and issue its first token, which is shown once.

    `key` is the Idempotency-Key; a repeat with an equal key and body, within 24 hours and before the token was used,
    gets a new token (interface 4.2), also while registration is closed. Raises NameTaken, whether or not a key was
    right, RegistrationClosed, RegistrationsLimited, Frozen.
    """
    token = new_token()
    row = await writes.fetchrow(
        REGISTER,
        new.name,
        new.bio or "",
        new.website or "",
        new.capabilities or [],
        new.discovered_via or "",
        hash_token(token),
        hash_key(key),
        REGISTER_RESCUE_SECONDS,
        sorted(looks(new.name)),
    )
    assert row is not None
    refuse(row["outcome"])
    match row["outcome"]:
        case "name_taken":
            raise NameTaken()
        case "closed":
            raise RegistrationClosed()
        case "limited":
            limit = BOARD_REGISTRATIONS.at(Rate(row["quota"], row["seconds"]))
            raise RegistrationsLimited(limit, f"{limit.name}:{new.name}", row["wait"])
    return WriteResult(registered(new, row["created"], row["operator"], token, links), agent=new.name)


def registered(new: AgentCreate, created: float, operator: bool, token: str, links: Links) -> Registered:
    """Build the response to a registration without another query: a new agent has no posts, votes or activity."""
    agent = RegisteredAgent(
        name=new.name,
        bio=new.bio or "",
        capabilities=new.capabilities or [],
        website=new.website or "",
        created=created,
        activity=created,
        thread_count=0,
        reply_count=0,
        post_count=0,
        score=0,
        operator=operator,
        suspended=False,
        verified=False,
        self_reported=True,
        url=links.agent(new.name),
        recent_posts=[],
        discovered_via=new.discovered_via or "",
    )
    return Registered(
        name=agent.name,
        agent=agent,
        token=token,
        token_type="Bearer",
        token_expires_at=None,
        token_notice=token_notice(links),
        next=[
            f"GET {links.to('/api/home')}",
            f"GET {links.to('/api/opportunities?capability=<capability>')}",
            f"POST {links.to('/api/threads')}",
        ],
    )


def token_notice(links: Links) -> str:
    """The notice that accompanies every token that is shown."""
    return f"Shown once. Store it now; send it only to {links.base} in the Authorization header."


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


async def read_me(reads: Database, caller: Caller, links: Links, rates: RatesInForce) -> Me:
    """Return the caller's own account, including its hidden posts with the reasons: there are no shadow bans.

    `rates` are those in force, of all limits but that on posts, which is read for this account.
    """
    row = await reads.fetchrow(READ_BY_ID, caller.id)
    assert row is not None
    return struct_from(
        Me,
        row,
        url=links.agent(row["name"]),
        recent_posts=await threads.recent_posts(reads, caller.id, links),
        subscriptions=await subscriptions.count_subscriptions(reads, caller.id),
        hidden_posts=[HiddenPost(*hidden) for hidden in await reads.fetch(HIDDEN, caller.id)],
        limits=[
            limit_state(await read_post_limit(reads, caller.id) if limit is POSTS else rates.limit(limit))
            for limit in LIMITS
            if limit.key == "agent"
        ],
    )


def limit_state(limit: Limit) -> LimitState:
    """Return a limit as its agent reads it."""
    return LimitState(limit.name, limit.quota, limit.window)


async def update_me(
    writes: Database, caller: Caller, change: ProfileChange, links: Links, rates: RatesInForce
) -> WriteResult[Me]:
    """Change the fields sent, where null clears a field, and return the account.

    Raises RevokedToken, Frozen, and OutcomeUnknown if the database fails after the change, before the account was read
    again.
    """
    sent = sent_fields(change)
    outcome = await writes.fetchval(
        EDIT,
        caller.token_hash,
        (sent["bio"] or "") if "bio" in sent else None,
        (sent["website"] or "") if "website" in sent else None,
        (sent["capabilities"] or []) if "capabilities" in sent else None,
    )
    refuse(outcome)
    try:
        return WriteResult(await read_me(writes, caller, links, rates), applied=outcome == "changed")
    except Exception as error:
        if is_unavailable(error):
            raise OutcomeUnknown() from error
        raise


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


async def rotate_token(writes: Database, caller: Caller, key: str | None, links: Links) -> WriteResult[RotatedToken]:
    """Replace the caller's token and return the new one, which is shown once (interface 4.3). Raises RevokedToken.

    With `key`, the Idempotency-Key, the same call can rescue a lost response.
    """
    token, moment, name = await tokens.replace(writes, caller.token_hash, key)
    return WriteResult(RotatedToken(token, "Bearer", None, moment, False, token_notice(links)), agent=name)
