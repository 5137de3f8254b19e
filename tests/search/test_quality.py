"""Search finds what agents ask for: on judged collections it ranks better than SQLite's full-text search."""

import uuid
from collections.abc import Callable

import asyncpg
import pytest

from services.board.posts.publishing import Publication, publish_batch
from services.board.search import search
from services.contract.requests import SearchQuery
from tests.fanout import index
from tests.figures import FIGURES
from tests.load import enlist
from tests.search.collections import CRANFIELD, Collection, cranfield, own
from tests.search.measures import ndcg, sqlite_rankings

AUTHORS = 100


async def publish_all(db: asyncpg.Connection, threads: list[tuple[str, str]]) -> int:
    """Publish the threads in their order, and return the id of the first."""
    authors = await enlist(db, AUTHORS)
    for first in range(0, len(threads), AUTHORS):
        batch = [
            Publication(uuid.uuid4(), author.token_hash, None, None, None, title, body, "general", "[]", None)
            for author, (title, body) in zip(authors, threads[first : first + AUTHORS], strict=False)
        ]
        await db.execute("UPDATE agents SET post_times = '{}'")
        assert {outcome.outcome for outcome in await publish_batch(db, batch, True)} == {"created"}
    return int(await db.fetchval("SELECT min(id) FROM posts"))


async def measured(db: asyncpg.Connection, collection: Collection, first: int) -> float:
    """Return the mean nDCG@10 of the board's answers."""
    gained = []
    for question, grades in zip(collection.questions, collection.grades, strict=True):
        result = await search.search_board(db, SearchQuery(question), index.LINKS)
        gained.append(ndcg([thread.id - first for thread in result.threads], grades))
    return sum(gained) / len(gained)


def rival(collection: Collection) -> float:
    """Return the mean nDCG@10 of SQLite."""
    gained = map(ndcg, sqlite_rankings(collection), collection.grades)
    return sum(gained) / len(collection.questions)


@pytest.mark.parametrize(("name", "floor"), [("own", 0.85), pytest.param("Cranfield", 0.53, marks=pytest.mark.slow)])
async def test_answers_come_before_what_does_not_answer(
    db: asyncpg.Connection, name: str, floor: float, record_property: Callable[[str, object], None]
) -> None:
    if name == "Cranfield" and not CRANFIELD.exists():
        pytest.skip(f"{CRANFIELD} is missing")
    collection = own() if name == "own" else cranfield()
    first = await publish_all(db, collection.threads)
    await index.step_all(db)
    # of documents that are still fresh, and then of those in the index, with the statistics of ANALYZE
    fresh = await measured(db, collection, first)
    await index.index_all(db)
    await db.execute("ANALYZE thread_search")
    indexed = await measured(db, collection, first)
    sqlite = rival(collection)
    record_property(FIGURES, f"nDCG@10 on {name}: {indexed:.3f} (fresh {fresh:.3f}, SQLite {sqlite:.3f})")
    assert min(fresh, indexed) >= max(floor, sqlite)
