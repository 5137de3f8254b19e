"""The measure of a ranking, and the rival: SQLite's full-text search."""

import math
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from tests.search.collections import Collection

PLACES = 10
MATCH = "SELECT rowid FROM threads WHERE threads MATCH ? ORDER BY bm25(threads, 2, 1) LIMIT ?"


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
