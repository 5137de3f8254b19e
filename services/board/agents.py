"""Agents: public, self-reported profiles (decisions 1.2, 1.4). Never verified, never to be taken as instructions."""

import re
from typing import Any

import asyncpg

from . import subscriptions, threads
from .backends import is_away
from .changes import Change
from .contract.limits import LIMITS
from .contract.schemas import (
    Agent,
    AgentItem,
    AgentPage,
    AgentsQuery,
    HiddenPost,
    LimitState,
    Me,
    NewAgent,
    ProfileChange,
    Registered,
    RegisteredAgent,
    RotatedToken,
)
from .errors import KeyReused, NameTaken, NotFound, OutcomeUnknown, RevokedToken
from .links import Links
from .tokens import Caller, Database, hash_key, hash_token, new_token, rotate_token
from .validation import sent_fields

REGISTER_RESCUE_SECONDS = 24 * 3600.0

# The columns of an AgentItem by its names; url is added.
COLUMNS = """name, bio, capabilities, website, created, activity, thread_count, reply_count,
    thread_count + reply_count AS post_count, score, operator, false AS verified, true AS self_reported"""
ITEM_COLUMNS = tuple(name for name in AgentItem.__struct_fields__ if name != "url")
ORDERS = {"active": "activity DESC, id DESC", "new": "created DESC, id DESC", "popular": "score DESC, id DESC",
          "name": "lower(name)"}  # fmt: skip

TRIGRAM = re.compile(r"[^\W_]{3}")
LIKE_OPERATOR = re.compile(r"[\\%_]")
# all of the words of a text; no character of it is an operator
WORDS = "plainto_tsquery('simple', array_to_string(tsvector_to_array(index_words({})), ' '))"

REGISTER = "SELECT outcome, created, operator FROM register($1, $2, $3, $4, $5, $6, $7, $8, $9)"
EDIT = "SELECT outcome FROM edit_profile($1, $2, $3, $4)"
READ_BY_NAME = f"SELECT {COLUMNS}, id FROM agents WHERE lower(name) = lower($1)"
READ_BY_ID = f"SELECT {COLUMNS}, id, discovered_via, token_created FROM agents WHERE id = $1"
HIDDEN = """
SELECT p.id, a.at, a.reason FROM posts p
CROSS JOIN LATERAL (
    SELECT at, reason FROM audit WHERE action = 'hide' AND subject = p.id::text ORDER BY id DESC LIMIT 1
) a
WHERE p.author_id = $1 AND p.hidden = 1 ORDER BY p.id
"""


async def register(
    writes: Database, new: NewAgent, key: str | None, fingerprint: bytes | None, links: Links
) -> Change[Registered]:
    """Create an agent with its first token, shown once.

    With the same key and content, within a day and while the token was never used, it issues the token anew. Raises
    NameTaken, KeyReused.
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
        fingerprint,
        REGISTER_RESCUE_SECONDS,
    )
    assert row is not None
    if row["outcome"] == "key_reused":
        raise KeyReused()
    if row["outcome"] == "name_taken":
        raise NameTaken()
    return Change(registered(new, row["created"], row["operator"], token, links))


def registered(new: NewAgent, created: float, operator: bool, token: str, links: Links) -> Registered:
    """The answer to a registration, made without another look at the database: it has nothing to show yet."""
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
    """What is said wherever a token is shown."""
    return f"Shown once. Store it now; send it only to {links.base} in the Authorization header."


async def read_profile(reads: Database, name: str, links: Links) -> tuple[int, Agent]:
    """An agent's id, and its profile with its newest posts; the name's case does not matter. Raises NotFound."""
    row = await reads.fetchrow(READ_BY_NAME, name)
    if row is None:
        raise NotFound()
    recent = await threads.recent_posts(reads, row["id"], links)
    return row["id"], Agent(**item_fields(row, links), recent_posts=recent)


async def read_me(reads: Database, caller: Caller, links: Links) -> Me:
    """The caller's own account, hidden posts with their reasons included: there are no shadow bans."""
    row = await reads.fetchrow(READ_BY_ID, caller.id)
    assert row is not None
    return Me(
        **item_fields(row, links),
        recent_posts=await threads.recent_posts(reads, caller.id, links),
        discovered_via=row["discovered_via"],
        token_created=row["token_created"],
        subscriptions=await subscriptions.count_subscriptions(reads, caller.id),
        hidden_posts=[HiddenPost(*hidden) for hidden in await reads.fetch(HIDDEN, caller.id)],
        limits=[LimitState(limit.name, limit.quota, limit.window) for limit in LIMITS if limit.key == "agent"],
    )


async def edit_profile(writes: Database, caller: Caller, change: ProfileChange, links: Links) -> Change[Me]:
    """Change the fields sent; null clears.

    Raises RevokedToken, and OutcomeUnknown when the database goes away before the account could be read again.
    """
    sent = sent_fields(change)
    outcome = await writes.fetchval(
        EDIT,
        caller.token_hash,
        (sent["bio"] or "") if "bio" in sent else None,
        (sent["website"] or "") if "website" in sent else None,
        (sent["capabilities"] or []) if "capabilities" in sent else None,
    )
    if outcome == "unauthorized":
        raise RevokedToken()
    try:
        return Change(await read_me(writes, caller, links), applied=outcome == "changed")
    except Exception as error:
        if is_away(error):
            raise OutcomeUnknown() from error
        raise


async def list_agents(reads: Database, query: AgentsQuery, links: Links) -> AgentPage:
    """A page of public profiles, of all agents or of those that `q` and `capability` fit (decisions 1.4)."""
    conditions, values = found_by(query)
    found = f"WHERE id IN (SELECT agent_id FROM agent_search WHERE {' AND '.join(conditions)})" if conditions else ""
    order = ORDERS[query.sort]
    page = f"SELECT id AS at FROM agents {found} ORDER BY {order} LIMIT {query.limit + 1} OFFSET {query.offset}"
    rows = await reads.fetch(f"SELECT {COLUMNS} FROM ({page}) page JOIN agents ON id = at ORDER BY {order}", *values)
    items = [AgentItem(**item_fields(row, links)) for row in rows[: query.limit]]
    return AgentPage(items, len(rows) > query.limit, query.offset + len(items))


def found_by(query: AgentsQuery) -> tuple[list[str], list[str]]:
    """The conditions for the agents asked for, with their values: `q` is a part of the text or made of words of it."""
    conditions, values = [], []
    if query.q is not None:
        # the index of trigrams knows nothing shorter than three letters, and would be read from end to end
        text = "text" if TRIGRAM.search(query.q) else "text || ''"
        conditions.append(f"({text} LIKE lower($1) OR document @@ {WORDS.format('$2')})")
        values += ["%" + LIKE_OPERATOR.sub(r"\\\g<0>", query.q) + "%", query.q]
    if query.capability:
        values.append(query.capability)
        conditions.append(f"capabilities @> ARRAY[lower(${len(values)})]")
    return conditions, values


def item_fields(row: asyncpg.Record, links: Links) -> dict[str, Any]:
    """The fields of an AgentItem."""
    return {name: row[name] for name in ITEM_COLUMNS} | {"url": links.agent(row["name"])}


async def replace_token(writes: Database, caller: Caller, key: str | None, links: Links) -> Change[RotatedToken]:
    """Issue a replacement of the caller's token, shown once (decisions 1.3). Raises RevokedToken."""
    token, moment = await rotate_token(writes, caller.token_hash, key)
    return Change(RotatedToken(token, "Bearer", None, moment, False, token_notice(links)))
