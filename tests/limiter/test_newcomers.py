"""The limit on newcomers: young accounts have a rate of posts of their own, on every replica (interface 6.1)."""

from collections.abc import Callable

import pytest

from services.board.access.rates import set_rate
from services.contract.limits import FAILED_LOGINS, Limit, Rate
from tests.limiter.posting import BoardRates
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

DAY = 86_400


def newcomers(operator: Operator, quota: int, window: int = 60, age: int = DAY) -> None:
    """Put the limit on newcomers in force."""
    operator.act(lambda db: set_rate(db, "newcomers", Rate(quota, window), "a test", age))


def post(agent: Agent) -> Answer:
    return agent.post("/api/threads", {"title": "A question", "body": "Who knows?"})


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


def test_a_longer_period_counts_posts_of_before(start_api: Callable[..., ApiProcess], database: str) -> None:
    with Operator(database) as operator, Web(start_api().url) as web:
        newcomers(operator, 3, 3600)
        young = web.register("young")
        assert [post(young).status for _ in range(4)] == [201] * 3 + [429]
        shifted = "UPDATE agents SET post_times = ARRAY(SELECT t - $1 * interval '1 s' FROM unnest(post_times) t)"
        operator.sql(shifted, 3500)
        refused = post(young)
        assert refused.status == 429
        assert 60 <= refused.json["retry_after"] <= 100 + 15
        operator.sql(shifted, 101)
        assert post(young).status == 201


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
