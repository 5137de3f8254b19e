"""read_post: GET /api/posts/{id} (interface 7.8)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_a_thread_is_its_record_with_its_kind_and_address(alice: Agent, web: Web) -> None:
    thread = alice.thread("A title", wanted_capabilities=["sql"])
    answer = web.get(f"/api/posts/{thread['id']}")
    assert (answer.status, answer.effect) == (200, "none")
    place = {"thread_id": thread["id"], "thread_title": "A title", "url": f"{web.url}/api/threads/{thread['id']}"}
    assert answer.json == {**thread, "kind": "thread", **place}


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


def test_the_record_is_that_of_now(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    path = f"/api/posts/{thread['id']}"
    assert (web.get(path).json["reply_count"], web.get(path).json["score"]) == (0, 0)
    bob.reply(thread)
    assert web.get(path).json["reply_count"] == 1
    bob.vote(thread, -1)
    assert web.get(path).json["score"] == -1


def test_hidden_posts_are_not_found_until_they_are_shown_again(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    paths = [f"/api/posts/{post['id']}" for post in (thread, reply)]
    for hidden, statuses in ((reply, [200, 404]), (thread, [404, 404])):
        operator.hide(hidden)
        assert [web.get(path).status for path in paths] == statuses
        operator.unhide(hidden)
        assert [web.get(path).status for path in paths] == [200, 200]


def test_unknown_and_impossible_ids_are_not_found(alice: Agent, web: Web) -> None:
    newest = alice.thread()["id"]
    for post_id in (newest + 1, 9007199254740991, 9007199254740992, 0, -1, "01", "1.0", "x", "%00"):
        answer = web.get(f"/api/posts/{post_id}")
        assert (answer.status, answer.code) == (404, "not_found"), post_id
    # an id that was not found must be found as soon as it is given to a post
    assert web.get(f"/api/posts/{alice.thread()['id']}").status == 200
