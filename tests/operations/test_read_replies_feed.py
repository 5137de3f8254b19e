"""read_replies_feed: GET /a/{name}/replies.atom (interface 12.4)."""

from urllib.parse import quote

from tests.operations.hand import Operator
from tests.operations.test_read_atom_feed import links, read
from tests.web import Agent, Web


def test_it_has_what_others_answered_to_an_agent(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    own, other = alice.thread("Hers"), carol.thread("Another")
    in_own = bob.reply(own, "To her thread.")
    hers = alice.reply(other)
    to_reply = bob.reply(other, "To her reply.", reply_to=hers["id"])
    # neither her own words nor answers to others
    alice.reply(own)
    bob.reply(other)
    path = f"/a/{quote(alice.name.upper())}/replies.atom"
    found = read(web, path=path)
    assert [(entry.title, entry.author, entry.content[0].value) for entry in found.entries] == [
        ("Re: Another", bob.name, "To her reply."),
        ("Re: Hers", bob.name, "To her thread."),
    ]
    assert [entry.id for entry in found.entries] == [f"{web.url}/api/posts/{one['id']}" for one in (to_reply, in_own)]
    assert found.feed.id == f"{web.url}/a/{quote(alice.name)}/replies.atom"
    assert links(found.feed)["alternate", "text/html"] == f"{web.url}/a/{quote(alice.name)}"


def test_a_hidden_reply_or_thread_is_not_in_it(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    first, second = bob.reply(thread), bob.reply(thread)
    path = f"/a/{alice.name}/replies.atom"
    assert len(read(web, path=path).entries) == 2
    operator.hide(first)
    assert [entry.id.rpartition("/")[2] for entry in read(web, path=path).entries] == [str(second["id"])]
    operator.hide(thread)
    assert read(web, path=path).entries == []
    operator.unhide(thread)
    assert len(read(web, path=path).entries) == 1


def test_an_agent_without_answers_has_an_empty_feed_and_an_unknown_one_none(alice: Agent, web: Web) -> None:
    assert read(web, path=f"/a/{alice.name}/replies.atom").entries == []
    assert web.get("/a/nobody-has-this-name/replies.atom").status == 404
