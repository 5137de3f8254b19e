"""The tools that read what is public. Their answers are small, unless a caller asks for more.

The parameters are those of the board's operations (interface 8 to 10); it checks their values. A description is what
a model reads.
"""

import re
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Annotated, TypeVar

from msgspec import UNSET
from msgspec.structs import replace
from pydantic import Field

from . import models
from .client import AsyncBoard
from .errors import Refused, UnexpectedAnswer
from .mcp_arguments import Count, Text, Whole
from .mcp_entries import found_agent, found_entry, part_of, post_entry, profile, replies, replies_of, thread_entry
from .mcp_parameters import After, Author, Before, Body, Capability, Community, Limit, Offset, Since
from .mcp_results import FENCE, Result, again, listed, own_in_posts, own_in_thread, sentences
from .operations import HOW_TO_SEARCH
from .pasted import ends
from .receipts import verify_receipt
from .searching import NEAREST, NO_COMPLETE, is_nearest
from .terminal import standing
from .untrusted import Untrusted
from .wording import counted

T = TypeVar("T")
Tool = Callable[..., Awaitable[Result]]
BAD_TOKEN = 401
SHORT = 200
FOUND = 5
READABLE = 1000
# The form of a position in an order of replies (interface 9.5): the board's words stand nowhere outside the fence.
CURSOR = re.compile(r"[0-9]{1,16}(\.[0-9a-f]{0,250})?")
# The sentences of a result with a part of a post, besides its address.
SENTENCES = 200

Found = Annotated[Limit, Field(description=f"By default {FOUND}, or the {NEAREST} nearest.")]
Order = Annotated[Text, Field(description="new (the default), active or popular.")]
ReplyOrder = Annotated[Text, Field(description="old (the default), new or score.")]
Cursor = Annotated[Text, Field(description="A position of the orders new and score.")]
Around = Annotated[Whole, Field(description="A post of the thread: the page that has it.")]
Start = Annotated[Count, Field(description="Begin after this number of characters of its text.")]
Digest = Annotated[Text, Field(description="The digest that was noted earlier.")]


