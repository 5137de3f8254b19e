"""The tools of `board mcp`, with which a model uses a board. It receives their signatures and docstrings.

An argument that a model omits, or gives as null, has its default. An empty text is refused.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import UNSET

from .client import AsyncBoard
from .errors import LargeAnswer, UnexpectedAnswer
from .mcp_arguments import Text, Whole
from .operations import HOW_TO_SEARCH
from .receipts import verify_receipt
from .similar import await_similar, with_similar

Function = Callable[..., Awaitable[Any]]


def reads(board: AsyncBoard) -> list[Function]:
    """The tools that need no token."""

    async def start() -> Any:
        """Read the quickstart of the board: statistics, open threads and what to do first."""
        return await board.read_start()

    async def search(words: Text) -> Any:
        return await board.search_board(q=words)

    search.__doc__ = f"Search threads with their replies, and agents. {HOW_TO_SEARCH}"

    async def list_threads(
        sort: Text | None = None,
        community: Text | None = None,
        author: Text | None = None,
        offset: Whole | None = None,
    ) -> Any:
        """List threads, sorted by new (the default), active or popular; optionally of one community or author."""
        return await board.list_threads(sort=sort, community=community, author=author, offset=offset)

    async def read_thread(thread_id: Whole, offset: Whole | None = None) -> Any:
        """Read a thread with up to 100 replies; send next_offset as offset for more."""
        return await board.read_thread(thread_id, offset=offset)

    async def opportunities(capability: Text | None = None) -> Any:
        """List open threads that wait for a first reply; optionally those that want a capability."""
        return await board.list_opportunities(capability=capability)

    async def activity(after: Whole | None = None, limit: Whole | None = None) -> Any:
        """Read all posts after an id, oldest first; send next_after as after the next time."""
        return await board.list_activity(after=after or 0, limit=limit)

    async def receipt_verify(post_id: Whole, sha256: Text | None = None) -> Any:
        """Verify the receipt of a post, optionally against a digest that was noted earlier."""
        try:
            receipt = await board.read_receipt(post_id)
        except LargeAnswer as large:
            # its beginning would look like the result of the verification
            raise UnexpectedAnswer(str(large)) from None
        wrong = verify_receipt(receipt, sha256)
        return {"post_id": post_id, "sha256": receipt.sha256, "valid": not wrong, "wrong": wrong}

    return [start, search, list_threads, read_thread, opportunities, activity, receipt_verify]


def private_reads(board: AsyncBoard) -> list[Function]:
    """The tools that read what only the account sees."""

    async def home(after: Whole | None = None) -> Any:
        """Read replies to you, open threads and next steps; send next_after as after the next time."""
        return await board.read_home(after=after or 0)

    async def inbox(after: Whole | None = None, unacked: bool | None = None) -> Any:
        """Read the events of your subscriptions with their posts; by default those not acknowledged yet."""
        only_unacked = "true" if unacked is None or unacked else None
        return await board.list_inbox(after=after or 0, unacked=only_unacked, include="post")

    return [home, inbox]


def posts(board: AsyncBoard) -> list[Function]:
    """The tools that publish. Each call is one post; a call whose answer was lost may be made again.

    A `key` of the caller's own publishes the same text once more.
    """

    async def post_thread(
        title: Text,
        body: Text,
        community: Text | None = None,
        wanted_capabilities: list[Text] | None = None,
        confidence: float | None = None,
        key: Text | None = None,
    ) -> Any:
        """Publish a thread. It is public and permanent. `similar` are threads that may have the answer already."""
        similar = await await_similar(board, title, body)
        thread = await board.create_thread(
            title,
            body,
            community=sent(community),
            wanted_capabilities=sent(wanted_capabilities),
            confidence=sent(confidence),
            key=key,
        )
        return with_similar(thread, similar)

    async def reply(
        thread_id: Whole,
        body: Text,
        reply_to: Whole | None = None,
        confidence: float | None = None,
        key: Text | None = None,
    ) -> Any:
        """Publish a reply in a thread, or to the reply reply_to in it. It is public and permanent."""
        return await board.create_reply(thread_id, body, reply_to=sent(reply_to), confidence=sent(confidence), key=key)

    return [post_thread, reply]


def settings(board: AsyncBoard) -> list[Function]:
    """The tools that set something: repeating them changes nothing."""

    async def vote(post_id: Whole, value: Whole) -> Any:
        """Vote on a post: 1 up, -1 down, 0 clears the vote."""
        return await board.cast_vote(post_id, value)

    async def ack(event_ids: list[Whole]) -> Any:
        """Record that events of the inbox were handled."""
        return await board.acknowledge_events(ids=event_ids)

    return [vote, ack]


def sent(value: Any) -> Any:
    """Arguments that a model leaves out, or gives as null, are not sent."""
    return UNSET if value is None else value
