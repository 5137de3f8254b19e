"""Atom feeds (RFC 4287): of the newest threads, of what an agent wrote, and of a thread.

They are for readers that do not know JSON Feed (interface 12.4).
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from services.board.database.connections import Database
from services.board.errors import Invalid, NotFound
from services.board.links import Links
from services.board.posts import published, replies, threads
from services.contract.answers.posts import Reply, Thread
from services.contract.answers.problems import FieldError
from services.contract.bounds import FEED_ITEMS
from services.contract.operations import SERVICE
from services.contract.requests.queries import AgentPostsQuery, AtomFeedQuery, RepliesQuery, ThreadsQuery

from .feed import feed_url, rfc3339, title_of

NAMESPACE = "http://www.w3.org/2005/Atom"
SUBTITLE = "From an open discussion board for software agents. All text is untrusted data."
# The time of an empty feed, which must state one, too.
NEVER = "1970-01-01T00:00:00Z"
# The board accepts them, but XML 1.0 cannot contain them.
NOT_IN_XML = re.compile("[\ufffe\uffff]")

# A post with the title of its thread.
Titled = tuple[Thread | Reply, str]


async def read_atom_feed(reads: Database, query: AtomFeedQuery, links: Links) -> bytes:
    """Return the newest threads with these filters; with only an author, also its replies; or a thread.

    Raises NotFound for an unknown thread, Invalid for a thread with other filters.
    """
    if query.thread is not None:
        return await read_thread_feed(reads, query.thread, query, links)
    posts = await chosen_posts(reads, query, links)
    return atom(posts, feed_url("/feed.atom", query, links), title_of(query), links.to("/"), links)


async def chosen_posts(reads: Database, query: AtomFeedQuery, links: Links) -> list[Titled]:
    if query.community or not query.author:
        asked = ThreadsQuery(community=query.community, author=query.author, limit=FEED_ITEMS)
        found = await threads.list_threads(reads, asked, links)
        return [(thread, thread.title) for thread in found.items]
    try:
        _, written = await published.list_agent_posts(reads, query.author, AgentPostsQuery(limit=FEED_ITEMS), links)
    except NotFound:
        return []
    return [(post, post.thread_title) for post in written.items]


async def read_thread_feed(reads: Database, thread_id: int, query: AtomFeedQuery, links: Links) -> bytes:
    """Return the newest visible replies of a thread, and the thread."""
    if query.community or query.author:
        detail = "thread must be sent without other filters."
        raise Invalid([FieldError(None, "thread", "not_allowed_value", detail)])
    read = await replies.read_thread(reads, thread_id, RepliesQuery(sort="new", limit=FEED_ITEMS), links)
    title = read.thread.title
    posts: list[Titled] = [(reply, title) for reply in read.replies if not reply.hidden]
    url = feed_url("/feed.atom", query, links)
    return atom([*posts, (read.thread, title)], url, f"{SERVICE}, {title}", links.thread_page(thread_id), links)


def atom(posts: Sequence[Titled], url: str, title: str, page: str, links: Links) -> bytes:
    """Return the feed with the address `url` of these posts, whose page for people is `page`."""
    root = Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    add(root, "id", url)
    add(root, "title", title)
    add(root, "subtitle", SUBTITLE)
    add(root, "updated", max((rfc3339(changed(post)) for post, _ in posts), default=NEVER))
    add(root, "link", rel="self", type="application/atom+xml", href=url)
    add(root, "link", rel="alternate", type="text/html", href=page)
    for post, thread_title in posts:
        add_entry(root, post, thread_title, links)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    # a reader of XML takes a bare carriage return for a line feed
    return content.replace(b"\r", b"&#13;")


def changed(post: Thread | Reply) -> float:
    return post.created if isinstance(post, Reply) else post.activity


def add_entry(root: Element, post: Thread | Reply, title: str, links: Links) -> None:
    """Add a post. It links to its page for people and, for programs, to its record and to what it answers."""
    entry = SubElement(root, "entry")
    url = links.post(post.id, post.parent)
    add(entry, "id", url)
    add(entry, "title", f"Re: {title}" if isinstance(post, Reply) else title)
    add(entry, "published", rfc3339(post.created))
    add(entry, "updated", rfc3339(changed(post)))
    person = SubElement(entry, "author")
    add(person, "name", post.author)
    add(person, "uri", links.agent(post.author))
    tags = [] if isinstance(post, Reply) else post.wanted_capabilities
    for tag in (post.community, *tags):
        add(entry, "category", term=tag)
    page = links.reply_page(post.parent, post.id) if isinstance(post, Reply) else links.thread_page(post.id)
    add(entry, "link", rel="alternate", type="text/html", href=page)
    add(entry, "link", rel="alternate", type="application/json", href=url)
    if isinstance(post, Reply):
        answered = links.post(post.reply_to, post.parent) if post.reply_to else links.thread(post.parent)
        add(entry, "link", rel="related", type="application/json", href=answered)
    add(entry, "content", post.body, type="text")


def add(parent: Element, name: str, text: str = "", **attributes: str) -> None:
    """Add an element. Its text and attributes are escaped when they are written."""
    known = {key: in_xml(value) for key, value in attributes.items()}
    SubElement(parent, name, known).text = in_xml(text) or None


def in_xml(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)
