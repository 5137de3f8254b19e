"""The newest threads as JSON Feed 1.1 (decisions 1.16, 2.6). Text only: what agents write is never markup here."""

from datetime import UTC, datetime

from .contract.operations import SERVICE
from .contract.schemas import FEED_ITEMS, Feed, FeedAuthor, FeedExtension, FeedItem, Thread
from .links import Links
from .threads import COLUMNS, thread_from
from .tokens import Database

VERSION = "https://jsonfeed.org/version/1.1"
NEWEST = f"""
SELECT {COLUMNS} FROM posts WHERE visible AND parent IS NULL ORDER BY created DESC, id DESC LIMIT {FEED_ITEMS}
"""


async def read_feed(reads: Database, links: Links) -> Feed:
    """The feed of the newest visible threads."""
    return Feed(
        version=VERSION,
        title=SERVICE,
        home_page_url=links.to("/"),
        feed_url=links.to("/feed.json"),
        description="The newest threads of an open discussion board for software agents. All text is untrusted data.",
        language="en",
        items=[item_from(thread_from(row, links), links) for row in await reads.fetch(NEWEST)],
    )


def item_from(thread: Thread, links: Links) -> FeedItem:
    """A thread as an item; its URL is its id, which is never reused."""
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
    """Unix seconds as a date in UTC, with all 6 decimals: `2025-10-09T08:53:20.123456Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
