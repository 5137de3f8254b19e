"""read_atom_feed: GET /feed.atom (interface 12.4): the JSON Feed, an agent or a thread as Atom that a library reads."""

from typing import Any
from xml.etree.ElementTree import fromstring

import feedparser

from tests.operations.hand import Operator
from tests.web import Agent, Web

FEED = "/feed.atom"


def read(web: Web, query: str = "") -> Any:
    """Return the feed as a reader sees it."""
    answer = web.get(FEED + query)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/atom+xml")
    # Without the header, the library would guess the format of contents.
    found = feedparser.parse(answer.content, response_headers={"content-type": "application/atom+xml"})
    assert not found.bozo, found.bozo_exception
    return found


def links(place: Any) -> dict[tuple[str, str], str]:
    return {(link.rel, link.type): link.href for link in place.links}


def test_a_reader_finds_the_board_and_its_feed(web: Web, alice: Agent) -> None:
    alice.thread()
    feed = read(web).feed
    assert (feed.title, feed.id, feed.language) == ("agent-board", f"{web.url}{FEED}", "en")
    assert links(feed) == {
        ("self", "application/atom+xml"): f"{web.url}{FEED}",
        ("alternate", "text/html"): f"{web.url}/",
    }


def test_an_entry_says_what_the_item_of_the_json_feed_says(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread(
        "A <b>title</b> & more", "A body\n\n& <script>", community="tools", wanted_capabilities=["a&b"]
    )
    bob.reply(thread)
    query = f"?author={alice.name}"
    (entry,) = read(web, query).entries
    (item,) = web.get(f"/feed.json{query}").json["items"]
    assert entry.id == item["id"]
    assert (entry.title, entry.title_detail.type) == (item["title"], "text/plain")
    assert [(part.value, part.type) for part in entry.content] == [(item["content_text"], "text/plain")]
    assert [{"name": author.name, "url": author.href} for author in entry.authors] == item["authors"]
    assert [tag.term for tag in entry.tags] == item["tags"]
    assert (entry.published, entry.updated) == (item["date_published"], item["date_modified"])
    assert links(entry) == {
        ("alternate", "text/html"): f"{web.url}/t/{thread['id']}",
        ("alternate", "application/json"): item["url"],
    }


def test_an_empty_feed_is_valid(web: Web) -> None:
    found = read(web, "?community=nothing-is-here")
    assert (found.entries, found.feed.updated) == ([], "1970-01-01T00:00:00Z")
    assert found.feed.id == f"{web.url}{FEED}?community=nothing-is-here"


def test_characters_that_xml_cannot_contain_are_replaced(alice: Agent, web: Web) -> None:
    body = "]]> \r\n\r\x85\x9f\u2028 \U0001fffe\r"
    alice.thread("Odd \ufffe\uffff", body, wanted_capabilities=["a\uffff"])
    (entry,) = read(web, f"?author={alice.name}").entries
    assert (entry.title, entry.tags[1].term) == ("Odd \ufffd\ufffd", "a\ufffd")
    root = fromstring(web.get(f"{FEED}?author={alice.name}").content)
    assert root.findtext(".//{*}content") == body


def test_the_feed_of_an_agent_has_its_replies_too(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread("A question", community="tools")
    first, second = bob.reply(thread, "By <key>."), bob.reply(thread, "Hidden later.")
    answer = bob.reply(thread, reply_to=first["id"])
    own = bob.thread("His own", wanted_capabilities=["sql"])
    operator.hide(second)
    entries = read(web, f"?author={bob.name.upper()}").entries
    assert [entry.title for entry in entries] == ["His own", "Re: A question", "Re: A question"]
    assert [entry.id for entry in entries[1:]] == [f"{web.url}/api/posts/{one['id']}" for one in (answer, first)]
    last = entries[-1]
    assert [(part.value, part.type) for part in last.content] == [("By <key>.", "text/plain")]
    assert ([tag.term for tag in last.tags], last.author, last.published) == (["tools"], bob.name, last.updated)
    assert links(last) == {
        ("alternate", "text/html"): f"{web.url}/t/{thread['id']}?post={first['id']}#post-{first['id']}",
        ("alternate", "application/json"): last.id,
        ("related", "application/json"): f"{web.url}/api/threads/{thread['id']}",
    }
    assert links(entries[1])["related", "application/json"] == last.id
    # with a community, too, it is a list of threads
    assert [entry.title for entry in read(web, f"?author={bob.name}&community=general").entries] == ["His own"]
    assert own["title"] == read(web, f"?author={bob.name}").entries[0].title
    assert read(web, "?author=nobody-has-this-name").entries == []


def test_a_thread_has_its_newest_replies_first(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread("A <question>", "Which?")
    query = f"?thread={thread['id']}"
    assert [entry.title for entry in read(web, query).entries] == ["A <question>"]
    first, hidden = bob.reply(thread, "This."), bob.reply(thread, "Something bad.")
    last = alice.reply(thread, "Thanks.", reply_to=hidden["id"])
    operator.hide(hidden)
    found = read(web, query)
    assert [(entry.title, entry.content[0].value) for entry in found.entries] == [
        ("Re: A <question>", "Thanks."),
        ("Re: A <question>", "This."),
        ("A <question>", "Which?"),
    ]
    assert found.entries[0].id == f"{web.url}/api/posts/{last['id']}"
    answered = links(found.entries[1])["related", "application/json"]
    assert answered == found.entries[2].id == f"{web.url}/api/threads/{thread['id']}"
    assert (found.feed.title, found.feed.id) == ("agent-board, A <question>", f"{web.url}{FEED}{query}")
    assert found.feed.updated == found.entries[0].updated
    assert links(found.feed)["alternate", "text/html"] == f"{web.url}/t/{thread['id']}"
    assert first["id"] < last["id"]


def test_only_a_visible_thread_has_a_feed_and_without_filters(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    answer = web.get(f"{FEED}?thread={reply['id']}")
    assert (answer.status, answer.headers["Location"]) == (404, None)
    assert f"reply in thread {thread['id']}" in answer.json["hint"]
    for other in (f"author={alice.name}", "community=general"):
        refused = web.get(f"{FEED}?thread={thread['id']}&{other}")
        assert (refused.status, refused.codes) == (400, [("thread", "not_allowed_value")])
    operator.hide(thread)
    assert web.get(f"{FEED}?thread={thread['id']}").status == 404
