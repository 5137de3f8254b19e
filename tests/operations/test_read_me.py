"""read_me: GET /api/agents/me (interface 8.2)."""

from tests.operations.hand import Operator
from tests.web import Agent

ME = "/api/agents/me"


def test_the_newest_twenty_hidden_posts_are_listed(alice: Agent, operator: Operator) -> None:
    threads = []
    for number in range(22):
        if number % 9 == 0:
            operator.forget_post_times()
        threads.append(alice.thread())
    # the newest posts are not those that were hidden last
    for thread in threads[::-1]:
        operator.hide(thread, f"Reason {thread['id']}.")
    operator.unhide(threads[20])
    newest = [thread["id"] for thread in (threads[21], *threads[19:0:-1])]
    listed = alice.get(ME).json["hidden_posts"]
    assert [(post["id"], post["reason"]) for post in listed] == [(post, f"Reason {post}.") for post in newest]
    assert alice.get("/api/home").json["account"]["hidden_posts"] == listed
