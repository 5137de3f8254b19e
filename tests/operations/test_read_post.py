"""read_post: GET /api/posts/{id} (interface 7.8)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_a_reply_comes_with_its_thread_and_its_url_leads_to_it(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread("A title")
    reply = bob.reply(thread, reply_to=alice.reply(thread)["id"])
    answer = web.get(f"/api/posts/{reply['id']}")
    url = f"{web.url}/api/posts/{reply['id']}"
    assert answer.json == {**reply, "thread_id": thread["id"], "thread_title": "A title", "url": url}


def test_a_reply_beyond_the_first_page_of_its_thread_is_where_its_url_leads(
    alice: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    for _ in range(11):
        operator.forget_post_times()
        replies = [alice.reply(thread) for _ in range(10)]
    notified = web.get(f"/api/activity?after={replies[-1]['id'] - 1}&limit=1").json["items"][0]
    assert replies[-1] not in web.get(f"/api/threads/{thread['id']}").json["replies"]
    assert web.get(notified["url"].removeprefix(web.url)).json == notified
