"""The models, the migrations and the contract agree; anything defined only in the migrations is listed here."""

import re
import shutil
from pathlib import Path

import asyncpg
import pytest
from aerich.migrate import Migrate
from tortoise.context import TortoiseContext

from services.board.database import migrations
from services.board.database.models import Agent
from services.board.database.orm import tortoise_config
from services.contract import bounds

# Not expressible in Tortoise, apart from checks and domains, or read and written by SQL only.
TABLES_OF_MIGRATIONS_ALONE = {"votes", "open_requests", "subscription_spans", "inbox", "log_state", "log_begins",
                              "log_nodes"}  # fmt: skip
COLUMNS_OF_MIGRATIONS_ALONE = {"thread_search.document", "agent_search.document"}
INDEXES_OF_MIGRATIONS_ALONE = {
    "agents_name_key": "UNIQUE agents USING btree (name_key((name)::text))",
    "agents_skeleton": "agents USING btree (name_skeleton((name)::text))",
    "agents_token": "UNIQUE agents USING btree (token_hash) WHERE (token_hash IS NOT NULL)",
    "posts_request": "UNIQUE posts USING btree (request_id)",
    "posts_key": "UNIQUE posts USING btree (author_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)",
    "subscriptions_kept": "UNIQUE subscriptions USING btree (agent_id, kind, target) WHERE (deleted_at IS NULL)",
    "thread_search_document": "thread_search USING gin (document) WITH (gin_pending_list_limit='512')",
    "agent_search_name": "agent_search USING gin (name gin_trgm_ops, document) WITH (gin_pending_list_limit='64')",
    "agent_search_text": "agent_search USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit='64')",
    "agent_search_capabilities": "agent_search USING gin (capabilities) WITH (gin_pending_list_limit='64')",
    "agent_search_document": "agent_search USING gin (document) WITH (gin_pending_list_limit='64')",
}
INDEXES_OF_TABLES_ALONE = {
    "votes_pkey": "UNIQUE votes USING btree (agent_id, post_id)",
    "open_requests_pkey": "UNIQUE open_requests USING btree (capability, thread_id)",
    "subscription_spans_pkey": "UNIQUE subscription_spans USING btree (subscription_id, from_id)",
    "subscription_spans_topic": "subscription_spans USING btree (topic, partition, to_id, agent_id)"
    " INCLUDE (from_id, subscription_id)",
    "log_state_pkey": "UNIQUE log_state USING btree (id)",
    "log_begins_pkey": "UNIQUE log_begins USING btree (generation)",
    "log_nodes_pkey": 'UNIQUE log_nodes USING btree (level, "position")',
    "inbox_pkey": "UNIQUE ONLY inbox USING btree (agent_id, event_id)",
}

COLUMNS = r"""
SELECT c.relname || '.' || a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod)
    ELSE format_type(a.atttypid, a.atttypmod) END || CASE WHEN a.attnotnull THEN ' NOT NULL'
    ELSE '' END || CASE WHEN d.adbin IS NULL OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%' THEN ''
    ELSE ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND c.relname <> ALL($1)
"""
INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> ALL($1) AND indexname <> ALL($2)
"""
EXEMPT_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND (tablename = ANY($1) OR indexname = ANY($2))
"""
REFERENCES = """
SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conrelid::regclass::text <> ALL($1)
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


async def catalogue(url: str) -> dict[str, str]:
    """The parts of a database that models can describe: columns, indexes and foreign keys, by name."""
    connection = await asyncpg.connect(url)
    alone = list(TABLES_OF_MIGRATIONS_ALONE)
    rows = await connection.fetch(COLUMNS, alone)
    rows += await connection.fetch(INDEXES, alone, list(INDEXES_OF_MIGRATIONS_ALONE))
    rows += await connection.fetch(REFERENCES, alone)
    await connection.close()
    return {name: what for name, what in rows if name not in COLUMNS_OF_MIGRATIONS_ALONE}


async def test_the_models_make_the_same_tables_as_the_migrations(board_url: str, second_url: str) -> None:
    async with TortoiseContext() as context:
        await context.init(config=tortoise_config(second_url))
        await context.generate_schemas(safe=False)
    assert await catalogue(second_url) == await catalogue(board_url)


async def test_what_the_migrations_alone_say_is_there(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    exempt = list(TABLES_OF_MIGRATIONS_ALONE)
    assert await connection.fetchval("SELECT count(*) FROM pg_class WHERE relname = ANY($1)", exempt) == len(exempt)
    unlogged = (
        "SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"
    )
    assert await connection.fetchval(unlogged) == ["changes", "confirmed_starts"]
    await connection.close()


async def test_the_indexes_of_the_migrations_alone_are_defined_as_listed(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    rows = await connection.fetch(EXEMPT_INDEXES, list(TABLES_OF_MIGRATIONS_ALONE), list(INDEXES_OF_MIGRATIONS_ALONE))
    await connection.close()
    assert {name: short(definition) for name, definition in rows} == (
        INDEXES_OF_MIGRATIONS_ALONE | INDEXES_OF_TABLES_ALONE
    )


def short(definition: str) -> str:
    """Return the definition of an index without its name and the name of its schema."""
    return re.sub(r"^CREATE (UNIQUE )?INDEX \w+ ON (ONLY )?public\.", r"\1\2", definition)


async def test_the_columns_are_as_long_as_the_contract_allows(board_url: str) -> None:
    columns = await catalogue(board_url)
    lengths = {name: re.match(r"character varying\((\d+)\)", columns[name]) for name in LENGTHS}
    assert {name: int(found[1]) for name, found in lengths.items() if found} == LENGTHS


async def test_the_checks_hold_the_bounds_of_the_contract(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    rows = await connection.fetch("SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'")
    checks = dict(rows)
    assert f"<= {bounds.CAPABILITIES_MAX})" in checks["agents_capabilities_check"]
    assert f"<= {bounds.WANTED_MAX})" in checks["posts_wanted_capabilities_check"]
    assert "[:space:]" in checks["communities_slug_check"]
    await connection.close()


@pytest.fixture
def aerich_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the migrations, and aerich without state from an earlier use."""
    files = tmp_path / "board" / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, files)
    monkeypatch.setattr(migrations, "LOCATION", f"{tmp_path}/{{app}}/migrations")
    for name in [name for name, value in vars(Migrate).items() if isinstance(value, list)]:
        monkeypatch.setattr(Migrate, name, [])
    monkeypatch.setattr(Migrate, "_last_version_content", None)
    return files


def numbered(files: Path) -> list[int]:
    return [int(file.name.split("_")[0]) for file in files.glob("[0-9]*_*.py")]


async def test_aerich_finds_no_difference(aerich_files: Path) -> None:
    before = numbered(aerich_files)
    assert await migrations.make_migration("nothing") is None
    assert numbered(aerich_files) == before


async def test_aerich_writes_what_a_changed_model_needs(aerich_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agent._meta.fields_map["bio"], "max_length", 1200)
    written = await migrations.make_migration("longer_bio")
    newest = max(numbered(aerich_files))
    assert written is not None
    assert re.fullmatch(rf"{newest}_\d{{14}}_longer_bio\.py", written)
    assert 'ALTER TABLE "agents" ALTER COLUMN "bio" TYPE VARCHAR(1200)' in (aerich_files / written).read_text()
