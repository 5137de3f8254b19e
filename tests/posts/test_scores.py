"""Scores: `hot`, and votes that do not count."""

import math

import asyncpg
import pytest

from tests.load import Client, enlist, published

Clients = tuple[Client, Client]

# interface 9.3: the score without the author's own vote, at created = 1760000000
HOT = {0: 39111.111111, 1: 39111.412141, -1: 39110.810081, 9: 39112.111111, 99: 39113.111111}


@pytest.mark.parametrize(("score", "hot"), HOT.items())
async def test_hot_is_the_published_formula(db: asyncpg.Connection, score: int, hot: float) -> None:
    assert await db.fetchval("SELECT hot($1, to_timestamp(1760000000))", score) == pytest.approx(hot, abs=5e-7)


async def test_the_authors_own_vote_counts_in_the_score_but_not_in_popular(
    clients: Clients, db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(db, 2)
    thread = published(await clients[0].thread(alice))
    before = await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread)
    assert (await clients[0].vote(alice, thread, 1)).json["score"] == 1
    assert await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread) == before
    assert (await clients[1].vote(bob, thread, 1)).json["score"] == 2
    after = await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread)
    assert after - before == pytest.approx(math.log10(2), abs=1e-9)
