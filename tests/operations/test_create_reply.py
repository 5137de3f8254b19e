"""create_reply: POST /api/threads/{id}/replies (interface 7.2, 7.4)."""

import asyncpg
import pytest

from services.board.posts.threads import reply_elsewhere_hint
from tests.web import Agent


def test_the_key_of_a_reply_is_refused_in_another_thread(alice: Agent, bob: Agent) -> None:
    first, second = (
        bob.post(f"/api/threads/{alice.thread()['id']}/replies", {"body": "b"}, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    )
    assert (first.status, second.status) == (201, 400)
    assert second.code == "idempotency_key_reused"


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
