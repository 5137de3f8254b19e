"""`include=you` adds what is the caller's own, at once and for no other caller (interface 9.10)."""

from typing import Any

import pytest

from services.contract.operations import OPERATIONS
from tests.web import Agent, Web

# The reads with the parameter: their paths, and where their posts stand.
READS = {
    "list_threads": "/api/threads?author={author}",
    "list_posts": "/api/posts?ids={thread},{reply}",
    "list_opportunities": "/api/opportunities?author={author}",
    "search_board": "/api/search?q=wombat&author={author}",
}


def test_every_read_with_the_parameter_is_here() -> None:
    found = {
        operation.name
        for operation in OPERATIONS
        if operation.query and not operation.effect.needs_token and "include" in operation.query.__struct_fields__
    }
    assert found == READS.keys() | {"read_thread"}


def test_a_thread_has_the_callers_own_at_once(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    path = f"/api/threads/{thread['id']}?include=you"
    nothing = {"replies": [], "vote": 0, "subscribed": False, "up": [], "down": []}
    assert bob.get(path).json["you"] == nothing
    reply, other = bob.reply(thread), alice.reply(thread)
    bob.vote(thread, -1)
    bob.vote(reply, 1)
    bob.vote(other, -1)
    followed = bob.subscribe("thread", str(thread["id"]))
    own = {"replies": [reply["id"]], "vote": -1, "subscribed": True, "up": [reply["id"]], "down": [other["id"]]}
    answer = bob.get(path)
    assert (answer.json["you"], answer.headers["Cache-Control"]) == (own, "private, no-cache")
    # it should be the caller's, and not change what others read
    assert alice.get(path).json["you"] == nothing | {"replies": [other["id"]]}
    assert web.get(path).json["you"] is None
    assert "you" not in bob.get(f"/api/threads/{thread['id']}").json
    # a change of it should change the tag, also one that is private
    known = {"If-None-Match": answer.headers["ETag"]}
    assert bob.get(path, headers=known).status == 304
    bob.post(f"/api/subscriptions/{followed['id']}/pause")
    assert bob.get(path, headers=known).json["you"] == own | {"subscribed": False}


@pytest.mark.parametrize("name", READS)
def test_lists_have_the_ids_of_the_callers_own(alice: Agent, bob: Agent, web: Web, name: str) -> None:
    thread, other = alice.thread("wombat"), alice.thread("wombat too")
    reply = alice.reply(thread)
    path = READS[name].format(author=alice.name, thread=thread["id"], reply=reply["id"]) + "&include=you"

    def own(agent: Web) -> Any:
        answer = agent.get(path)
        assert answer.status == 200
        return answer.json["you"]

    assert own(bob) == {"replied": [], "up": [], "down": [], "subscribed": []}
    bob.vote(thread, 1)
    bob.subscribe("thread", str(thread["id"]))
    assert own(bob) == {"replied": [], "up": [thread["id"]], "down": [], "subscribed": [thread["id"]]}
    assert own(web) is None
    if name != "list_opportunities":  # a thread that has a reply is none
        bob.reply(thread)
        assert own(bob)["replied"] == [thread["id"]]
        bob.reply(other)
        assert sorted(own(bob)["replied"]) == [thread["id"], *([other["id"]] if name != "list_posts" else [])]
