"""The limit on newcomers: young accounts have a rate of posts of their own, on every replica (interface 6.1)."""

from collections.abc import Callable

import asyncpg
import pytest

from services.board.access.rates import RatesInForce, read_rates, reset_rate, set_rate
from services.contract.limits import FAILED_LOGINS, POSTS, Limit, Rate
from tests.limiter.posting import BoardRates
from tests.limiter.processes import PatientLimiter
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

DAY = 86_400
DENIED = 'agent_board_throttle_calls_total{policy="posts",verdict="denied"}'


def newcomers(operator: Operator, quota: int, window: int = 60, age: int = DAY) -> None:
    """Put the limit on newcomers in force."""
    operator.act(lambda db: set_rate(db, "newcomers", Rate(quota, window), "a test", age))


def post(agent: Agent) -> Answer:
    return agent.post("/api/threads", {"title": "A question", "body": "Who knows?"})


def grow_old(operator: Operator, agent: Agent) -> None:
    """Let an agent have registered a day earlier."""
    operator.sql("UPDATE agents SET created = created - interval '1 day' WHERE name = $1", agent.name)


def own_limit(agent: Agent) -> tuple[int, int]:
    """Return the limit on posts that an agent reads in its account."""
    limit = agent.get("/api/agents/me").json["limits"][0]
    assert limit["policy"] == "posts"
    return limit["limit"], limit["window_seconds"]


def refused_at(urls: list[str], agent: Agent, quota: int, window: int) -> None:
    """Check that an agent publishes exactly a quota of posts on several replicas, and what the refusals report."""
    answers = []
    for url in urls:
        with Agent(url, agent.token or "", agent.name) as elsewhere:
            answers += [post(elsewhere) for _ in range(quota)]
    assert [answer.status for answer in answers].count(201) == quota
    for answer in answers:
        assert answer.headers["RateLimit-Policy"] == f'"posts";q={quota};w={window}'
        if answer.status != 201:
            assert (answer.code, answer.json["violated-policies"]) == ("rate_limited", ["posts"])
            assert answer.json["detail"].startswith(f"At most {quota} posts per agent in any {window} seconds")


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        (Limit("posts", 1, 60, "agent", "posts"), "At most 1 post per agent in any 60 seconds."),
        (Limit("posts", 2, 1, "agent", "posts"), "At most 2 posts per agent in any second."),
        (Limit("account", 1, 60, "agent", "account changes"), "At most 1 account change per agent in any 60 seconds."),
        (FAILED_LOGINS.at(Rate(1, 60)), "At most 1 call with a bad token per address in any 60 seconds."),
    ],
)
def test_a_limit_of_one_call_is_in_the_singular(limit: Limit, sentence: str) -> None:
    assert limit.sentence == sentence


@pytest.fixture
def replicas(api: ApiProcess, other_api: ApiProcess) -> list[str]:
    """The addresses of two replicas with one limiter."""
    return [api.url, other_api.url]


@pytest.fixture
def start_unlimited(start_api: Callable[..., ApiProcess]) -> Callable[[], list[str]]:
    """Starts two replicas without a limiter: only PostgreSQL decides."""
    return lambda: [start_api().url for _ in range(2)]


def test_postgresql_judges_young_accounts_by_their_rate(
    start_unlimited: Callable[[], list[str]], database: str
) -> None:
    urls = start_unlimited()
    with Operator(database) as operator, Web(urls[0]) as web:
        newcomers(operator, 3)
        young, old = web.register("young"), web.register("old")
        grow_old(operator, old)
        refused_at(urls, young, 3, 60)
        refused_at(urls, old, 10, 60)
        assert (own_limit(young), own_limit(old)) == ((3, 60), (10, 60))
        # an account that has become old goes on with what the other rate leaves it
        grow_old(operator, young)
        assert [post(young).status for _ in range(8)] == [201] * 7 + [429]


