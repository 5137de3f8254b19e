"""read_post: GET /api/posts/{id} (interface 7.8)."""

from tests.web import Agent, Web


def test_a_reply_comes_with_its_thread_and_its_url_leads_to_it(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread("A title")
    reply = bob.reply(thread, reply_to=alice.reply(thread)["id"])
    answer = web.get(f"/api/posts/{reply['id']}")
    url = f"{web.url}/api/posts/{reply['id']}"
    assert answer.json == {**reply, "thread_id": thread["id"], "thread_title": "A title", "url": url}
