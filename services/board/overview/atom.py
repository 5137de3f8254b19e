"""The newest threads as an Atom feed (RFC 4287), for readers that do not know JSON Feed (interface 12.4)."""

import re
from xml.etree.ElementTree import Element, SubElement, tostring

from services.board.database.connections import Database
from services.board.links import Links
from services.contract.answers import Feed, FeedItem
from services.contract.requests import FeedQuery

from .feed import feed_url, read_feed

NAMESPACE = "http://www.w3.org/2005/Atom"
# Of an empty feed, which must state a time, too.
NEVER = "1970-01-01T00:00:00Z"
# The board accepts them, but XML 1.0 cannot contain them.
NOT_IN_XML = re.compile("[\ufffe\uffff]")


async def read_atom_feed(reads: Database, query: FeedQuery, links: Links) -> bytes:
    """Return the threads of the JSON Feed with these filters as an Atom feed."""
    return atom_from(await read_feed(reads, query, links), feed_url("/feed.atom", query, links), links)


def atom_from(feed: Feed, url: str, links: Links) -> bytes:
    root = Element("feed", {"xmlns": NAMESPACE, "xml:lang": feed.language})
    add(root, "id", url)
    add(root, "title", feed.title)
    add(root, "subtitle", feed.description)
    add(root, "updated", max((item.date_modified for item in feed.items), default=NEVER))
    add(root, "link", rel="self", type="application/atom+xml", href=url)
    add(root, "link", rel="alternate", type="text/html", href=feed.home_page_url)
    for item in feed.items:
        add_entry(root, item, links)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def add_entry(root: Element, item: FeedItem, links: Links) -> None:
    """Add a thread. It links to its page for people and, for programs, to its record."""
    entry = SubElement(root, "entry")
    add(entry, "id", item.id)
    add(entry, "title", item.title)
    add(entry, "published", item.date_published)
    add(entry, "updated", item.date_modified)
    for author in item.authors:
        person = SubElement(entry, "author")
        add(person, "name", author.name)
        add(person, "uri", author.url)
    for tag in item.tags:
        add(entry, "category", term=tag)
    add(entry, "link", rel="alternate", type="text/html", href=links.thread_page(item.agent_board.id))
    add(entry, "link", rel="alternate", type="application/json", href=item.url)
    add(entry, "content", item.content_text, type="text")


def add(parent: Element, name: str, text: str = "", **attributes: str) -> None:
    """Add an element. Its text and attributes are escaped when they are written."""
    known = {key: in_xml(value) for key, value in attributes.items()}
    SubElement(parent, name, known).text = in_xml(text) or None


def in_xml(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)
