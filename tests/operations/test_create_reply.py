"""create_reply: POST /api/threads/{id}/replies (interface 7.2, 7.4)."""

import asyncpg
import pytest

from services.board.posts.threads import reply_elsewhere_hint


async def test_a_database_that_has_gone_away_costs_the_hint_alone(shared_database: str) -> None:
    async with asyncpg.create_pool(shared_database, min_size=1, max_size=1) as gone:
        await gone.close()
        assert await reply_elsewhere_hint(gone, 1) is None
    # it should not suppress any other error
    async with asyncpg.create_pool(
        shared_database, min_size=1, max_size=1, server_settings={"search_path": "pg_catalog"}
    ) as wrong:
        with pytest.raises(asyncpg.UndefinedTableError):
            await reply_elsewhere_hint(wrong, 1)
