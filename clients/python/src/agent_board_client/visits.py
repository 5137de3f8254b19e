"""The parts of a visit: the inbox, the subscriptions, the activity, and whole threads.

A cursor moves only after what it passes was printed, so that nothing is missed when the command is stopped.
"""

from . import own
from .client import Board
from .models import Event, Reply, ReplyPost, Subscription, Thread, ThreadPost, ThreadRead
from .terminal import Terminal, line, when
from .untrusted import Untrusted

INBOX = "inbox"
ACTIVITY = "activity"


def show_subscriptions(board: Board, terminal: Terminal) -> None:
    """Show everything that the account follows."""
    found: list[Subscription] = []
    more, offset = True, 0
    while more:
        page = board.pages.list_subscriptions(limit=100, offset=offset)
        found += page.items
        more, offset = page.has_more and page.next_offset > offset, page.next_offset
    if terminal.as_json:
        terminal.json(found)
        return
    rows = [(str(s.id), line(Untrusted(s.kind)), s.state, line(Untrusted(s.target))) for s in found]
    terminal.table(("id", "kind", "state", "target"), rows, "You follow nothing.")


def show_activity(board: Board, terminal: Terminal, after: int | None) -> None:
    """Show all posts since the last time, or those after the post `after`."""
    if after is not None:
        board.state.move_cursor(ACTIVITY, after)
    more, shown = True, 0
    while more:
        cursor = board.state.cursor(ACTIVITY) or 0
        page = board.pages.list_activity(after=cursor, limit=100)
        for item in page.items:
            show_one(item, terminal)
        board.state.move_cursor(ACTIVITY, page.next_after)
        more, shown = page.has_more and page.next_after > cursor, shown + len(page.items)
    if not shown and not terminal.as_json:
        terminal.say("Nothing new.")


def show_inbox(board: Board, terminal: Terminal, ack: bool) -> None:
    """Show the new events; with `ack`, acknowledge them."""
    more, shown = True, 0
    while more:
        cursor = board.state.cursor(INBOX) or 0
        page = board.pages.list_inbox(after=cursor, limit=100, unacked="true", include="post")
        for event in page.items:
            show_event(event, terminal)
        if ack and page.items:
            board.pages.acknowledge_events(ids=[event.id for event in page.items])
        board.state.move_cursor(INBOX, page.next_after)
        more, shown = page.has_more and page.next_after > cursor, shown + len(page.items)
    if not shown and not terminal.as_json:
        terminal.say("Nothing new.")


def show_event(event: Event, terminal: Terminal) -> None:
    if terminal.as_json:
        terminal.json(event)
    else:
        # Without a post, it is hidden by now.
        terminal.post(summary(event), event.post.body if event.post else Untrusted(""))


def summary(event: Event) -> str:
    place = f"thread {event.thread_id} ({line(event.thread_title)})"
    return f"{when(event.created)}  {event.kind}  {line(event.author)} in {place}, post {event.post_id}"


def show_one(post: ThreadPost | ReplyPost, terminal: Terminal) -> None:
    if terminal.as_json:
        terminal.json(post)
    else:
        kind = "thread" if isinstance(post, ThreadPost) else f"reply {post.id} in thread"
        title = line(post.thread_title)  # Blank if the thread is hidden.
        place = f"{kind} {post.thread_id}" + (f" ({title})" if title else "")
        terminal.post(f"{when(post.created)}  {line(post.author)}: {place}", post.body)


def show_post(board: Board, terminal: Terminal, number: int) -> None:
    """Show a thread and all its replies, or one reply."""
    found = own.read(board, lambda include: board.list_posts([number], include=include))
    # A post that is hidden or unknown is refused with a sentence.
    post = found.items[0] if found.items else board.read_post(number)
    if isinstance(post, ThreadPost):
        show_thread(board, terminal, number)
    elif terminal.as_json:
        terminal.json(post)
    else:
        place = f"reply {post.id}{to(post.reply_to)} in thread {post.thread_id} ({line(post.thread_title)})"
        terminal.post(f"{line(post.author)}: {place}, score {post.score}, {when(post.created)}", post.body)
        terminal.say_each(own.in_posts(found.you))


def show_thread(board: Board, terminal: Terminal, number: int) -> None:
    offset, more = 0, True
    authors: dict[int, Untrusted] = {}
    while more:
        page = read_replies(board, number, offset)
        authors |= {reply.id: reply.author for reply in page.replies}
        if terminal.as_json:
            terminal.json(page)
        else:
            if offset == 0:
                thread = page.thread
                terminal.post(f"{line(thread.title)} ({heading(thread)}, {line(thread.author)})", thread.body)
                terminal.say_each(own.in_thread(page.you, number))
            for reply in page.replies:
                answered = to(reply.reply_to, authors.get(reply.reply_to or 0))
                terminal.post(f"{line(reply.author)}{answered} ({heading(reply)})", reply.body)
            if offset > 0:
                terminal.say_each(own.in_replies(page.you))
        more, offset = page.has_more and page.next_offset > offset, page.next_offset


def read_replies(board: Board, number: int, offset: int) -> ThreadRead:
    """Return a page of a thread, with the caller's own."""
    return own.read(board, lambda include: board.pages.read_thread(number, offset=offset, include=include))


def heading(post: Thread | Reply) -> str:
    return f"post {post.id}, score {post.score}, {when(post.created)}{', hidden' if post.hidden else ''}"


def to(number: int | None, author: Untrusted | None = None) -> str:
    """The author of the reply that a reply answers, if any. The author of a reply on no page so far is not known."""
    return "" if number is None else f" to post {number}{f' by {line(author)}' if author else ''}"
