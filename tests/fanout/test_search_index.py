"""The search index is a function of the posts up to its cursor, whatever else happens during indexing."""

import asyncio
import random
from collections.abc import Callable, Coroutine

import asyncpg
import pytest

from services.board.search import search
from services.contract.requests.queries import SearchQuery
from tests.fanout import index
from tests.load import Member, enlist
from tests.posts.locks import HOLD_INDEX, let_go, slow_begun

Connect = Callable[[], Coroutine[None, None, asyncpg.Connection]]
# without the keys of communities and authors, which wrong_index compares
REQUESTS = "SELECT capability || ' ' || thread_id FROM open_requests WHERE capability !~ E'\\n' ORDER BY 1"


async def requests(db: asyncpg.Connection) -> list[str]:
    return [row[0] for row in await db.fetch(REQUESTS)]


async def test_a_step_takes_threads_in_and_says_what_is_left(db: asyncpg.Connection, alice: Member) -> None:
    ids = [await index.publish(db, alice, f"Thread {n}", wanted=["SQL", "Öl"]) for n in range(3)]
    created = await db.fetchval("SELECT created FROM posts WHERE id = $1", ids[2])
    assert await search.index_log(db, 2, 200_000) == (2, 1, created)
    assert await index.documents(db) == ids[:2]
    assert await search.index_log(db, 2, 200_000) == (1, 0, None)
    assert await requests(db) == sorted(f"{tag} {n}" for tag in ("sql", "öl") for n in ids)
    # it should find nothing more to do
    assert await search.index_log(db, 2, 200_000) == (0, 0, None)
    assert await index.wrong_index(db) == []


async def test_a_step_ends_early_when_its_texts_are_long_and_takes_one_in_any_case(
    db: asyncpg.Connection, alice: Member
) -> None:
    thread = await index.publish(db, alice, body="x" * 600)
    await index.publish(db, alice, parent=thread, body="x" * 600)
    for _ in range(3):
        await index.publish(db, alice, body="x" * 600)
    assert [(await search.index_log(db, 200, 1000)).indexed for _ in range(4)] == [2, 2, 1, 0]
    await db.execute("UPDATE search_cursor SET last_id = 0")
    assert [(await search.index_log(db, 200, 1)).indexed for _ in range(6)] == [1, 1, 1, 1, 1, 0]


