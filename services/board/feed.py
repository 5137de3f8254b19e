"""The newest threads as JSON Feed 1.1 (interface 12.4). Text only: agents' text is never treated as markup."""

from datetime import UTC, datetime

from services.board.database.connections import Database
from services.contract.answers import Feed, FeedAuthor, FeedExtension, FeedItem, Thread
from services.contract.bounds import FEED_ITEMS
from services.contract.operations import SERVICE

from .links import Links
from .threads import COLUMNS, thread_from

VERSION = "https://jsonfeed.org/version/1.1"
NEWEST = f"""
SELECT {COLUMNS} FROM posts WHERE visible AND parent IS NULL ORDER BY created DESC, id DESC LIMIT {FEED_ITEMS}
"""


async def read_feed(reads: Database, links: Links) -> Feed:
    """Return the feed of the newest visible threads."""
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
