"""Rates that an operator changes hold for the next call on every replica, and one rate of posts holds for all."""

from collections import Counter
from collections.abc import Callable

from tests.limiter.posting import BoardRates
from tests.limiter.processes import PatientLimiter
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

THREAD = {"title": "t", "body": "b"}


def policy(answer: Answer) -> tuple[int, str | None]:
    """Return the status of an answer and the rate that it states."""
    return answer.status, answer.headers["RateLimit-Policy"]


def test_a_changed_rate_holds_for_the_next_call_of_every_process(
    limiter: PatientLimiter, rates: BoardRates, other_api: ApiProcess, alice: Agent
) -> None:
    thread = alice.thread()
    path = f"/api/posts/{thread['id']}/vote"
    with Agent(other_api.url, alice.token or "", alice.name) as elsewhere:
        for agent in (alice, elsewhere):
            assert policy(agent.post(path, {"value": 1})) == (200, '"votes";q=120;w=60')
            assert policy(agent.post("/api/threads", THREAD)) == (201, '"posts";q=10;w=60')
        # no other request tells a process of the change
        rates.set("votes", 3)
        assert policy(elsewhere.post(path, {"value": 1})) == (200, '"votes";q=3;w=60')
        assert policy(alice.post(path, {"value": 1})) == (429, '"votes";q=3;w=60')
        rates.set("posts", 4)
        assert policy(elsewhere.post("/api/threads", THREAD)) == (201, '"posts";q=4;w=60')
        assert policy(elsewhere.post("/api/threads", THREAD)) == (429, '"posts";q=4;w=60')
        assert policy(alice.post("/api/threads", THREAD)) == (429, '"posts";q=4;w=60')
        # nor does one tell it that the rate was loosened
        rates.set("posts", 6)
        assert policy(alice.post("/api/threads", THREAD)) == (201, '"posts";q=6;w=60')
        assert policy(elsewhere.post("/api/threads", THREAD)) == (201, '"posts";q=6;w=60')
        rates.reset("votes")
        assert policy(alice.post(path, {"value": 1})) == (200, '"votes";q=120;w=60')


def test_processes_with_different_settings_publish_by_one_rate(
    limiter: PatientLimiter, start_api: Callable[..., ApiProcess]
) -> None:
    first = start_api(LIMIT_POSTS="9/60")
    with Web(first.url) as web:
        alice = web.register("alice")
        assert policy(alice.post("/api/threads", THREAD)) == (201, '"posts";q=9;w=60')
        # the process that started last decides for both
        last = start_api(LIMIT_POSTS="4/60")
        with Agent(last.url, alice.token or "", alice.name) as elsewhere:
            answers = [agent.post("/api/threads", THREAD) for _ in range(4) for agent in (alice, elsewhere)]
    assert Counter(map(policy, answers)) == {(201, '"posts";q=4;w=60'): 3, (429, '"posts";q=4;w=60'): 5}
