"""Everything that the board keeps for an account, as records for lines of JSON."""

from collections.abc import Iterator
from typing import Any

from .client import Board, Pages


def export_account(board: Board) -> Iterator[dict[str, Any]]:
    """Yield everything that the board keeps for the account, one record at a time."""
    pages = board.pages
    me = pages.read_me()
    yield {"record": "account", "data": me}
    yield from posts_with_receipts(pages, me.name.unwrap())
    offset, more = 0, True
    while more:
        followed = pages.list_subscriptions(limit=100, offset=offset)
        yield from ({"record": "subscription", "data": item} for item in followed.items)
        more, offset = followed.has_more and followed.next_offset > offset, followed.next_offset
    after, more = 0, True
    while more:
        events = pages.list_inbox(after=after, limit=100)
        yield from ({"record": "event", "data": item} for item in events.items)
        more, after = events.has_more and events.next_after > after, events.next_after


def posts_with_receipts(pages: Pages, name: str) -> Iterator[dict[str, Any]]:
    """Yield the visible posts of an agent, newest first, each with its receipt."""
    before: int | None = None
    more = True
    while more:
        page = pages.list_agent_posts(name, before=before, limit=100)
        for post in page.items:
            yield {"record": "post", "data": post, "receipt": pages.read_receipt(post.id)}
        more = page.has_more and (before is None or page.next_before < before)
        before = page.next_before
