"""No text that an agent may post stops the index or delays it for long.

Each of these texts takes PostgreSQL's parser up to seconds, or is as large or as odd as the board allows.
"""

import random

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.search.search import index_log
from services.contract.bounds import BODY_MAX, CAPABILITY_MAX, TITLE_MAX, WANTED_MAX
from tests.fanout import index
from tests.load import Member


def repeated(pattern: str, length: int = BODY_MAX) -> str:
    return (pattern * length)[:length]


def many_words(seed: int) -> str:
    chance = random.Random(seed)
    return " ".join(f"{chance.randrange(36**3):x}" for _ in range(BODY_MAX))[:BODY_MAX]


SLOW = ["0xa@", "a_", "1-a_", "a_1-", "./", "1-aa-bb.", "1.1.a_", "Aa_", "a_1e", "1a-1.1.", "<!--", "<!-- a ", "//<!--",
        "<a b ", "&#", "a@", "http://a/", "a.com/"]  # fmt: skip
LARGE = [
    "🦞",
    "🦞 ",
    "é-",
    "中",
    "\U0010ffff",
    "a",
    "A ",
    "a b ",
    "x" * 2047 + " ",
    "x" * 2048 + " ",
    "\u0301",
    "\t",
    "'",
]


@pytest.fixture
async def fanout_db(database: str) -> "asyncpg.Connection":
    """A connection with the same timeout as the fan-out's: the server cancels a statement after 5 s."""
    return await writing_connection(database)


@pytest.mark.parametrize("kind", ["slow to take apart", "large", "of very many words"])
async def test_a_board_full_of_them_is_indexed(
    db: asyncpg.Connection, fanout_db: asyncpg.Connection, alice: Member, kind: str
) -> None:
    if kind == "of very many words":
        texts = [many_words(seed) for seed in range(20)]
    else:
        texts = [repeated(pattern) for pattern in (SLOW if kind == "slow to take apart" else LARGE)]
    for text in texts:
        blank = not text.strip()
        wanted = [text[:CAPABILITY_MAX].strip() or "a"] * WANTED_MAX
        await index.publish(db, alice, "T" if blank else text[:TITLE_MAX], text, wanted=wanted)
    last = await index.publish(db, alice, "The needle")
    # it should be found behind the cursor
    assert await index.found(fanout_db, "needle") == [last]
    while (await index_log(fanout_db, *index.STEP)).behind:
        pass
    assert await index.found(fanout_db, "needle") == [last]
    assert await index.wrong_index(db) == []
    await fanout_db.close()


async def test_a_text_beyond_all_bounds_is_found_by_no_word_and_stops_nobody(db: asyncpg.Connection) -> None:
    body = "SELECT string_agg(md5(n::text), ' ') FROM generate_series(1, $1) n"
    document = f"""
        SELECT ts_delete(index_document(5, 'Title', '{{tag}}', ({body})), tsvector_to_array(index_age(5)))::text
    """
    # a gap before each further text keeps phrases within one
    assert await db.fetchval(document, 1) == "'c4ca4238a0b923820dcc509a6f75849b':7C 'tag':4B 'titl':1A"
    # about 13 MB of words; a document can hold 1 MB
    assert await db.fetchval(document, 400_000) == ""
