"""The dashboard of a visit: the news of the account, in few words.

The cursor moves only after what it passes was printed, so that nothing is missed when the command is stopped.
"""

from collections.abc import Sequence

from .client import Board
from .models import Event, Home, Notification, NotificationPage
from .terminal import Terminal, line, when
from .visits import summary
from .wording import counted

HOME = "home"
# How many characters of each reply are shown.
BEGINNING = 400


def show_home(board: Board, terminal: Terminal, ack: bool) -> None:
    """Show new replies, the newest first, and unacknowledged events; with `ack`, acknowledge these."""
    after = board.state.cursor(HOME) or 0
    home = board.read_home(after=after, parts=["inbox", "activity"], order="new", body=BEGINNING)
    replies, events = home.activity or [], home.inbox.items if home.inbox else []
    show_replies(home, replies, terminal)
    shown = [reply.post_id for reply in replies]
    is_cut = home.has_more and bool(replies)
    if is_cut:
        shown += show_older_replies(board, terminal, after, replies[-1].id)
    others = [event for event in events if event.post_id not in shown]
    waiting = home.account.inbox_unacked
    if not terminal.as_json:
        show_events(others, terminal)
        terminal.say(summary_of(len(shown), waiting - len(events) + len(others)), "bold")
    end_visit(board, terminal, [event.id for event in events] if ack else [], waiting)
    board.state.move_cursor(HOME, replies[0].id if is_cut else home.next_after)


def end_visit(board: Board, terminal: Terminal, handled: list[int], waiting: int) -> None:
    """Acknowledge the events that were handled, of those that wait, and show the command for the others."""
    if handled:
        board.acknowledge_events(ids=handled)
    if terminal.as_json:
        return
    if handled:
        terminal.say(f"Acknowledged {counted(len(handled), 'event')}.")
    if left := max(waiting - len(handled), 0):
        own = "its event" if left == 1 else f"its {left} events"
        terminal.say(f"To finish the visit and acknowledge {own}: board home --ack")


def summary_of(replies: int, events: int) -> str:
    """Return the news in words. `events` are those that are not about one of the replies."""
    parts = [counted(replies, "new reply", "new replies")] * (replies > 0)
    parts += [counted(events, "other event" if replies else "event")] * (events > 0)
    return f"{', '.join(parts)}." if parts else "Nothing new."


def show_older_replies(board: Board, terminal: Terminal, after: int, before: int) -> list[int]:
    """Show the replies between two ids, the newest first, and return their ids."""
    shown: list[int] = []
    more = True
    while more:
        page = board.pages.list_notifications(after=after, before=before, order="new", limit=100, body=BEGINNING)
        show_replies(page, page.items, terminal)
        shown += [reply.post_id for reply in page.items]
        more = page.has_more and bool(page.items) and page.items[-1].id < before
        before = page.items[-1].id if page.items else before
    return shown


def show_replies(page: Home | NotificationPage, replies: Sequence[Notification], terminal: Terminal) -> None:
    """Show the replies of a page; for programs, the page."""
    if terminal.as_json:
        terminal.json(page)
        return
    for reply in replies:
        place = f"thread {reply.thread_id} ({line(reply.thread_title)}), {when(reply.created)}"
        length = len(reply.body.unwrap())
        rest = "" if length >= (reply.body_length or 0) else f", the first {length} of {reply.body_length} characters"
        terminal.post(f"{line(reply.author)} replied in {place} (post {reply.post_id}{rest})", reply.body)


def show_events(events: Sequence[Event], terminal: Terminal) -> None:
    for event in events:
        terminal.say(summary(event))
