"""One rate of posts for each account, whatever tells it: dashboard, account, headers and refusals (interface 6.1).

The rates are changed as operators and settings change them, on two replicas with a limiter. The model of the
interface (tests/interface) compares two without one.
"""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

import asyncpg
import pytest

from services.board.access.rates import record_rates, set_rate
from services.board.moderation import operators
from services.contract.limits import LIMITS, Rate
from tests.limiter.posting import reset_rates
from tests.limiter.processes import PatientLimiter
from tests.operations.hand import WHO, Operator
from tests.posts.locks import blocked
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

DAY = 86_400
DEFAULTS = {limit.name: limit.rate for limit in LIMITS}


class Case(NamedTuple):
    """Rates of posts as `quota/seconds`, the age of the account in days, and the rate by which it must be judged."""

    expected: str
    setting: str = "10/60"
    posts: str | None = None
    newcomers: str | None = None
    days: int = 0
    operator: bool = False
    named: bool = False  # whether a refusal names the limit newcomers


CASES = {
    "an operator's rate instead of the setting's": Case("5/60", setting="3/90", posts="5/60"),
    "newcomers": Case("3/60", newcomers="3/60", named=True),
    "newcomers with a longer period": Case("3/7200", newcomers="3/7200", named=True),
    "newcomers that may publish once": Case("1/60", newcomers="1/60", named=True),
    "an old account while newcomers are limited": Case("10/60", newcomers="3/60", days=1),
    "newcomers, where others may publish less": Case("2/120", posts="2/120", newcomers="3/60"),
    "newcomers, where others have a shorter period": Case("4/60", posts="5/30", newcomers="4/60", named=True),
    "newcomers under another setting": Case("3/90", setting="4/90", newcomers="3/60", named=True),
    "an old account under two rates": Case("5/30", posts="5/30", newcomers="4/60", days=1),
    "a young operator account": Case("3/60", newcomers="3/60", operator=True, named=True),
}


def rate(text: str) -> Rate:
    quota, _, seconds = text.partition("/")
    return Rate(int(quota), int(seconds))


class Replicas:
    """Two API processes of one board and its operator."""

    def __init__(self, apis: list[ApiProcess], database: str) -> None:
        self.webs = [Web(api.url) for api in apis]
        self.operator = Operator(database)

    def close(self) -> None:
        self.operator.act(reset_rates)
        self.operator.act(lambda db: record_rates(db, DEFAULTS))
        self.operator.__exit__()
        for web in self.webs:
            web.close()

    def put(self, case: Case) -> None:
        """Put the rates of a case in force, as settings and an operator do."""
        self.operator.act(lambda db: record_rates(db, DEFAULTS | {"posts": rate(case.setting)}))
        self.limit("posts", case.posts)
        self.limit("newcomers", case.newcomers, DAY)

    def limit(self, name: str, given: str | None, age: int | None = None) -> None:
        if given is not None:
            self.operator.act(lambda db: set_rate(db, name, rate(given), WHO, age))

    def register(self, days: int = 0, operator: bool = False) -> Agent:
        agent = self.webs[0].register("rated")
        if operator:
            self.operator.act(lambda db: operators.mark(db, agent.name, WHO))
        self.operator.sql("UPDATE agents SET created = created - $2 * interval '1 d' WHERE name = $1", agent.name, days)
        # the memory of the processes about the account must be as old as it is
        self.operator.sql("SELECT append_change('rotation', NULL, id, NULL) FROM agents WHERE name = $1", agent.name)
        return agent


@pytest.fixture
def replicas(
    limiter: PatientLimiter, api: ApiProcess, other_api: ApiProcess, limited_database: str
) -> Iterator[Replicas]:
    found = Replicas([api, other_api], limited_database)
    yield found
    found.close()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_everything_that_tells_the_rate_of_an_account_agrees(replicas: Replicas, case: Case) -> None:
    replicas.put(case)
    agent = replicas.register(case.days, case.operator)
    quota, window = rate(case.expected)
    for left in range(quota, 0, -1):
        assert told(replicas, agent) == [(left, quota, window)] * 2
        assert reported(post(replicas.webs[left % 2], agent)) == (201, quota, window, left - 1)
    assert told(replicas, agent) == [(0, quota, window)] * 2
    of_whom = f": the limit newcomers, for accounts younger than {DAY} seconds" if case.named else ""
    for web in replicas.webs:
        refused = post(web, agent)
        assert (*reported(refused), refused.json["violated-policies"]) == (429, quota, window, 0, ["posts"])
        posts = "post" if quota == 1 else "posts"
        assert refused.json["detail"] == f"At most {quota} {posts} per agent in any {window} seconds{of_whom}."
    assert told(replicas, agent) == [(0, quota, window)] * 2


def test_a_post_that_waited_for_a_change_reports_the_rate_by_which_it_was_judged(replicas: Replicas) -> None:
    agent = replicas.register()

    async def change_meanwhile(db: asyncpg.Connection) -> asyncio.Task[Answer]:
        async with db.transaction():
            await set_rate(db, "newcomers", Rate(3, 60), WHO, DAY)
            waiting = asyncio.create_task(asyncio.to_thread(post, replicas.webs[0], agent))
            await blocked(db, 1)
        await waiting
        return waiting

    assert reported(replicas.operator.act(change_meanwhile).result()) == (201, 3, 60, 2)


def told(replicas: Replicas, agent: Agent) -> list[tuple[int, int, int]]:
    """Return what each replica tells an agent: how many posts are left, and its limit in its account."""
    found = []
    for web in replicas.webs:
        left = web.get("/api/home", token=agent.token).json["account"]["posts_left_this_minute"]
        limit = web.get("/api/agents/me", token=agent.token).json["limits"][0]
        assert limit["policy"] == "posts"
        found.append((left, limit["limit"], limit["window_seconds"]))
    return found


def post(web: Web, agent: Agent) -> Answer:
    return web.post("/api/threads", {"title": "A question", "body": "Who knows?"}, token=agent.token)


def reported(answer: Answer) -> tuple[int, int, int, int]:
    """Return the status of an answer and the figures of its headers: quota, window and rest. Both kinds must agree."""
    quota, left = (int(answer.headers[f"X-RateLimit-{name}"] or -1) for name in ("Limit", "Remaining"))
    policy = answer.headers["RateLimit-Policy"] or ""
    assert policy.startswith(f'"posts";q={quota};w=')
    assert (answer.headers["RateLimit"] or "").startswith(f'"posts";r={left};t=')
    return answer.status, quota, int(policy.partition(";w=")[2]), left
