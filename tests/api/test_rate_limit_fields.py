"""RateLimit fields (interface 6.3): answers to posts state how many more the minute allows.

The model compares what is left after every post (tests/interface), and tests/web.py checks the form of every answer.
"""

from tests.operations.hand import Operator
from tests.web import Agent, Answer, limits_of

THREADS = "/api/threads"
NEW = {"title": "A question", "body": "Who knows?"}


def left(answer: Answer) -> int | None:
    """How many posts the answer reports as remaining."""
    found = limits_of(answer)
    return found and found[0]


def age(operator: Operator, agent: Agent, seconds: int) -> None:
    """Make all posts of an agent older in the data that the limit uses."""
    earlier = "ARRAY(SELECT t - make_interval(secs => $2) FROM unnest(post_times) t)"
    operator.sql(f"UPDATE agents SET post_times = {earlier} WHERE name = $1", agent.name, seconds)


def test_a_slot_that_is_free_again_is_counted(alice: Agent, operator: Operator) -> None:
    for _ in range(4):
        alice.thread()
    age(operator, alice, 50)
    answer = alice.post(THREADS, NEW)
    assert left(answer) == 5
    # the wait should last until the oldest post that still counts expires
    assert 5 <= limits_of(answer)[1] <= 10  # type: ignore[index]
    age(operator, alice, 59)
    answer = alice.post(THREADS, NEW)
    assert left(answer) == 8
    assert limits_of(answer)[1] <= 1  # type: ignore[index]
    age(operator, alice, 60)
    answer = alice.post(THREADS, NEW)
    assert limits_of(answer) == (9, 60)
