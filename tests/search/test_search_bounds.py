"""Searches with long queries, long replies and long threads find what they may, with bounded work (interface 9.7)."""

from collections.abc import Callable, Coroutine

import asyncpg
import pytest

from tests.fanout import index
from tests.load import Member, enlist

Take = Callable[[asyncpg.Connection], Coroutine[None, None, None]]
SEARCHED = "SELECT thread_id, matched, reply_text FROM search_threads($1, $2, NULL, NULL, $3)"


@pytest.fixture
async def alice(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


async def test_long_replies_share_one_budget_for_their_excerpts(db: asyncpg.Connection, alice: Member) -> None:
    for _ in range(60):
        thread = await index.publish(db, alice, body="Who?")
        await index.publish(db, alice, parent=thread, body="Text. " * 2600 + "A saiga.")
    await index.index_all(db)
    texts = [row["reply_text"] for row in await db.fetch(SEARCHED, "saiga", 51, 0)]
    assert texts[-1] is None, "the row beyond the page needs no excerpt"
    assert all("saiga" in text for text in texts[:5])
    assert all(text.startswith("Text.") and "saiga" not in text for text in texts[40:50])


@pytest.mark.parametrize("take", [index.step_all, index.index_all])
async def test_replies_of_older_threads_crowd_no_thread_since_then_out(
    db: asyncpg.Connection, alice: Member, take: Take
) -> None:
    old = [await index.publish(db, alice, body="Who?") for _ in range(40)]
    new = [await index.publish(db, alice, body=f"A {word}.") for word in ("walrus", "narwhal")]
    for thread in old:
        await index.write_threads(db, "A walrus and a narwhal.", 8, parent=thread)
    await db.execute("UPDATE log_head SET threads = 2000")  # so that no word is common
    await take(db)
    rows = await db.fetch(SEARCHED, "walrus narwhal", 21, new[0])
    assert {(row["thread_id"], row["matched"]) for row in rows} == {(thread, "some") for thread in new}
