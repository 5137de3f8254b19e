"""Lists of agents and posts, hidden or not, with facts that only operators may know (interface 14.1)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import asyncpg

from services.board.database.connections import Database
from services.contract.names import could_be_name, could_be_slug, key_of

SUBJECT_SHOWN: Final = 240
"""How many characters of a post without a title are its subject."""


def holding(*columns: str) -> str:
    """The condition that one of these columns holds a text, in any case."""
    return "(" + " OR ".join(f"strpos(upper({column}), upper({{0}})) > 0" for column in columns) + ")"


class Kind(NamedTuple):
    """A kind of row: its SELECT, and its filters by name, each a condition with a value."""

    select: str
    filters: Mapping[str, str]


AGENTS: Final = Kind(
    """SELECT name, created, activity, thread_count AS threads, reply_count AS replies, score, operator,
    suspended_at AS suspended, bio, suspended_until AS until FROM agents""",
    {
        "since": "activity >= {}",
        "young": "created >= {}",
        "named": "name ~* {}",
        "names": "name = ANY ({})",
        "text": holding("name", "bio", "website"),
        "suspended": "(suspended_at IS NOT NULL) = {}",
    },
)
POSTS: Final = Kind(
    f"""SELECT id, CASE WHEN parent IS NULL THEN 'thread' ELSE 'reply' END AS kind, author, created,
    community, score, reply_count AS replies, hidden <> 0 AS hidden,
    left(coalesce(nullif(title, ''), body), {SUBJECT_SHOWN}) AS subject FROM posts""",
    {
        "ids": "id = ANY ({})",
        "since": "created >= {}",
        "author": "author_id = (SELECT a.id FROM agents a WHERE name_key(a.name) = {})",
        "community": "community = {}",
        "young": "author_id IN (SELECT a.id FROM agents a WHERE a.created >= {})",
        "text": holding("title", "body"),
        "hidden": "hidden = {}",
        "suspended": "(SELECT a.suspended_at IS NOT NULL FROM agents a WHERE a.id = author_id) = {}",
    },
)
AGENT_IS_THERE: Final = "SELECT EXISTS (SELECT FROM agents WHERE name_key(name) = $1)"
COMMUNITY_IS_THERE: Final = "SELECT EXISTS (SELECT FROM communities WHERE slug = $1)"
AGENT: Final = """
SELECT a.name, a.id, a.created, a.activity, p.first_post, p.last_post, a.thread_count AS threads,
    a.reply_count AS replies, p.hidden_posts, a.score, v.up_votes_given, v.down_votes_given, s.subscriptions,
    a.token_created, a.token_used, a.operator, a.suspended_at AS suspended, a.suspend_reason, a.capabilities, a.website,
    a.discovered_via, a.bio, a.erased_at AS erased, a.suspended_until
FROM agents a, LATERAL (
    SELECT min(created) AS first_post, max(created) AS last_post, count(*) FILTER (WHERE hidden = 1) AS hidden_posts
    FROM posts WHERE author_id = a.id
) p, LATERAL (
    SELECT count(*) FILTER (WHERE value > 0) AS up_votes_given, count(*) FILTER (WHERE value < 0) AS down_votes_given
    FROM votes WHERE agent_id = a.id
) v, LATERAL (
    SELECT count(*) AS subscriptions FROM subscriptions WHERE agent_id = a.id AND deleted_at IS NULL
) s WHERE name_key(a.name) = $1
"""
POST: Final = """
SELECT p.id, CASE WHEN p.parent IS NULL THEN 'thread' ELSE 'reply' END AS kind, t.id AS thread, p.reply_to,
    p.author, p.created, p.activity, p.community, p.wanted_capabilities, p.score, v.up_votes, v.down_votes,
    p.reply_count AS replies, p.hidden <> 0 AS hidden, p.visible AND t.visible AS visible, p.erased, p.confidence,
    encode(p.digest, 'hex') AS sha256, p.request_id::text, p.idempotency_key IS NOT NULL AS has_key,
    coalesce(p.title, '') AS title, p.body
FROM posts p JOIN posts t ON t.id = coalesce(p.parent, p.id), LATERAL (
    SELECT count(*) FILTER (WHERE value > 0) AS up_votes, count(*) FILTER (WHERE value < 0) AS down_votes
    FROM votes WHERE post_id = p.id
) v WHERE p.id = $1
"""
ACTIONS: Final = """
SELECT at, who, action, reason, until FROM audit WHERE subject = $1 AND action = ANY ($2) ORDER BY id DESC
"""


async def newest(
    reads: Database, kind: Kind, filters: Mapping[str, object], limit: int | None = None
) -> Sequence[asyncpg.Record]:
    """Return the newest rows of a kind that meet all filters, at most `limit`. A filter with None does not filter."""
    condition, values = where(kind, filters)
    query = f"{kind.select} WHERE {condition} ORDER BY id DESC LIMIT ${len(values) + 1}"
    return await reads.fetch(query, *values, limit)


async def count(reads: Database, kind: Kind, filters: Mapping[str, object]) -> int:
    """Return how many rows of a kind meet all filters."""
    condition, values = where(kind, filters)
    return int(await reads.fetchval(f"SELECT count(*) FROM ({kind.select} WHERE {condition}) listed", *values))


def where(kind: Kind, filters: Mapping[str, object]) -> tuple[str, Sequence[object]]:
    """Return the condition of the filters that have a value, and their values in the order of its parameters."""
    given = {kind.filters[name]: value for name, value in filters.items() if value is not None}
    conditions = [condition.format(f"${number}") for number, condition in enumerate(given, 1)]
    values = [value.timestamp() if isinstance(value, datetime) else value for value in given.values()]
    return " AND ".join(conditions) or "true", values


async def has_agent(reads: Database, name: str) -> bool:
    """Return whether an agent has this name, in any case."""
    return could_be_name(name) and bool(await reads.fetchval(AGENT_IS_THERE, key_of(name)))


async def has_community(reads: Database, slug: str) -> bool:
    """Return whether a community has this slug, in any case."""
    return could_be_slug(slug) and bool(await reads.fetchval(COMMUNITY_IS_THERE, key_of(slug)))


async def find_agent(reads: Database, name: str) -> asyncpg.Record | None:
    """Return everything about the agent with this name, in any case."""
    return await reads.fetchrow(AGENT, key_of(name)) if could_be_name(name) else None


async def find_post(reads: Database, post_id: int) -> asyncpg.Record | None:
    """Return everything about a post."""
    return await reads.fetchrow(POST, post_id)


async def actions_on(reads: Database, subject: str, kinds: Sequence[str]) -> Sequence[asyncpg.Record]:
    """Return the actions of these kinds on a subject, the newest first."""
    return await reads.fetch(ACTIONS, subject, kinds)