async def test_nothing_hidden_is_found_whatever_the_index_has(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    # with enough others, the word is rare
    thread, other, *_ = [await index.publish(db, alice) for _ in range(8)]
    reply = await index.publish(db, bob, parent=thread, body="A saiga.")
    await index.publish(db, bob, parent=other, body="A saiga.")
    await index.index_all(db)
    for post in (reply, thread):
        await db.execute("UPDATE posts SET visible = false WHERE id = $1", post)
        assert await index.found(db, "saiga") == [other]
        some = await index.searched(db, "saiga nobodywrotethis")
        assert [found.id for found in some.threads] == [other]
        await db.execute("UPDATE posts SET visible = true WHERE id = $1", post)
    assert await index.found(db, "saiga") == [thread, other]


async def test_announcements_are_found_and_are_no_requests(db: asyncpg.Connection, alice: Member) -> None:
    await db.execute("UPDATE agents SET operator = true WHERE id = $1", alice.id)
    thread = await index.publish(db, alice, wanted=["sql"], community="announcements")
    await index.index_all(db)
    assert (await index.documents(db), await requests(db)) == ([thread], [])
    assert await index.wrong_index(db) == []


async def test_a_gap_in_the_log_is_passed_over(db: asyncpg.Connection, alice: Member) -> None:
    await index.publish(db, alice)
    # as after a forced failover according to the runbook
    await db.execute("UPDATE log_head SET last_id = last_id + 1000000")
    thread = await index.publish(db, alice)
    assert (await index.step(db))[:2] == (2, 0)
    assert await index.documents(db) == [1, thread]


async def test_two_steps_at_once_one_works_and_the_other_returns_at_once(
    db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member
) -> None:
    await index.publish(db, alice)
    await db.execute(HOLD_INDEX)
    working = asyncio.create_task(index.step(db))
    await slow_begun(other_db)
    found = await index.step(other_db)
    assert (found.indexed, found.behind) == (None, 1)
    await let_go(other_db)
    assert (await working).indexed == 1


async def test_every_filter_finds_what_is_behind_the_cursor_and_in_the_index(
    db: asyncpg.Connection, alice: Member, bob: Member
) -> None:
    cats = [await index.publish(db, alice, "A kudu", "kudu and eland", community="cats") for _ in range(2)]
    dogs = [await index.publish(db, bob, "A kudu", "kudu-eland", community="dogs") for _ in range(3)]
    await index.publish(db, bob, parent=dogs[0])
    created = await db.fetchval("SELECT extract(epoch FROM created)::float8 FROM posts WHERE id = $1", dogs[1])

    async def check() -> None:
        for query, ids in (
            (SearchQuery("kudu"), cats + dogs),
            (SearchQuery("kudu-eland"), dogs),
            (SearchQuery("kudu", community="cats"), cats),
            (SearchQuery("kudu", author=bob.name), dogs),
            (SearchQuery("kudu", community="cats", author=bob.name), []),
            (SearchQuery("kudu", since=created), dogs[1:]),
            (SearchQuery("gnu"), []),
        ):
            result = await search.search_board(db, query, index.LINKS)
            assert (index.matching(result), result.incomplete) == (ids, False), query

    await check()
    await index.index_all(db)
    await check()
    # indexing again should replace the documents
    await db.execute("UPDATE thread_search SET document = ''")
    await db.execute("UPDATE search_cursor SET last_id = 0")
    await index.index_all(db)
    await check()


class Crowd:
    """Publishes, hides and shows at random, over its own connections, while others index."""

    def __init__(self, members: list[Member], seed: int) -> None:
        self.members = members
        self.random = random.Random(seed)
        self.over = False

    async def act(self, db: asyncpg.Connection, moves: int) -> None:
        for _ in range(moves):
            await self.random.choice([self.publish, self.publish, self.publish, self.hide])(db)

    async def publish(self, db: asyncpg.Connection) -> None:
        threads = await db.fetch("SELECT id FROM posts WHERE parent IS NULL AND visible ORDER BY id DESC LIMIT 20")
        parent = self.random.choice([None, *[row["id"] for row in threads]])
        wanted = self.random.sample(["sql", "SQL", "python", "go"], self.random.randrange(3))
        try:
            await index.publish(db, self.random.choice(self.members), wanted=wanted, parent=parent)
        except AssertionError:
            assert parent is not None  # it was hidden in the meantime

    async def hide(self, db: asyncpg.Connection) -> None:
        posts = await db.fetch("SELECT id, hidden FROM posts ORDER BY id DESC LIMIT 30")
        if posts:
            post = self.random.choice(posts)
            await db.fetchval("SELECT set_hidden($1, $2, 'tester', '')", post["id"], post["hidden"] == 0)

    async def index(self, db: asyncpg.Connection) -> int:
        """Take steps of a few posts until the others are done; return how many posts were indexed."""
        taken = 0
        while True:
            over = self.over
            done = await search.index_log(db, self.random.randrange(1, 6), 200_000)
            taken += done.indexed or 0
            if over and done.behind == 0:
                return taken

    async def watch(self, db: asyncpg.Connection) -> None:
        while not self.over:
            assert await index.wrong_index(db) == []


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
async def test_at_every_moment_of_a_random_crowd_nothing_in_the_index_is_wrong(connect: Connect, seed: int) -> None:
    dbs = [await connect() for _ in range(6)]
    crowd = Crowd(await enlist(dbs[0], 4), seed)
    indexing = [asyncio.create_task(crowd.index(db)) for db in dbs[3:5]]
    watching = asyncio.create_task(crowd.watch(dbs[5]))
    await asyncio.gather(*[crowd.act(db, 120) for db in dbs[:3]])
    crowd.over = True
    await watching
    # each post should have been indexed once, by either worker
    assert sum([await task for task in indexing]) == await dbs[0].fetchval("SELECT count(*) FROM posts")
    assert await index.wrong_index(dbs[0]) == []
    for db in dbs:
        await db.close()


# Far back: the index is asked block by block, the newest first


@pytest.mark.parametrize("bits", range(10, 25, 3))
async def test_a_question_of_age_fits_what_is_in_the_two_newest_blocks(db: asyncpg.Connection, bits: int) -> None:
    size = 2**bits
    for newest in (2 * size, 3 * size - 1, 50_000_000 // size * size + 5):
        begin = newest // size * size - size
        fits = {begin - 1: False, begin: True, begin + size: True, newest: True}
        ids = [post for post in fits if post > 0]
        asked = (
            "SELECT index_age(id) @@ search_age($2, $3) FROM unnest($1::bigint[]) WITH ORDINALITY u(id, n) ORDER BY n"
        )
        assert [row[0] for row in await db.fetch(asked, ids, newest, bits)] == [fits[post] for post in ids]


async def test_a_rare_word_is_found_however_far_back(db: asyncpg.Connection, alice: Member) -> None:
    ids = []
    for head in (0, 900, 3_000, 70_000, 1_100_000, 20_000_000, 90_000_000, 700_000_000):
        await db.execute("UPDATE log_head SET last_id = $1", head)
        ids.append(await index.publish(db, alice, "How to milk a zebra", f"Only {head} knows, or node.js."))
    await index.index_all(db)
    assert await index.found(db, "zebra") == ids
    assert await index.found(db, '"milk a zebra"') == ids
    assert await index.found(db, 'zebra -"900"') == [n for n in ids if n != 901]
    assert await index.found(db, "70000 OR 3000") == [3_001, 70_001]
    assert await index.found(db, "node.js") == ids
    assert await index.found(db, "zebra -goat") == ids
    assert await index.found(db, '"a milk zebra"') == []


async def test_of_a_common_word_the_newest_compete_and_of_a_rare_one_all(db: asyncpg.Connection, alice: Member) -> None:
    await index.publish(db, alice, "A zebra", "zebra zebra needle")
    for n in range(6):
        await db.execute("UPDATE log_head SET last_id = $1", 100_000 * (n + 1))
        await index.write_threads(db, "zebra common", 200)
    await index.publish(db, alice, "Late", "The zebra is late.")
    for _ in range(2):  # behind the cursor, and in the index
        assert await index.found(db, "needle") == [1]
        assert await index.found(db, "zebra needle") == [1]
        zebras = await index.found(db, "zebra")
        assert len(zebras) == 50
        assert min(zebras) > 600_000
        assert min(await index.found(db, "common -late")) > 600_000
        assert min(await index.found(db, "-late")) > 600_000
        await index.index_all(db)


async def test_a_long_thread_does_not_crowd_others_out(db: asyncpg.Connection, alice: Member) -> None:
    own, answered, long = [await index.publish(db, alice, body=body) for body in ("A saiga.", "Who?", "Who?")]
    await index.publish(db, alice, parent=answered, body="A saiga.")
    await index.write_threads(db, "A saiga.", 600, parent=long)
    for _ in range(2):  # behind the cursor, and in the index
        for q in ("saiga", '"a saiga"'):
            assert await index.found(db, q) == [own, answered, long], q
        await index.index_all(db)


async def test_a_phrase_is_found_however_many_newer_threads_hold_its_words_apart(
    db: asyncpg.Connection, alice: Member
) -> None:
    together = await index.publish(db, alice, body="A gnu-kudu is a gnu kudu.")
    await index.write_threads(db, "gnu or kudu", 2500)
    await index.index_all(db)
    for q in ("gnu-kudu", '"gnu kudu"', "gnu-kudu OR okapi"):
        assert await index.found(db, q) == [together], q


async def test_a_phrase_is_looked_for_with_bounded_work_and_the_answer_says_so(
    db: asyncpg.Connection, alice: Member
) -> None:
    old = await index.publish(db, alice, body="A gnu-kudu.")
    first, last = await index.write_threads(db, "gnu or kudu", 1200)
    newest = await index.publish(db, alice, body="The gnu-kudu.")
    await index.index_all(db)
    assert await index.found(db, "gnu-kudu") == [old, newest]
    # documents as long as they can be, and no index, which would take seconds to write
    await db.execute("ALTER TABLE thread_search ALTER document SET STORAGE EXTERNAL")
    await db.execute("DROP INDEX thread_search_document")
    words = " ".join(f"{n:06}" for n in range(2200))
    long = (
        "WITH more AS MATERIALIZED (SELECT index_words($3) AS words) UPDATE thread_search"
        " SET document = document || words FROM more WHERE thread_id BETWEEN $1 AND $2"
    )
    await db.execute(long, first, last, words)
    result = await index.searched(db, "gnu-kudu")
    assert (index.matching(result), result.incomplete) == ([newest], True)
    # it should read no document for words without phrases
    assert not (await index.searched(db, "gnu kudu")).incomplete


async def test_far_behind_the_newest_threads_are_searched_and_the_answer_says_so(
    db: asyncpg.Connection, alice: Member
) -> None:
    old = await index.publish(db, alice, body="A saiga.")
    await index.index_all(db)
    missing = await index.publish(db, alice, body="A saiga.")
    await index.write_threads(db, "okapi " * 2666, 123)
    newest = await index.publish(db, alice, body="A saiga.")
    assert await index.found(db, "saiga") == [old, missing, newest]
    await index.write_threads(db, "okapi " * 2666, 10)
    result = await index.searched(db, "saiga")
    assert (sorted(thread.id for thread in result.threads), result.incomplete) == ([old, newest], True)
    await db.execute("UPDATE search_cursor SET last_id = $1", newest)
    assert await index.found(db, "saiga") == [old]
