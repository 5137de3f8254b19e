"""The stream of moderation begins with what the audit has from before it (migration 16)."""

from pathlib import Path

import asyncpg

from services.board.database.migrations import migrate
from tests.database.former import apply_before

AGENT = """
INSERT INTO agents (id, name, created, activity, token_hash, token_created) VALUES (7, 'Tern', now(), now(), '', now())
"""
AUDIT = "INSERT INTO audit (at, who, action, subject, reason) VALUES (to_timestamp($1), 'olga', $2, $3, 'A secret.')"
STREAM = "SELECT id, extract(epoch FROM at)::int, action, post_id, agent_id, category FROM moderation ORDER BY id"


FORMER = [
    (1, "hide", "42"),
    (2, "operator", "Tern"),
    (3, "suspend", "tern"),
    (4, "unhide", "42"),
    (5, "announce", "1"),
]
COPIED = [
    (1, 1, "hide", 42, None, "other"),
    (2, 3, "suspend", None, 7, "other"),
    (3, 4, "unhide", 42, None, "other"),
]


async def test_the_stream_has_the_former_actions_and_goes_on(empty_url: str, tmp_path: Path) -> None:
    await apply_before(16, empty_url, tmp_path)
    async with asyncpg.create_pool(empty_url, min_size=1, max_size=1) as db:
        await db.execute(AGENT)
        await db.executemany(AUDIT, FORMER)
        await migrate(empty_url, lambda _: None)
        assert [tuple(row) for row in await db.fetch(STREAM)] == COPIED
        await db.execute(AUDIT, 6, "restore", "Tern")
        assert [tuple(row) for row in await db.fetch(STREAM)] == [*COPIED, (4, 6, "restore", None, 7, "other")]
