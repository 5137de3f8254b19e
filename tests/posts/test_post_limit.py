"""PostgreSQL accepts ten posts in any 60 s and never an 11th, and refuses none of the ten."""

import asyncio
import time
from collections.abc import Iterator, Sequence

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.board.database.connections import writing_connection
from services.board.posts.publications import Outcome, publish_batch
from tests.load import Client, Member, enlist, published, together
from tests.posts.inside import publication

Clients = tuple[Client, Client]
QUOTA = 10
SECOND = 1_000_000
WINDOW = 60 * SECOND

# Microseconds between two batches: whole windows, their tenths, values close to them, bursts, and random values.
EDGES = [edge + near for edge in (WINDOW, WINDOW // 10, WINDOW // 2) for near in (-2, -1, 0, 1, 2)]
GAPS = st.sampled_from(EDGES) | st.sampled_from([2, 3, SECOND]) | st.integers(2, 70 * SECOND)
AUTHORS = st.sampled_from([(0,), (1,), (0, 1), (1, 0)])
AGES = st.lists(st.sampled_from([0, 1, WINDOW - 1, WINDOW, WINDOW + 1]) | st.integers(0, 70 * SECOND), max_size=QUOTA)


# The clock of a connection that looks in this schema first.
CLOCK = """
CREATE SCHEMA clock;
CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
RETURN timestamptz 'epoch' + current_setting('clock.moment')::bigint * interval '1 microsecond';
"""


class Board:
    """The function `publish` on a board whose clock the test sets."""

    def __init__(self, url: str) -> None:
        self.runner = asyncio.Runner()
        self.connection = self.runner.run(writing_connection(url, search_path="clock, pg_catalog, public"))
        self.runner.run(self.connection.execute(CLOCK))
        self.moment = int(time.time()) * SECOND
        self.runner.run(self.set_clock())

    def close(self) -> None:
        self.runner.run(self.connection.close())
        self.runner.close()

    def enlist(self, count: int) -> list[Member]:
        return self.runner.run(enlist(self.connection, count))

    def remember(self, member: Member, times: Sequence[int]) -> None:
        """Set the times of the member's newest posts, the newest last."""
        newest_first = [moment / SECOND for moment in reversed(times)]
        self.runner.run(
            self.connection.execute("UPDATE agents SET post_times = $2 WHERE id = $1", member.id, newest_first)
        )

    def publish(self, *members: Member) -> list[Outcome]:
        """Publish one post of each member in one batch, now."""
        return self.runner.run(self.publish_all(members))

    async def publish_all(self, members: Sequence[Member]) -> list[Outcome]:
        await self.set_clock()
        return await publish_batch(self.connection, [publication(member) for member in members], True)

    async def set_clock(self) -> None:
        await self.connection.execute("SELECT set_config('clock.moment', $1, false)", str(self.moment))


def microseconds(seconds: float) -> int:
    return round(seconds * SECOND)


def wait(accepted: Sequence[int], moment: int) -> int:
    """Return the time until fewer than 10 posts lie in the last 60 s: the rule in its simplest form."""
    return max(0, accepted[-QUOTA] + WINDOW - moment) if len(accepted) >= QUOTA else 0


@pytest.fixture(scope="module")
def board(module_database: str) -> Iterator[Board]:
    board = Board(module_database)
    yield board
    board.close()


def check_some_minutes(board: Board, ages: list[int], steps: list[tuple[int, tuple[int, ...]]]) -> None:
    members = board.enlist(2)
    board.moment += 2 * WINDOW
    accepted: list[list[int]] = [sorted(board.moment - age for age in ages), []]
    board.remember(members[0], accepted[0])
    for gap, authors in steps:
        board.moment += gap
        for author, done in zip(authors, board.publish(*[members[n] for n in authors]), strict=True):
            left = wait(accepted[author], board.moment)
            # it should refuse only while ten posts lie in the last 60 s, and state for how long
            assert done.outcome == ("limited" if left else "created")
            if left:
                assert microseconds(done.wait or 0) == left
            else:
                accepted[author].append(microseconds(done.created))
    # it should never have committed 11 posts in any 60 s
    for times in accepted:
        assert all(later - earlier >= WINDOW for earlier, later in zip(times, times[QUOTA:], strict=False))


@pytest.mark.parametrize("examples", [12, pytest.param(60, marks=pytest.mark.slow)])
def test_publish_applies_exactly_the_rule(board: Board, examples: int) -> None:
    minutes = given(ages=AGES, steps=st.lists(st.tuples(GAPS, AUTHORS), min_size=8, max_size=50))(check_some_minutes)
    settings(max_examples=examples, deadline=None, derandomize=True, database=None)(minutes)(board)


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
    # it should not refuse after nine posts
    board.remember(alice, [board.moment] * 9)
    assert [done.outcome for done in board.publish(alice)] == ["created"]


def test_a_clock_that_is_set_back_by_an_hour_refuses_nothing_legal(board: Board) -> None:
    (alice,) = board.enlist(1)
    board.moment += 2 * WINDOW + 3600 * SECOND
    ahead = [board.publish(alice)[0] for _ in range(QUOTA + 1)]
    assert [done.outcome for done in ahead] == ["created"] * QUOTA + ["limited"]
    board.moment -= 3600 * SECOND
    for _ in range(2):
        # it should limit by the clock, while stamps are still an hour ahead
        done = [board.publish(alice)[0] for _ in range(QUOTA + 1)]
        assert [one.outcome for one in done] == ["created"] * QUOTA + ["limited"]
        assert done[0].created > ahead[-2].created
        assert microseconds(done[-1].wait) == WINDOW
        board.moment += WINDOW
        ahead = done


def test_a_clock_that_is_set_back_by_less_than_a_minute_lets_no_11th_post_pass(board: Board) -> None:
    (alice,) = board.enlist(1)
    board.moment += 2 * WINDOW + 3600 * SECOND
    assert [board.publish(alice)[0].outcome for _ in range(QUOTA)] == ["created"] * QUOTA
    board.moment -= 30 * SECOND
    refused = board.publish(alice)[0]
    assert refused.outcome == "limited"
    # the limit uses a moment that can be 0.1 s later than the clock
    assert microseconds(refused.wait) == WINDOW + 30 * SECOND - SECOND // 10
    board.moment += WINDOW + 30 * SECOND
    assert board.publish(alice)[0].outcome == "created"


async def test_exactly_10_of_30_posts_at_once_are_published_over_two_processes(
    clients: Clients, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    answers = await together(clients[n % 2].thread(alice, f"Thread {n}") for n in range(30))
    assert sorted(answer.status for answer in answers) == [201] * 10 + [429] * 20
    # it should have written exactly those that it answered 201
    rows = await db.fetch("SELECT id FROM posts WHERE author_id = $1", alice.id)
    assert {row["id"] for row in rows} == {published(answer) for answer in answers if answer.status == 201}
