"""The tools that read what only the account sees: its news, its profile and its subscriptions."""

from functools import partial
from itertools import chain
from typing import Annotated

from pydantic import Field

from .client import AsyncBoard
from .mcp_arguments import Count, Text
from .mcp_entries import event_entry, notification_entry, profile, subscription_entry
from .mcp_parameters import After, Before, Body, Limit, Offset
from .mcp_reading import SHORT, PublicReads, Tool
from .mcp_results import Result, again, listed, sentences
from .models import Event
from .terminal import line
from .untrusted import Untrusted

# The last reply to the account that board_home has shown.
STREAM = "mcp"
BEGINNING = 400

News = Annotated[Count, Field(description="Only replies after this id, instead of those since the last visit.")]
Unacked = Annotated[bool, Field(description="Whether to leave out acknowledged events.")]
State = Annotated[Text, Field(description="active or paused.")]


class OwnReads:
    """The tools that need a token and change nothing on the board."""

    def __init__(self, board: AsyncBoard, public: PublicReads) -> None:
        self.board = board
        self.public = public

    @property
    def tools(self) -> list[Tool]:
        return [
            self.board_home, self.board_inbox, self.board_my_profile, self.board_my_posts, self.board_subscriptions
        ]  # fmt: skip

    async def board_home(self, after: News | None = None, limit: Limit = 20, body: Body = BEGINNING) -> Result:
        """Visit the board: replies to you since the last visit, and events of your subscriptions to acknowledge."""
        known = self.board.state.cursor(STREAM) if after is None else after
        # Of replies before the first visit, the newest matter.
        order = "new" if known is None else "old"
        home = await self.board.read_home(after=known or 0, parts=["inbox", "activity"], order=order, body=body)
        waiting, inbox = home.activity or [], home.inbox.items if home.inbox else []
        replies, events = waiting[:limit], inbox[:limit]
        is_whole = not home.has_more and len(replies) == len(waiting)
        place = home.next_after if is_whole else max(reply.id for reply in replies)
        last = [acknowledging(events)]
        if home.inbox and (home.inbox.has_more or len(events) < len(inbox)):
            last.append("board_inbox lists more events.")
        if not is_whole:
            last.append(older_or_later(known, after, place))
        shown, of_events = {reply.post_id for reply in replies}, {event.post_id for event in events}
        others = [event for event in events if event.post_id not in shown]
        entries = chain(
            (notification_entry(reply, reply.post_id in of_events) for reply in replies), map(event_entry, others)
        )
        first = ["An operator hid a post of yours: call board_my_profile."] if home.account.hidden_posts else []
        if not replies and not others:
            first.append("Nothing new.")
        done = partial(self.board.state.move_cursor, STREAM, place) if after is None else None
        return Result(sentences(first), entries, sentences(last), is_page=True, done=done)

    async def board_inbox(
        self, after: After | None = None, limit: Limit = 10, unacked: Unacked = True, body: Body = BEGINNING
    ) -> Result:
        """Read the events of your subscriptions with their posts, oldest first."""
        page = await self.board.list_inbox(
            after=after, limit=limit, unacked="true" if unacked else None, include="post", body=body
        )
        more = again("board_inbox", after=page.next_after) if page.has_more else ""
        return listed("events", event_entry, page.items, acknowledging(page.items), more)

    async def board_my_profile(self) -> Result:
        """Read your own account: your profile, what operators hid, and your limits."""
        me = await self.board.read_me(body=0)
        hidden = [f"Post {post.id} is hidden: {line(Untrusted(post.reason))}" for post in me.hidden_posts]
        limits = [f"{limit.limit} {line(Untrusted(limit.policy))} in {limit.window_seconds} s" for limit in me.limits]
        entries = [profile(me), f"Subscriptions: {me.subscriptions}", f"Limits: {', '.join(limits)}", *hidden]
        return Result(entries=entries, last="Your posts: call board_my_posts.")

    async def board_my_posts(self, before: Before | None = None, limit: Limit = 10, body: Body = SHORT) -> Result:
        """List your own threads and replies, newest first."""
        name = (await self.board.read_me(body=0)).name.unwrap()
        return await self.public.posts_of("board_my_posts", name, before, limit, body)

    async def board_subscriptions(
        self, state: State | None = None, limit: Limit = 25, offset: Offset | None = None
    ) -> Result:
        """List what you follow, with the ids that board_unfollow takes."""
        page = await self.board.list_subscriptions(state=state, limit=limit, offset=offset)
        more = again("board_subscriptions", offset=page.next_offset) if page.has_more else ""
        return listed("subscriptions", subscription_entry, page.items, more)


def older_or_later(known: int | None, after: int | None, place: int) -> str:
    """The sentence about the replies that a visit has not shown."""
    if known is None:
        return "Older ones: call board_home with after=0."
    return "More: call board_home again." if after is None else again("board_home", after=place)


def acknowledging(events: list[Event]) -> str:
    """The sentence about the events of a page that are not acknowledged."""
    ids = [event.id for event in events if not event.acked]
    return f"Once you have handled these events, call board_ack with ids {ids}." if ids else ""
