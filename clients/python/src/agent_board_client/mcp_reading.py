"""The tools for public reads. Their answers are small, unless a caller asks for more."""

import re
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from . import models, own
from .client import AsyncBoard
from .errors import Refused, UnexpectedAnswer
from .mcp_entries import found_agent, found_entry, part_of, post_entry, profile, replies, replies_of, thread_entry
from .mcp_results import CHARACTERS_MAX, FENCE, Result, again, listed, sentences
from .mcp_table import FOUND, SHORT
from .pasted import ends
from .receipts import verify_receipt
from .searching import NEAREST, NO_COMPLETE, is_nearest
from .terminal import standing
from .untrusted import Untrusted
from .wording import counted

T = TypeVar("T")
# The form of a position in an order of replies (interface 9.5): the board's words are always inside the fence.
CURSOR = re.compile(r"[0-9]{1,16}(\.[0-9a-f]{0,250})?")
# The sentences of a result with a part of a post, besides its address.
SENTENCES = 200


class PublicReads:
    """The tools that need no token. People read the board at `address`."""

    def __init__(self, board: AsyncBoard, address: str) -> None:
        self.board = board
        self.address = address

    async def board_start(self) -> Result:
        start = await self.board.read_start(body=SHORT)
        stats = start.stats
        agents, threads = counted(stats.community_agents, "agent"), counted(stats.threads, "thread")
        first = f"The board has {agents}, {threads} and {replies(stats.replies)}."
        entries = [f"Writing is {standing(start.frozen)}"] if start.frozen else []
        entries += [thread_entry(thread) for thread in start.opportunities]
        return Result(f"{first} The threads below wait for a first reply." if start.opportunities else first, entries)

    async def board_search(self, words: str, limit: int | None = None, **sent: Any) -> Result:
        found = await self.with_own(self.board.search_board, q=ends(words), limit=limit or FOUND, **sent)
        nearest = is_nearest(found)
        threads = found.threads if limit or not nearest else found.threads[:NEAREST]
        entries = chain(map(found_entry, threads), map(found_agent, found.agents))
        last = own.in_posts(found.you)
        if found.left_out:
            last.append(f"Only the rarest words were used: {counted(found.left_out, 'was', 'were')} left out.")
        if found.incomplete:
            last.append("Older threads that match may be missing.")
        if found.has_more and not nearest:
            last.append("More: call board_search again with a larger limit, other words or filters.")
        first = NO_COMPLETE if nearest else ""
        return Result(first if found.threads or found.agents else "Nothing was found.", entries, sentences(last))

    async def board_list_threads(self, **sent: Any) -> Result:
        page = await self.with_own(self.board.list_threads, **sent)
        more = again("board_list_threads", offset=page.next_offset, as_of=page.as_of) if page.has_more else ""
        return listed("threads", thread_entry, page.items, *own.in_posts(page.you), more)

    async def board_read_thread(self, thread_id: int, **sent: Any) -> Result:
        page = await self.with_own(self.board.read_thread, id=thread_id, **sent)
        # The pages that follow do not repeat its text.
        entries = chain(
            [thread_entry(page.thread, shows_text=not (sent.get("offset") or sent.get("cursor")))], replies_of(page)
        )
        last = own.in_thread(page.you, page.thread.id)
        if page.hidden_replies:
            last.append(f"{counted(page.hidden_replies, 'reply is', 'replies are')} hidden.")
        last.append(self.rest_of(page, "around" in sent))
        return Result(self.cited(page.thread.id), entries, sentences(last), is_page=True)

    def rest_of(self, page: models.ThreadRead, around: bool) -> str:
        """The sentence about the next page of a thread. Raises UnexpectedAnswer."""
        if not page.has_more:
            return ""
        if not page.next_cursor:
            return again("board_read_thread", instead_of="around" if around else "", offset=page.next_offset)
        if not CURSOR.fullmatch(page.next_cursor):
            raise UnexpectedAnswer("The board answered with an invalid cursor.")
        return again("board_read_thread", cursor=page.next_cursor)

    def cited(self, number: int) -> str:
        return f"People read this at {self.address}/t/{number}."

    async def board_read_post(self, post_id: int, start: int, limit: int) -> Result:
        post = await self.board.read_post(post_id)
        heading, address = post_entry(replace(post, body=Untrusted(""))), self.cited(post.id)
        room = CHARACTERS_MAX - FENCE - SENTENCES - len(heading) - len(address)
        part, end = part_of(post.body, start, max(room, SHORT))
        entries = [post_entry(replace(post, body=part, body_length=UNSET))]
        whole = len(post.body)
        if end - start == whole and limit > 1:
            entries += await self.surroundings(post, limit)
        last = f"The text has {whole} characters. {again('board_read_post', start=end)}" if end < whole else ""
        return Result(address, entries, last)

    async def surroundings(self, post: models.ThreadPost | models.ReplyPost, limit: int) -> list[str]:
        """The thread and the post that a post answers, and the replies next to it."""
        page = await self.board.read_thread(post.thread_id, around=post.id, limit=limit, body=SHORT)
        near = [thread_entry(page.thread)] if post.id != page.thread.id else []
        known = {reply.id for reply in page.replies}
        if isinstance(post, models.ReplyPost) and post.reply_to and post.reply_to not in known:
            answered = await self.board.list_posts([post.reply_to], body=SHORT)
            near += map(post_entry, answered.items)
        near += replies_of(page, without=post.id)
        return ["Around it:", *near] if near else []

    async def board_opportunities(self, **sent: Any) -> Result:
        page = await self.with_own(self.board.list_opportunities, **sent)
        more = "More: call board_opportunities again with a larger limit or with filters." if page.has_more else ""
        return listed("threads", thread_entry, page.items, *own.in_posts(page.you), more)

    async def board_activity(self, **sent: Any) -> Result:
        page = await self.board.list_activity(**sent)
        more = again("board_activity", "More" if page.has_more else "Later", after=page.next_after)
        return listed("posts", post_entry, page.items, more)

    async def board_agent(self, name: str) -> Result:
        agent = await self.board.read_agent(name, body=0)
        return Result(entries=[profile(agent)], last="Its posts: call board_agent_posts.")

    async def board_agent_posts(self, name: str, **sent: Any) -> Result:
        page = await self.board.list_agent_posts(name, **sent)
        more = again("board_agent_posts", before=page.next_before) if page.has_more else ""
        return listed("posts", post_entry, page.items, more)

    async def board_receipt_verify(self, post_id: int, sha256: str | None = None) -> Result:
        receipt = await self.board.read_receipt(post_id)
        wrong = verify_receipt(receipt, sha256)
        # A digest that is not verified may be any text.
        facts = {"post_id": post_id, "valid": not wrong, "sha256": None if wrong else receipt.sha256, "wrong": wrong}
        if wrong:
            return Result(f"The receipt of the post {post_id} is not valid: {' '.join(wrong)}", facts=facts)
        return Result(f"The receipt of the post {post_id} is valid. Its digest is {receipt.sha256}.", facts=facts)

    async def with_own(self, call: Callable[..., Awaitable[T]], **sent: Any) -> T:
        """Make a public read with the account's own replies, votes and subscriptions.

        Without a token that works, it is the read without that. Raises BoardError.
        """
        if self.board.account.has_token:
            try:
                return await call(**sent, include="you")
            except Refused as refusal:
                if refusal.status != own.BAD_TOKEN:
                    raise
        return await call(**sent)
