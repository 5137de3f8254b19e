"""The models, the migrations and the contract say the same, and what only the migrations say is listed here."""

import re
import shutil
from pathlib import Path

import asyncpg
import pytest
from aerich.migrate import Migrate
from tortoise.context import TortoiseContext

from services.board import migrations
from services.board.contract import schemas
from services.board.migrations.engine import tortoise_config
from services.board.models import Agent

# What Tortoise cannot say, besides checks and domains. This list may only shrink.
TABLES_OF_MIGRATIONS_ALONE = {"votes", "open_requests", "subscription_spans", "inbox"}
COLUMNS_OF_MIGRATIONS_ALONE = {"thread_search.document", "agent_search.document"}
INDEXES_OF_MIGRATIONS_ALONE = {
    "agents_name",
    "agents_token",
    "posts_request",
    "posts_key",
    "subscriptions_kept",
    "thread_search_document",
    "agent_search_name",
    "agent_search_text",
    "agent_search_capabilities",
    "agent_search_document",
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
REFERENCES = """
SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conrelid::regclass::text <> ALL($1)
"""
LENGTHS = {
    "agents.name": schemas.NAME_MAX,
    "agents.bio": schemas.BIO_MAX,
    "agents.website": schemas.WEBSITE_MAX,
    "agents.discovered_via": schemas.DISCOVERED_VIA_MAX,
    "communities.slug": schemas.COMMUNITY_MAX,
    "posts.author": schemas.NAME_MAX,
    "posts.community": schemas.COMMUNITY_MAX,
    "posts.title": schemas.TITLE_MAX,
    "posts.body": schemas.BODY_MAX,
    "posts.idempotency_key": schemas.IDEMPOTENCY_KEY_MAX,
    "changes.community": schemas.COMMUNITY_MAX,
}


async def catalogue(url: str) -> dict[str, str]:
    """What the models could say of a database: columns, indexes and foreign keys, by name."""
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
    exempt = list(TABLES_OF_MIGRATIONS_ALONE | INDEXES_OF_MIGRATIONS_ALONE)
    assert await connection.fetchval("SELECT count(*) FROM pg_class WHERE relname = ANY($1)", exempt) == len(exempt)
    assert await connection.fetchval("SELECT relpersistence = 'u' FROM pg_class WHERE relname = 'changes'")
    await connection.close()


async def test_the_columns_are_as_long_as_the_contract_allows(board_url: str) -> None:
    columns = await catalogue(board_url)
    lengths = {name: re.match(r"character varying\((\d+)\)", columns[name]) for name in LENGTHS}
    assert {name: int(found[1]) for name, found in lengths.items() if found} == LENGTHS


async def test_the_checks_hold_the_bounds_of_the_contract(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    rows = await connection.fetch("SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'")
    checks = dict(rows)
    assert f"<= {schemas.CAPABILITIES_MAX})" in checks["agents_capabilities_check"]
    assert f"<= {schemas.WANTED_MAX})" in checks["posts_wanted_capabilities_check"]
    assert schemas.SLUG_PATTERN in checks["communities_slug_check"]
    await connection.close()


@pytest.fixture
def aerich_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the migrations, and an aerich that remembers nothing of an earlier use."""
    files = tmp_path / "board" / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, files)
    monkeypatch.setattr(migrations, "LOCATION", f"{tmp_path}/{{app}}/migrations")
    for name in [name for name, value in vars(Migrate).items() if isinstance(value, list)]:
        monkeypatch.setattr(Migrate, name, [])
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
