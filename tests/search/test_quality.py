"""Search finds what agents ask for: on judged collections it ranks better than SQLite's full-text search."""

import math
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence

import asyncpg
import pytest

from services.board.posts.publications import Publication, publish_batch
from services.board.search import search
from services.contract.requests.queries import SearchQuery
from tests.fanout import index
from tests.figures import FIGURES
from tests.load import enlist
from tests.search.collections import CRANFIELD, Collection, cranfield, own, pairs

AUTHORS = 100
PLACES = 10
MATCH = "SELECT rowid FROM threads WHERE threads MATCH ? ORDER BY bm25(threads, 2, 1) LIMIT ?"


async def publish_all(db: asyncpg.Connection, threads: list[tuple[str, str]]) -> int:
    """Publish the threads in their order, and return the id of the first."""
    return (await publish(db, [(None, title, body) for title, body in threads]))[0]


async def publish(db: asyncpg.Connection, posts: Sequence[tuple[int | None, str | None, str]]) -> list[int]:
    """Publish posts, each with its thread or a title, and return their ids."""
    authors = await enlist(db, AUTHORS)
    ids: list[int] = []
    for first in range(0, len(posts), AUTHORS):
        batch = [
            Publication(uuid.uuid4(), author.token_hash, None, parent, None, title, body, community, "[]", None)
            for author, (parent, title, body) in zip(authors, posts[first : first + AUTHORS], strict=False)
            for community in (None if parent else "general",)
        ]
        await db.execute("UPDATE agents SET post_times = '{}'")
        outcomes = await publish_batch(db, batch, True)
        assert {outcome.outcome for outcome in outcomes} == {"created"}
        ids += [outcome.post_id for outcome in outcomes]
    return ids


def ndcg(ranking: Sequence[int], grades: Mapping[int, int]) -> float:
    """Return nDCG@10 of a ranking: 1 if the best answers come first, the better before the worse."""
    return gained([grades.get(place, 0) for place in ranking]) / gained(sorted(grades.values(), reverse=True))


def gained(grades: Sequence[int]) -> float:
    return math.fsum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades[:PLACES]))


def sqlite_rankings(collection: Collection) -> Iterator[list[int]]:
    """Yield the ranking of each question by SQLite FTS5: stemmed, any word, titles weighted twice."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE threads USING fts5(title, body, tokenize='porter')")
    database.executemany("INSERT INTO threads VALUES (?, ?)", collection.threads)
    for question in collection.questions:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        yield [row[0] - 1 for row in database.execute(MATCH, (words, PLACES))]


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


@pytest.mark.parametrize(("name", "floor"), [("own", 0.85), pytest.param("Cranfield", 0.55, marks=pytest.mark.slow)])
async def test_answers_come_before_what_does_not_answer(
    db: asyncpg.Connection, name: str, floor: float, record_property: Callable[[str, object], None]
) -> None:
    if name == "Cranfield" and not CRANFIELD.exists():
        pytest.skip(f"{CRANFIELD} is missing")
    collection = own() if name == "own" else cranfield()
    first = await publish_all(db, collection.threads)
    await index.index_all(db)
    # before and after ANALYZE has made statistics
    young = await measured(db, collection, first)
    await db.execute("ANALYZE thread_search")
    known = await measured(db, collection, first)
    sqlite = rival(collection)
    record_property(FIGURES, f"nDCG@10 on {name}: {known:.3f} (before ANALYZE {young:.3f}, SQLite {sqlite:.3f})")
    assert min(young, known) >= max(floor, sqlite)


async def places(db: asyncpg.Connection, searches: list[tuple[str, int]]) -> list[int | None]:
    """Return the place of the thread that answers each search, from 0; None if it is not found."""
    found = []
    for q, thread in searches:
        ids = [item.id for item in (await search.search_board(db, SearchQuery(q), index.LINKS)).threads]
        found.append(ids.index(thread) if thread in ids else None)
    return found


def first_five(found: Sequence[int | None]) -> float:
    """Return the share of searches whose thread is among the first five."""
    return sum(place is not None and place < 5 for place in found) / len(found)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
async def test_what_only_a_reply_has_finds_its_thread(
    db: asyncpg.Connection, every: int, record_property: Callable[[str, object], None]
) -> None:
    answered = pairs()
    await publish_all(db, own().threads)
    threads = await publish(db, [(None, pair.title, pair.body) for pair in answered])
    replies = [(thread, None, body) for thread, pair in zip(threads, answered, strict=True) for body in pair.replies]
    await publish(db, replies)
    questions = [(pair.question, thread) for pair, thread in zip(answered, threads, strict=True)]
    rare = [(pair.rare, thread) for pair, thread in zip(answered, threads, strict=True)]
    rephrased = [(pair.rephrased, thread) for pair, thread in zip(answered, threads, strict=True) if pair.rephrased]
    await index.index_all(db)
    await db.execute("ANALYZE thread_search")
    shares = [first_five(await places(db, searches[::every])) for searches in (questions, rare, rephrased)]
    figures = "questions {:.2f}, rare words {:.2f}, rephrased {:.2f}".format(*shares)
    record_property(FIGURES, f"among the first five: {figures}")
    assert shares[0] >= 0.9
    assert shares[1] >= 55 / 60
    assert shares[2] >= 0.9


async def test_the_reply_that_is_shown_answers(
    db: asyncpg.Connection, record_property: Callable[[str, object], None]
) -> None:
    answered = pairs()
    await publish_all(db, own().threads)
    threads = await publish(db, [(None, pair.title, pair.body) for pair in answered])
    replies = [(thread, None, body) for thread, pair in zip(threads, answered, strict=True) for body in pair.replies]
    ids = iter(await publish(db, replies))
    answers = [[next(ids) for _ in pair.replies][pair.answer] for pair in answered]
    await db.execute("UPDATE posts SET score = 2 WHERE id = ANY($1)", answers)
    await index.index_all(db)
    right = []
    for pair, thread, answer in zip(answered, threads, answers, strict=True):
        for q in filter(None, (pair.rare, pair.rephrased)):
            found = (await search.search_board(db, SearchQuery(q), index.LINKS)).threads
            right += [item.found_in.id == answer for item in found if item.id == thread and item.found_in]
    record_property(FIGURES, f"of {len(right)} replies that are shown, {sum(right)} are answers")
    assert sum(right) >= 0.97 * len(right) > 150