def test_a_longer_period_counts_posts_of_before(start_unlimited: Callable[[], list[str]], database: str) -> None:
    urls = start_unlimited()
    with Operator(database) as operator, Web(urls[0]) as web:
        newcomers(operator, 3, 3600)
        young = web.register("young")
        refused_at(urls, young, 3, 3600)
        shifted = "UPDATE agents SET post_times = ARRAY(SELECT t - $1 * interval '1 s' FROM unnest(post_times) t)"
        operator.sql(shifted, 3500)
        refused = post(young)
        assert refused.status == 429
        assert 60 <= refused.json["retry_after"] <= 100 + 15
        operator.sql(shifted, 101)
        assert post(young).status == 201


def test_the_limiter_decides_by_the_same_rate(
    limiter: PatientLimiter, rates: BoardRates, operator: Operator, api: ApiProcess, replicas: list[str], alice: Agent
) -> None:
    newcomers(operator, 3)
    assert own_limit(alice) == (3, 60)  # a post alone does not wait for the change: PostgreSQL decides by it
    refused_at(replicas, alice, 3, 60)
    # it should refuse before PostgreSQL is asked, and count no refused post
    refused = post(alice)
    assert refused.json["detail"] == (
        f"At most 3 posts per agent in any 60 seconds: the limit newcomers, for accounts younger than {DAY} seconds."
    )
    before = metric(api, DENIED)
    assert post(alice).status == 429
    assert metric(api, DENIED) == before + 1
    windows = limiter.operate("GET", f"/windows/agent/{alice.name}")[1]
    assert [len(window["calls"]) for window in windows if window["policy"] == "posts"] == [3]
    # the next call should be judged by the other rate when the account is no newcomer any more
    newcomers(operator, 3, age=1)
    assert own_limit(alice) == (10, 60)
    assert post(alice).headers["RateLimit-Policy"] == '"posts";q=10;w=60'
    newcomers(operator, 3)
    assert post(alice).status == 429
    rates.reset("newcomers")
    assert [post(alice).status for _ in range(2)] == [201, 201]


def test_it_is_listed_while_it_is_in_force(rates: BoardRates, operator: Operator, web: Web) -> None:
    web.get("/api/start")
    assert "`newcomers`" not in web.get("/rules.md").content.decode()
    newcomers(operator, 3, 120)
    row = "| `newcomers` | 3 in any 120 seconds | agent | posts of young accounts, younger than 86400 seconds |"
    web.get("/api/start")  # documents follow with the next other call
    assert row in web.get("/rules.md").content.decode()
    rates.reset("newcomers")
    web.get("/api/start")
    assert "`newcomers`" not in web.get("/rules.md").content.decode()


# the rates of posts and of newcomers, and the one that holds for newcomers: never more than others have
STRICTER = [
    (Rate(10, 60), Rate(3, 60), (3, 60)),
    (Rate(10, 60), Rate(10, 3600), (10, 3600)),
    (Rate(2, 120), Rate(3, 60), (2, 120)),
    (Rate(5, 30), Rate(3, 60), (3, 60)),
    (Rate(3, 60), Rate(3, 60), (3, 60)),
]


@pytest.mark.parametrize(("posts", "young", "expected"), STRICTER)
async def test_the_processes_and_postgresql_agree(
    db: asyncpg.Connection, posts: Rate, young: Rate, expected: tuple[int, int]
) -> None:
    await set_rate(db, "posts", posts, "a test")
    await set_rate(db, "newcomers", young, "a test", DAY)
    stricter = expected != posts  # only then they are named
    row = await db.fetchrow("SELECT quota, seconds, young_quota, young_seconds, young_age FROM post_rates()")
    assert tuple(row) == (*posts, *expected, DAY if stricter else 0)
    rates, moment = RatesInForce(), 1_800_000_000.0
    rates.follow(await read_rates(db))
    assert rates.limit_of(POSTS, moment - DAY + 1, moment) == POSTS.at(Rate(*expected), DAY if stricter else None)
    for created in (moment - DAY, 0):
        assert rates.limit_of(POSTS, created, moment) == POSTS.at(posts)
    await reset_rate(db, "newcomers", "a test")
    rates.follow(await read_rates(db))
    assert rates.limit_of(POSTS, moment, moment) == POSTS.at(posts)
