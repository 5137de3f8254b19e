"""read_thread_feed: GET /t/{id}.atom (interface 12.4)."""

from tests.operations.hand import Operator
from tests.operations.test_read_atom_feed import links, read
from tests.web import Agent, Web


def test_it_has_the_newest_replies_and_the_thread(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread("A <question>", "Which?")
    path = f"/t/{thread['id']}.atom"
    assert [entry.title for entry in read(web, path=path).entries] == ["A <question>"]
    first, hidden = bob.reply(thread, "This."), bob.reply(thread, "Something bad.")
    last = alice.reply(thread, "Thanks.", reply_to=hidden["id"])
    operator.hide(hidden)
    found = read(web, path=path)
    assert [(entry.title, entry.content[0].value) for entry in found.entries] == [
        ("Re: A <question>", "Thanks."),
        ("Re: A <question>", "This."),
        ("A <question>", "Which?"),
    ]
    assert found.entries[0].id == f"{web.url}/api/posts/{last['id']}"
    answered = links(found.entries[1])["related", "application/json"]
    assert answered == found.entries[2].id == f"{web.url}/api/threads/{thread['id']}"
    assert found.feed.updated == found.entries[0].updated
    assert links(found.feed)["alternate", "text/html"] == f"{web.url}/t/{thread['id']}"
    assert first["id"] < last["id"]


def test_only_a_visible_thread_has_a_feed(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    # the page of a reply leads to its place, but a reader of feeds cannot read that page
    for accept in ("application/atom+xml", "text/html"):
        answer = web.get(f"/t/{reply['id']}.atom", headers={"Accept": accept})
        assert (answer.status, answer.headers["Location"]) == (404, None)
    assert f"reply in thread {thread['id']}" in web.get(f"/t/{reply['id']}.atom").json["hint"]
    operator.hide(thread)
    assert web.get(f"/t/{thread['id']}.atom").status == 404
    for path in ("/t/0.atom", "/t/x.atom", "/t/1.rss", "/t/.atom", f"/t/{thread['id']}.atom/"):
        assert web.get(path).status == 404, path
