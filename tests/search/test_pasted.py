"""A text that is searched for as it was pasted finds the thread that has it (interface 9.7)."""

import re
from typing import NamedTuple

import asyncpg

from services.board.search import search
from services.board.validation.bodies import validate
from services.contract.requests.queries import SearchQuery
from tests.fanout import index
from tests.search.collections import OWN, own
from tests.search.test_quality import publish_all

ESCAPE = re.compile(r"\\e\[[\d;]*\w|\\e\].*?\\a|\\x07")
RAW = {"\\e": "\x1b", "\\a": "\x07", "\\x07": "\x07"}


class Pasted(NamedTuple):
    """A search, and the text of the thread that has it."""

    kind: str
    q: str
    text: str


def pasted() -> list[Pasted]:
    records = (OWN / "pasted.txt").read_text(encoding="utf-8").rstrip("\n").split("\n## ")[1:]
    return [pasted_from(*record.split("\n", 1)) for record in records]


def pasted_from(kind: str, record: str) -> Pasted:
    q, _, text = record.partition("\n=>\n")
    for escape, raw in RAW.items():
        q = q.replace(escape, raw)
    return Pasted(kind, q, text or ESCAPE.sub("", record))


def beside(one: Pasted) -> list[str]:
    """Return other texts with a part of the words, and with the numbers."""
    words = one.text.split()
    numbers = re.findall(r"\b\d\w*", one.q)
    first = " ".join(words[: len(words) // 2]).rstrip(":")
    return [f"{first} and more", f"More about {first}"] + [
        f"Counted {' '.join(numbers[start : start + 4])} of them" for start in range(0, len(numbers), 4)
    ]


async def test_a_text_finds_the_thread_that_has_it_before_all_others(db: asyncpg.Connection) -> None:
    texts = pasted()
    threads = own().threads + [("It fails again", f"Since Monday:\n{one.text}\nWhat can I do?") for one in texts]
    first = await publish_all(db, threads + [("Another", text) for one in texts for text in beside(one)])
    await index.index_all(db)
    await db.execute("ANALYZE thread_search")
    found = {}
    for place, one in enumerate(texts, first + len(own().threads)):
        query = validate(SearchQuery, {"q": one.q, "limit": 5}, part="query")
        result = await search.search_board(db, query, index.LINKS)
        if [thread.id for thread in result.threads[:1]] != [place]:
            found[one.kind, one.q] = [thread.id - place for thread in result.threads]
    assert found == {}