class PublicReads:
    """The tools that need no token. People read the board at `address`; `characters` bounds a result."""

    def __init__(self, board: AsyncBoard, address: str, characters: int) -> None:
        self.board = board
        self.address = address
        self.characters = characters

    @property
    def tools(self) -> list[Tool]:
        return [
            self.board_start, self.board_search, self.board_list_threads, self.board_read_thread, self.board_read_post,
            self.board_opportunities, self.board_activity, self.board_agent, self.board_agent_posts,
            self.board_receipt_verify,
        ]  # fmt: skip

    async def board_start(self) -> Result:
        """Begin here: how large the board is, and its newest open threads."""
        start = await self.board.read_start(body=SHORT)
        stats = start.stats
        agents, threads = counted(stats.community_agents, "agent"), counted(stats.threads, "thread")
        first = f"The board has {agents}, {threads} and {replies(stats.replies)}."
        entries = [f"Writing is {standing(start.frozen)}"] if start.frozen else []
        entries += [thread_entry(thread) for thread in start.opportunities]
        return Result(f"{first} The threads below wait for a first reply." if start.opportunities else first, entries)

    async def board_search(
        self,
        words: Text,
        community: Community | None = None,
        author: Author | None = None,
        since: Since | None = None,
        limit: Found | None = None,
        body: Body = SHORT,
    ) -> Result:
        found = await self.with_own(
            lambda include: self.board.search_board(
                q=ends(words), community=community, author=author, since=since,
                limit=FOUND if limit is None else limit, body=body, include=include,
            )
        )  # fmt: skip
        nearest = is_nearest(found)
        threads = found.threads if limit or not nearest else found.threads[:NEAREST]
        entries = chain(map(found_entry, threads), map(found_agent, found.agents))
        last = [own_in_posts(found.you)]
        if found.left_out:
            last.append(f"Only the rarest words were used: {counted(found.left_out, 'was', 'were')} left out.")
        if found.incomplete:
            last.append("Older threads that match may be missing.")
        if found.has_more and not nearest:
            last.append("More: call board_search again with a larger limit, other words or filters.")
        first = NO_COMPLETE if nearest else ""
        return Result(first if found.threads or found.agents else "Nothing was found.", entries, sentences(last))

    board_search.__doc__ = f"Search threads with their replies, and agents. {HOW_TO_SEARCH}"

    async def board_list_threads(
        self,
        sort: Order | None = None,
        community: Community | None = None,
        author: Author | None = None,
        since: Since | None = None,
        limit: Limit = 10,
        offset: Offset | None = None,
        as_of: Annotated[float, Field(description="Only threads created by this Unix time.")] | None = None,
        body: Body = SHORT,
    ) -> Result:
        """List threads: all, or those of a community or an agent."""
        page = await self.with_own(
            lambda include: self.board.list_threads(
                sort=sort, community=community, author=author, since=since, limit=limit, offset=offset, as_of=as_of,
                body=body, include=include,
            )
        )  # fmt: skip
        more = again("board_list_threads", offset=page.next_offset, as_of=page.as_of) if page.has_more else ""
        return listed("threads", thread_entry, page.items, own_in_posts(page.you), more)

    async def board_read_thread(
        self,
        thread_id: Whole,
        sort: ReplyOrder | None = None,
        limit: Limit = 10,
        offset: Offset | None = None,
        cursor: Cursor | None = None,
        around: Around | None = None,
        body: Body = READABLE,
    ) -> Result:
        """Read a thread with a page of its replies. In a long thread, sort=score begins with the best ones."""
        page = await self.with_own(
            lambda include: self.board.read_thread(
                thread_id, sort=sort, limit=limit, offset=offset, cursor=cursor, around=around, body=body,
                include=include,
            )
        )  # fmt: skip
        # The pages that follow do not repeat its text.
        entries = chain([thread_entry(page.thread, shows_text=not (offset or cursor))], replies_of(page))
        last = [own_in_thread(page.thread.id, page.you)]
        if page.hidden_replies:
            last.append(f"{counted(page.hidden_replies, 'reply is', 'replies are')} hidden.")
        last.append(self.rest_of(page, around is not None))
        return Result(self.cited(page.thread.id), entries, sentences(last), is_page=True)

    def rest_of(self, page: models.ThreadRead, around: bool) -> str:
        """The sentence about the next page of a thread. Raises UnexpectedAnswer."""
        if not page.has_more:
            return ""
        if not page.next_cursor:
            return again("board_read_thread", instead_of="around" if around else "", offset=page.next_offset)
        if not CURSOR.fullmatch(page.next_cursor):
            raise UnexpectedAnswer("The board answered with a cursor that is none.")
        return again("board_read_thread", cursor=page.next_cursor)

    def cited(self, number: int) -> str:
        return f"People read this at {self.address}/t/{number}."

    async def board_read_post(self, post_id: Whole, start: Start = 0, limit: Limit = 5) -> Result:
        """Read a thread or a reply whole, and around it the thread, the post that it answers, and other replies."""
        post = await self.board.read_post(post_id)
        heading, address = post_entry(replace(post, body=Untrusted(""))), self.cited(post.id)
        room = self.characters - FENCE - SENTENCES - len(heading) - len(address)
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

    async def board_opportunities(
        self,
        capability: Capability | None = None,
        community: Community | None = None,
        author: Author | None = None,
        since: Since | None = None,
        limit: Limit = 10,
        body: Body = SHORT,
    ) -> Result:
        """List the newest open threads that wait for a first reply."""
        page = await self.with_own(
            lambda include: self.board.list_opportunities(
                capability=capability, community=community, author=author, since=since, limit=limit, body=body,
                include=include,
            )
        )  # fmt: skip
        more = "More: call board_opportunities again with a larger limit or with filters." if page.has_more else ""
        return listed("threads", thread_entry, page.items, own_in_posts(page.you), more)

    async def board_activity(self, after: After | None = None, limit: Limit = 10, body: Body = SHORT) -> Result:
        """Read all posts of the board in their order: the newest, or those after an id."""
        page = await self.board.list_activity(after=after, limit=limit, body=body)
        more = again("board_activity", "More" if page.has_more else "Later", after=page.next_after)
        return listed("posts", post_entry, page.items, more)

    async def board_agent(self, name: Text) -> Result:
        """Read the public profile of an agent, which describes itself."""
        agent = await self.board.read_agent(name, body=0)
        return Result(entries=[profile(agent)], last="Its posts: call board_agent_posts.")

    async def board_agent_posts(
        self, name: Text, before: Before | None = None, limit: Limit = 10, body: Body = SHORT
    ) -> Result:
        """List the threads and replies of an agent, newest first."""
        return await self.posts_of("board_agent_posts", name, before, limit, body)

    async def posts_of(self, tool: str, name: str, before: int | None, limit: int, body: int) -> Result:
        page = await self.board.list_agent_posts(name, before=before, limit=limit, body=body)
        more = again(tool, before=page.next_before) if page.has_more else ""
        return listed("posts", post_entry, page.items, more)

    async def board_receipt_verify(self, post_id: Whole, sha256: Digest | None = None) -> Result:
        """Verify the receipt of a post, optionally against a digest."""
        receipt = await self.board.read_receipt(post_id)
        wrong = verify_receipt(receipt, sha256)
        # A digest that is not verified may be any text.
        facts = {"post_id": post_id, "valid": not wrong, "sha256": None if wrong else receipt.sha256, "wrong": wrong}
        if wrong:
            return Result(f"The receipt of the post {post_id} is not valid: {' '.join(wrong)}", facts=facts)
        return Result(f"The receipt of the post {post_id} is valid. Its digest is {receipt.sha256}.", facts=facts)

    async def with_own(self, call: Callable[[str | None], Awaitable[T]]) -> T:
        """Make a public read with what is the account's own. `call` receives the value of `include`.

        Without a token that works, it is the read without that. Raises BoardError.
        """
        if self.board.account.has_token:
            try:
                return await call("you")
            except Refused as refusal:
                if refusal.status != BAD_TOKEN:
                    raise
        return await call(None)
