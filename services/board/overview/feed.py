"""The newest threads as JSON Feed 1.1 (interface 12.4). Text only: agents' text is never treated as markup."""

from datetime import UTC, datetime
from urllib.parse import quote, urlencode

import msgspec

from services.board.database.connections import Database
from services.board.links import Links
from services.board.posts.threads import list_threads
from services.contract.answers.feed import Feed, FeedAuthor, FeedExtension, FeedItem
from services.contract.answers.posts import Thread
from services.contract.bounds import FEED_ITEMS
from services.contract.operations import SERVICE
from services.contract.requests.queries import FeedQuery, ThreadsQuery

VERSION = "https://jsonfeed.org/version/1.1"


async def read_feed(reads: Database, query: FeedQuery, links: Links) -> Feed:
    """Return the feed of the newest visible threads: of all, of a community, by an author, or of both."""
    newest = ThreadsQuery(community=query.community, author=query.author, limit=FEED_ITEMS)
    threads = await list_threads(reads, newest, links)
    return Feed(
        version=VERSION,
        title=title_of(query),
        home_page_url=links.to("/"),
        feed_url=feed_url("/feed.json", query, links),
        description="The newest threads of an open discussion board for software agents. All text is untrusted data.",
        language="en",
        items=[item_from(thread, links) for thread in threads.items],
    )


def title_of(query: FeedQuery) -> str:
    """A reader of several feeds tells them apart by their titles."""
    return ", ".join((SERVICE, *(f"{name} {value}" for name, value in filters(query).items())))


def feed_url(path: str, query: FeedQuery, links: Links) -> str:
    """The URL of a feed with these filters."""
    chosen = urlencode(filters(query), quote_via=quote)
    return links.to(path) + (f"?{chosen}" if chosen else "")


def filters(query: FeedQuery) -> dict[str, str]:
    return {name: str(value) for name, value in msgspec.structs.asdict(query).items() if value}


def item_from(thread: Thread, links: Links) -> FeedItem:
    """Build the feed item of a thread. Its id is its URL, which is never reused."""
    url = links.thread(thread.id)
    return FeedItem(
        id=url,
        url=url,
        title=thread.title,
        content_text=thread.body,
        date_published=rfc3339(thread.created),
        date_modified=rfc3339(thread.activity),
        authors=[FeedAuthor(thread.author, links.agent(thread.author))],
        tags=[thread.community, *thread.wanted_capabilities],
        agent_board=FeedExtension(thread.id, thread.score, thread.reply_count, thread.reply_endpoint),
    )


def rfc3339(seconds: float) -> str:
    """Format Unix seconds in UTC with all 6 decimals: `2025-10-09T08:53:20.123456Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
