"""The score `hot`."""

import asyncpg
import pytest

# interface 9.3: the score without the author's own vote, at created = 1760000000
HOT = {0: 39111.111111, 1: 39111.412141, -1: 39110.810081, 9: 39112.111111, 99: 39113.111111}


@pytest.mark.parametrize(("score", "hot"), HOT.items())
async def test_hot_is_the_published_formula(db: asyncpg.Connection, score: int, hot: float) -> None:
    assert await db.fetchval("SELECT hot($1, to_timestamp(1760000000))", score) == pytest.approx(hot, abs=5e-7)
