"""Searches with long queries, long replies and long threads find what they may, with bounded work (interface 9.7)."""

import asyncpg
import pytest

from services.board.search import search
from services.contract.answers.search import SearchResult
from services.contract.bounds import BODY_MAX, CAPABILITY_MAX
from services.contract.requests.queries import SearchQuery
from tests.fanout import index
from tests.load import Member, enlist

SEARCHED = "SELECT thread_id, matched, reply_text FROM search_threads($1, $2, NULL, NULL, $3)"


@pytest.fixture
async def alice(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


async def searched(db: asyncpg.Connection, q: str, limit: int = 20) -> SearchResult:
    return await search.search_board(db, SearchQuery(q=q, limit=limit), index.LINKS)


async def test_long_replies_share_one_budget_for_their_excerpts(db: asyncpg.Connection, alice: Member) -> None:
    for _ in range(60):
        thread = await index.publish(db, alice, body="Who?")
        await index.publish(db, alice, parent=thread, body="Text. " * 2600 + "A saiga.")
    await index.index_all(db)
    texts = [row["reply_text"] for row in await db.fetch(SEARCHED, "saiga", 51, 0)]
    assert texts[-1] is None, "the row beyond the page needs no excerpt"
    assert all("saiga" in text for text in texts[:5])
    assert all(text.startswith("Text.") and "saiga" not in text for text in texts[40:50])


async def test_replies_of_older_threads_crowd_no_thread_since_then_out(db: asyncpg.Connection, alice: Member) -> None:
    old = [await index.publish(db, alice, body="Who?") for _ in range(40)]
    new = [await index.publish(db, alice, body=f"A {word}.") for word in ("walrus", "narwhal")]
    for thread in old:
        await index.write_threads(db, "A walrus and a narwhal.", 8, parent=thread)
    await db.execute("UPDATE log_head SET threads = 2000")  # so that no word is common
    await index.index_all(db)
    rows = await db.fetch(SEARCHED, "walrus narwhal", 21, new[0])
    assert {(row["thread_id"], row["matched"]) for row in rows} == {(thread, "some") for thread in new}


async def test_parts_of_many_names_find_threads_with_some_of_them(db: asyncpg.Connection, alice: Member) -> None:
    parts = [
        f"{a}{b}"
        for a in ("red", "dim", "hot", "new", "old", "raw")
        for b in ("fox", "cat", "dog", "elk", "ant", "bee")
    ]
    thread = await index.publish(db, alice, body=" ".join(parts[::2]))
    await index.publish(db, alice, body=" ".join(parts[1::2]), parent=thread)
    await index.index_all(db)
    names = " ".join(f"{one.title()}{other.title()}" for one, other in zip(parts[::2], parts[1::2], strict=True))
    q = f"{names} {' '.join(f'missing{n}' for n in range(20))}"
    result = await searched(db, q)
    assert [(found.id, found.matched) for found in result.threads] == [(thread, "some")]
    assert not result.incomplete


async def test_posts_of_a_hidden_thread_hinder_no_thread_with_some_of_the_words(
    db: asyncpg.Connection, alice: Member
) -> None:
    hidden = [await index.publish(db, alice, body="Who?") for _ in range(3)]
    for thread in 2 * hidden:
        await index.publish(db, alice, parent=thread, body="A saiga and a kudu.")
    kept = await index.publish(db, alice, body="A saiga.")
    await db.execute("UPDATE log_head SET threads = 2000")  # so that no word is common
    await index.index_all(db)
    for thread in hidden:
        await db.fetchval("SELECT set_hidden($1, true, 'tester', '', 1)", thread)  # one of its replies; the other later
    result = await searched(db, "saiga kudu", limit=2)
    assert [(found.id, found.matched) for found in result.threads] == [(kept, "some")]


async def test_no_phrase_goes_from_one_text_into_another(db: asyncpg.Connection, alice: Member) -> None:
    thread = await index.publish(db, alice, "An aardvark", "A binturong in deepCaracal", wanted=["dingo"])
    await index.publish(db, alice, body="Echidna and wombat.", parent=thread)
    await index.index_all(db)
    for q in ("aardvark dingo", "dingo a", "deepcaracal deep", "caracal echidna", "deep caracal echidna"):
        result = await searched(db, f'"{q}"')
        assert [found.matched for found in result.threads if found.matched == "all"] == [], q
    for q in ('"an aardvark" "echidna and"', '"deep caracal"', "deepcaracal dingo wombat"):
        assert await index.found(db, q) == [thread], q


async def test_the_rarest_words_are_used_wherever_they_stand(db: asyncpg.Connection, alice: Member) -> None:
    common = [f"common{chr(97 + n // 6)}{chr(97 + n % 6)}" for n in range(36)]
    await index.write_threads(db, " ".join(common), 400)
    rare = await index.publish(db, alice, body="A saiga.")
    await db.execute("UPDATE log_head SET threads = 2000")
    await index.index_all(db)
    result = await searched(db, f"{' '.join(common)} saiga")
    assert (result.threads[0].id, result.threads[0].matched, result.left_out) == (rare, "some", 5)


@pytest.mark.parametrize("form", ["index_fold", "index_forms"])
async def test_a_long_text_becomes_at_most_four_times_as_long(db: asyncpg.Connection, form: str) -> None:
    """A normal form makes 18 characters of one ligature."""
    length = f"SELECT char_length({form}($1))"
    assert await db.fetchval(length, "\ufdfa" * BODY_MAX) <= 4 * BODY_MAX
    # it should leave shorter texts whole, such as tags
    assert await db.fetchval(length, "\ufdfa" * CAPABILITY_MAX) == 18 * CAPABILITY_MAX
