"""The excerpt of a reply shows the words that were found, as the index has them, for a bounded amount of work."""

import re
from collections.abc import Iterator

import asyncpg
import pytest

from services.contract.bounds import BODY_MAX
from tests.fanout import index
from tests.load import enlist

EXCERPT = """
SELECT search_excerpt($1, s.words, array_fill(1::float8, ARRAY[cardinality(s.words)]), 1428) FROM search_words($2) s
"""
HAS = "SELECT index_text($1) @@ query FROM search_words($2)"
# words of a text that surround what a search finds, how it is written, and the search
CASES = [
    ("an important transport", "the port.", "port"),
    ("portable portals", "(port)", "port"),
    ("a cat", 'in "C"', "c"),
    ("go\ngone", "[go]", "go"),
    ("the x86_64 build", "x\n64", "x 64"),
    ("isinstance()", "is", "is"),
    ("an instance", "DeadlockDetected", "deadlock"),
    ("not found", "DeadlockDetected", "detected"),
    ("undying", "skies", "sky"),
    ("café society", "café", "cafe"),
    ("Лекарство", "книгами", "книга"),
    ("全文検索の精度、", "数据库", "数据库"),
    ("16 GB", "5㎏", "kg"),
    ("resource", "re-source", "source"),
]


def texts(around: str, found: str) -> Iterator[str]:
    """Yield texts in which what is found stands in different places, far from the ends and near them."""
    for before, behind in ((0, 40), (1, 40), (40, 0), (40, 1), *((n, 60) for n in range(3, 12)), (300, 300)):
        yield f"{f'{around} ' * before}{found}{f' {around}' * behind}"


@pytest.mark.parametrize(("around", "found", "q"), CASES)
async def test_an_excerpt_shows_the_word_that_the_index_has(
    shared_db: asyncpg.Connection, around: str, found: str, q: str
) -> None:
    for text in texts(around, found):
        excerpt = await shared_db.fetchval(EXCERPT, text, q)
        assert await shared_db.fetchval(HAS, excerpt, q), (text.index(found), excerpt)
        assert len(excerpt) <= 200
        assert re.search(rf"(?<!\S){re.escape(excerpt)}(?!\S)", text), excerpt


async def test_an_excerpt_shows_the_words_with_the_most_weight(shared_db: asyncpg.Connection) -> None:
    other = "Other things. " * 100
    text = f"An elk. {other} A kudu and an elk. {other} A saiga. {other} A kudu. {other}"
    weighted = "SELECT search_excerpt($1, '{saiga,kudu,elk}', $2::float8[], 1428)"
    for weights, shown in (([3, 1, 1], "A saiga."), ([3, 2, 2], "A kudu and an elk."), ([3, 4, 1], "A kudu and")):
        assert shown in await shared_db.fetchval(weighted, text, weights), weights


async def test_posts_that_the_index_lacks_cost_by_their_normal_form(db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    for letters, read in (("no ", 40), ("\ufdfa ", 6)):
        for _ in range(40):
            await index.publish(db, alice, body=(letters * BODY_MAX)[:BODY_MAX])
        found = await db.fetchrow("SELECT cardinality(ids) AS posts, incomplete FROM search_log(0, NULL, NULL, 0)")
        assert (found["posts"], found["incomplete"]) == (read, read < 40)
