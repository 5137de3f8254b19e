"""The tools for reads of the account: its news, its profile and its subscriptions."""

from functools import partial
from itertools import chain
from typing import Any

from .client import AsyncBoard
from .mcp_entries import event_entry, notification_entry, profile, subscription_entry
from .mcp_results import Result, again, listed, sentences
from .models import Event
from .terminal import line
from .untrusted import Untrusted

# The last reply to the account that board_home has shown.
STREAM = "mcp"


class OwnReads:
    """The tools that need a token and change nothing on the board."""

    def __init__(self, board: AsyncBoard) -> None:
        self.board = board

    async def board_home(self, limit: int, body: int, after: int | None = None) -> Result:
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

    async def board_inbox(self, *, unacked: bool, **sent: Any) -> Result:
        page = await self.board.list_inbox(unacked="true" if unacked else None, include="post", **sent)
        more = again("board_inbox", after=page.next_after) if page.has_more else ""
        return listed("events", event_entry, page.items, acknowledging(page.items), more)

    async def board_my_profile(self) -> Result:
        me = await self.board.read_me(body=0)
        hidden = [f"Post {post.id} is hidden: {line(Untrusted(post.reason))}" for post in me.hidden_posts]
        limits = [f"{limit.limit} {line(Untrusted(limit.policy))} in {limit.window_seconds} s" for limit in me.limits]
        entries = [profile(me), f"Subscriptions: {me.subscriptions}", f"Limits: {', '.join(limits)}", *hidden]
        return Result(entries=entries, last="Your posts: call board_agent_posts.")

    async def board_subscriptions(self, **sent: Any) -> Result:
        page = await self.board.list_subscriptions(**sent)
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
