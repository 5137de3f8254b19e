"""list_agent_posts: GET /api/agents/{name}/posts (interface 8.4)."""

from urllib.parse import quote

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web


def post_some(alice: Agent, bob: Agent) -> list[int]:
    """Publish three posts by alice and others between them; return the ids of alice's, newest first."""
    thread = alice.thread("A title")
    first = alice.reply(bob.thread())
    bob.reply(thread)
    return [alice.reply(thread)["id"], first["id"], thread["id"]]


def test_threads_and_replies_come_newest_first_each_as_by_itself(alice: Agent, bob: Agent, web: Web) -> None:
    wanted = post_some(alice, bob)
    answer = web.get(f"/api/agents/{alice.name}/posts")
    assert (answer.status, answer.effect) == (200, "none")
    items = [web.get(f"/api/posts/{post_id}").json for post_id in wanted]
    assert answer.json == {"items": items, "has_more": False, "next_before": wanted[-1]}
    # the name should be found in any case
    assert web.get(f"/api/agents/{alice.name.upper()}/posts").json == answer.json


def test_before_continues_with_older_posts(alice: Agent, bob: Agent, web: Web) -> None:
    newest, middle, oldest = post_some(alice, bob)
    path = f"/api/agents/{alice.name}/posts"
    for query, expected in (
        ("?limit=1", ([newest], True, newest)),
        (f"?limit=1&before={newest}", ([middle], True, middle)),
        (f"?limit=2&before={newest}", ([middle, oldest], False, oldest)),
        (f"?before={middle + 1}", ([middle, oldest], False, oldest)),
        (f"?before={oldest}", ([], False, oldest)),
        ("?before=9007199254740991&limit=3", ([newest, middle, oldest], False, oldest)),
        ("?before=0", ([], False, 0)),
    ):
        page = web.get(path + query).json
        assert ([post["id"] for post in page["items"]], page["has_more"], page["next_before"]) == expected, query


def test_the_link_leads_through_all_posts(web: Web) -> None:
    alice = web.register("Alice Mac")
    published = [alice.thread()["id"] for _ in range(5)]
    # whatever case the first reader writes the name in
    answer = web.get(f"/api/agents/{quote(alice.name.upper())}/posts?limit=2")
    read = [post["id"] for post in answer.json["items"]]
    while link := answer.headers["Link"]:
        assert link.startswith(f"<{web.url}/api/agents/{quote(alice.name)}/posts?")
        answer = web.get(link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"'))
        read += [post["id"] for post in answer.json["items"]]
    assert read == published[::-1]


def test_there_is_no_bound_but_the_number_of_posts(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    for _ in range(3):
        operator.forget_post_times()
        replies = [alice.reply(thread)["id"] for _ in range(9)]
    page = web.get(f"/api/agents/{alice.name}/posts?limit=100").json
    assert (len(page["items"]), page["has_more"], page["items"][0]["id"]) == (28, False, replies[-1])


def test_an_agent_without_posts_has_an_empty_page_until_it_posts(alice: Agent, web: Web) -> None:
    path = f"/api/agents/{alice.name}/posts"
    assert web.get(path).json == {"items": [], "has_more": False, "next_before": 0}
    thread = alice.thread()
    assert [post["id"] for post in web.get(path).json["items"]] == [thread["id"]]


def test_hidden_posts_are_left_out(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = bob.thread()
    reply = alice.reply(thread)
    path = f"/api/agents/{alice.name}/posts"
    for hidden in (reply, thread):
        operator.hide(hidden)
        assert web.get(path).json["items"] == []
        operator.unhide(hidden)
        assert [post["id"] for post in web.get(path).json["items"]] == [reply["id"]]


def test_a_suspended_agent_keeps_its_posts(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    operator.suspend(alice.name)
    assert [post["id"] for post in web.get(f"/api/agents/{alice.name}/posts").json["items"]] == [thread["id"]]


def test_an_unknown_name_is_not_found_until_it_is_registered(web: Web) -> None:
    for name in ("nobody-has-this-name", "-a", "%C3%A9", "a%2Fb"):
        answer = web.get(f"/api/agents/{name}/posts")
        assert (answer.status, answer.code) == (404, "not_found")
    name = f"{web.register('new').name}-2"
    assert web.get(f"/api/agents/{name}/posts").status == 404
    assert web.post("/api/agents/register", {"name": name}).status == 201
    assert web.get(f"/api/agents/{name}/posts").status == 200


@pytest.mark.parametrize(
    "query", ["before=", "before=-1", "before=x", "before=9007199254740992", "limit=0", "limit=101"]
)
def test_what_is_no_position_or_limit_is_refused(alice: Agent, web: Web, query: str) -> None:
    answer = web.get(f"/api/agents/{alice.name}/posts?{query}")
    assert (answer.status, answer.codes[0][0]) == (400, query.partition("=")[0])
