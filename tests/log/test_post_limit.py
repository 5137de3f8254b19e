"""Never an 11th post in any 60 s, and never a refusal before the 10th (decisions 1.15): the log itself judges."""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.board.database import writing_connection
from services.board.posts import Outcome, publish_batch
from tests.load import Client, Member, enlist, published, together
from tests.log.inside import publication
from tests.web import Answer

Clients = tuple[Client, Client]
QUOTA = 10
SECOND = 1_000_000
WINDOW = 60 * SECOND

# Microseconds between two batches: whole windows, their tenths, what lies just beside them, bursts, and anything else.
EDGES = [edge + near for edge in (WINDOW, WINDOW // 10, WINDOW // 2) for near in (-2, -1, 0, 1, 2)]
GAPS = st.sampled_from(EDGES) | st.sampled_from([2, 3, SECOND]) | st.integers(2, 70 * SECOND)
AUTHORS = st.sampled_from([(0,), (1,), (0, 1), (1, 0)])
AGES = st.lists(st.sampled_from([0, 1, WINDOW - 1, WINDOW, WINDOW + 1]) | st.integers(0, 70 * SECOND), max_size=QUOTA)


class Board:
    """The function `publish` on a board whose time the test sets: the log's time is later than its newest post's."""

    def __init__(self, url: str) -> None:
        self.runner = asyncio.Runner()
        self.connection = self.runner.run(writing_connection(url))
        self.moment = (int(time.time()) + 86_400) * SECOND

    def close(self) -> None:
        self.runner.run(self.connection.close())
        self.runner.close()

    def enlist(self, count: int) -> list[Member]:
        return self.runner.run(enlist(self.connection, count))

    def remember(self, member: Member, times: Sequence[int]) -> None:
        """Make these the times of the member's newest posts, the newest last."""
        newest_first = [moment / SECOND for moment in reversed(times)]
        self.runner.run(
            self.connection.execute("UPDATE agents SET post_times = $2 WHERE id = $1", member.id, newest_first)
        )

    def publish(self, *members: Member) -> list[Outcome]:
        """Publish a post of each in one batch, now."""
        return self.runner.run(self._publish(members))

    async def _publish(self, members: Sequence[Member]) -> list[Outcome]:
        before = (self.moment - 1) / SECOND
        await self.connection.execute("UPDATE log_head SET last_created = $1", before)
        return await publish_batch(self.connection, [publication(member) for member in members], True)


def microseconds(seconds: float) -> int:
    return round(seconds * SECOND)


def wait(accepted: Sequence[int], moment: int) -> int:
    """The rule, as plainly as it can be said: how long until fewer than 10 posts lie in the last 60 s."""
    return max(0, accepted[-QUOTA] + WINDOW - moment) if len(accepted) >= QUOTA else 0


@pytest.fixture(scope="module")
def board(shared_database: str) -> Iterator[Board]:
    board = Board(shared_database)
    yield board
    board.close()


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(ages=AGES, steps=st.lists(st.tuples(GAPS, AUTHORS), min_size=8, max_size=50))
def test_publish_judges_exactly_as_the_rule_says(
    board: Board, ages: list[int], steps: list[tuple[int, tuple[int, ...]]]
) -> None:
    members = board.enlist(2)
    board.moment += 2 * WINDOW
    accepted: list[list[int]] = [sorted(board.moment - age for age in ages), []]
    board.remember(members[0], accepted[0])
    for gap, authors in steps:
        board.moment += gap
        for author, done in zip(authors, board.publish(*[members[n] for n in authors]), strict=True):
            left = wait(accepted[author], board.moment)
            # it should refuse only while ten posts lie in the last 60 s, and say for how long
            assert done.outcome == ("limited" if left else "created")
            if left:
                assert microseconds(done.wait or 0) == left
            else:
                accepted[author].append(microseconds(done.created))
    # it should never have committed 11 in any 60 s
    for times in accepted:
        assert all(later - earlier >= WINDOW for earlier, later in zip(times, times[QUOTA:], strict=False))


@pytest.mark.parametrize(
    ("age_of_the_tenth", "outcome"),
    [(WINDOW + 1, "created"), (WINDOW, "created"), (WINDOW - 1, "limited"), (1, "limited"), (0, "limited")],
)
def test_a_slot_is_free_exactly_60_seconds_after_it_was_taken(
    board: Board, age_of_the_tenth: int, outcome: str
) -> None:
    (alice,) = board.enlist(1)
    board.moment += 2 * WINDOW
    times = [board.moment - age_of_the_tenth] + [board.moment] * 9
    board.remember(alice, times)
    assert [done.outcome for done in board.publish(alice)] == [outcome]
    board.moment += 2 * WINDOW
    # it should not hold nine posts against anybody
    board.remember(alice, [board.moment] * 9)
    assert [done.outcome for done in board.publish(alice)] == ["created"]


async def test_exactly_10_of_30_posts_at_once_are_published_over_two_processes(
    clients: Clients, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    answers = await together(clients[n % 2].thread(alice, f"Thread {n}") for n in range(30))
    assert sorted(answer.status for answer in answers) == [201] * 10 + [429] * 20
    # it should have written exactly those that it answered 201
    rows = await db.fetch("SELECT id FROM posts WHERE author_id = $1", alice.id)
    assert {row["id"] for row in rows} == {published(answer) for answer in answers if answer.status == 201}
    for answer in answers:
        if answer.status == 429:
            check_refusal(answer)


async def test_an_agent_is_asked_to_wait_at_least_60_seconds_however_soon_a_slot_is_free(
    clients: Clients, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    assert [(await clients[n % 2].thread(alice)).status for n in range(QUOTA)] == [201] * QUOTA
    await db.execute(
        "UPDATE agents SET post_times = array(SELECT t - interval '30 s' FROM unnest(post_times) t) WHERE id = $1",
        alice.id,
    )
    answer = await clients[0].thread(alice)
    check_refusal(answer)
    # it should tell when the slot is free, beside
    assert answer.headers["RateLimit"].startswith('"posts";r=0;t=')
    assert int(answer.headers["RateLimit"].rpartition("=")[2]) <= 30


async def test_the_limit_is_of_one_agent_and_of_threads_and_replies_together(
    clients: Clients, db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(db, 2)
    thread = published(await clients[0].thread(alice))
    for n in range(9):
        published(await clients[n % 2].reply(alice, thread))
    assert (await clients[0].reply(alice, thread)).status == 429
    assert (await clients[1].thread(alice)).status == 429
    assert (await clients[1].reply(bob, thread)).status == 201
    # it should refuse for the limit before it looks for what is asked for, and let votes and reads pass
    assert (await clients[0].reply(alice, 2**53 - 1)).status == 429
    assert (await clients[0].vote(alice, thread, 1)).status == 200
    assert (await clients[1].get("/api/agents/me", alice.token)).status == 200
    # it should not count what it refuses
    times = await db.fetchval("SELECT cardinality(post_times) FROM agents WHERE id = $1", alice.id)
    assert times == QUOTA


async def test_posts_that_were_refused_for_other_reasons_do_not_count(clients: Clients, db: asyncpg.Connection) -> None:
    (alice,) = await enlist(db, 1)
    for n in range(12):
        assert (await clients[n % 2].reply(alice, 2**53 - 1)).status == 404
        assert (await clients[n % 2].thread(alice, "")).status == 400
    assert [(await clients[n % 2].thread(alice)).status for n in range(11)] == [201] * 10 + [429]


def check_refusal(answer: Answer) -> None:
    """What an agent needs to know when it has to wait (decisions 1.1, 1.15, 2.3)."""
    problem = answer.json
    assert answer.effect == "post-public;scope=public;reversible=?0;applied=?0"
    assert (answer.code, problem["violated-policies"]) == ("rate_limited", ["posts"])
    # it should ask for at least 60 s, at most 15 more, and never less than until a slot is free
    after = int(answer.headers["Retry-After"])
    assert problem["retry_after"] == after
    reset = re.fullmatch(r'"posts";r=0;t=(\d+)', answer.headers["RateLimit"])
    assert reset
    assert max(60, int(reset[1])) <= after <= 60 + 1 + 15
    assert 0 < int(reset[1]) <= 60
    assert answer.headers["RateLimit-Policy"] == '"posts";q=10;w=60'
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("10", "0")
    assert answer.headers["X-RateLimit-Reset"].isdecimal()
