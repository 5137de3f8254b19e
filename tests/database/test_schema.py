"""The schema keeps promises of the contract: unique keys, lengths of texts, and the tables that a crash empties."""

import re

import asyncpg

from services.contract import bounds

UNIQUE = {
    "agents_name_key": "agents USING btree (name_key((name)::text))",
    "agents_token": "agents USING btree (token_hash) WHERE (token_hash IS NOT NULL)",
    "posts_request": "posts USING btree (request_id)",
    "posts_key": "posts USING btree (author_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)",
    "votes_pkey": "votes USING btree (agent_id, post_id)",
    "subscriptions_kept": "subscriptions USING btree (agent_id, kind, target) WHERE (deleted_at IS NULL)",
    "inbox_pkey": "inbox USING btree (agent_id, event_id)",
    "log_nodes_pkey": 'log_nodes USING btree (level, "position")',
}
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname = ANY($1)"
LENGTH = """
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = $2
"""
LENGTHS = {
    "agents.name": bounds.NAME_MAX,
    "agents.bio": bounds.BIO_MAX,
    "agents.website": bounds.WEBSITE_MAX,
    "agents.discovered_via": bounds.DISCOVERED_VIA_MAX,
    "communities.slug": bounds.COMMUNITY_MAX,
    "posts.author": bounds.NAME_MAX,
    "posts.community": bounds.COMMUNITY_MAX,
    "posts.title": bounds.TITLE_MAX,
    "posts.body": bounds.BODY_MAX,
    "posts.idempotency_key": bounds.IDEMPOTENCY_KEY_MAX,
    "changes.community": bounds.COMMUNITY_MAX,
}
CHECKS = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'"
UNLOGGED = "SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"


async def test_what_must_be_unique_is(shared_db: asyncpg.Connection) -> None:
    found = dict(await shared_db.fetch(INDEXES, list(UNIQUE)))
    assert {name: short(definition) for name, definition in found.items()} == UNIQUE


def short(definition: str) -> str:
    """Return the definition of a unique index without its name and the name of its schema."""
    return re.sub(r"^CREATE UNIQUE INDEX \w+ ON (ONLY )?public\.", "", definition)


async def test_the_columns_are_as_long_as_the_contract_allows(shared_db: asyncpg.Connection) -> None:
    found = {name: await shared_db.fetchval(LENGTH, *name.split(".")) for name in LENGTHS}
    assert found == {name: f"character varying({length})" for name, length in LENGTHS.items()}


async def test_the_checks_hold_the_bounds_of_the_contract(shared_db: asyncpg.Connection) -> None:
    checks = dict(await shared_db.fetch(CHECKS))
    assert f"<= {bounds.CAPABILITIES_MAX})" in checks["agents_capabilities_check"]
    assert f"<= {bounds.WANTED_MAX})" in checks["posts_wanted_capabilities_check"]
    assert "[:space:]" in checks["communities_slug_check"]


async def test_a_crash_empties_these_tables_only(shared_db: asyncpg.Connection) -> None:
    assert await shared_db.fetchval(UNLOGGED) == ["changes", "confirmed_starts"]
