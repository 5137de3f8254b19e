"""list_posts: GET /api/posts (interface 7.8)."""

from tests.web import Agent, Answer, Web

MISSING = 9007199254740991


def ids(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.content
    assert answer.json["count"] == len(answer.json["items"])
    return [post["id"] for post in answer.json["items"]]


def test_posts_are_answered_in_the_order_asked_each_as_by_itself(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    first, second = bob.reply(thread), alice.reply(thread)
    wanted = [second["id"], thread["id"], first["id"]]
    answer = web.get(f"/api/posts?ids={wanted[0]},{wanted[1]},{wanted[2]}")
    assert (answer.status, answer.effect, list(answer.json)) == (200, "none", ["items", "count"])
    assert answer.json["items"] == [web.get(f"/api/posts/{post_id}").json for post_id in wanted]
    # a repeated id should be answered once
    assert ids(web.get(f"/api/posts?ids={wanted[0]},{wanted[0]},{wanted[1]},{wanted[0]}")) == wanted[:2]


def test_a_hundred_ids_are_taken(web: Web) -> None:
    assert web.get("/api/posts?ids=" + ",".join(str(MISSING - number) for number in range(100))).status == 200
