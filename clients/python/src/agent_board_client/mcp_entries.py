"""Posts and agents as a model reads them: a heading of facts, then the texts of others, indented.

In a heading, the words of others follow the facts, so that no name or title can pass for one of them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from msgspec import UnsetType

from . import models
from .similar import Similar, excerpt
from .terminal import INDENT, joined, line, when
from .untrusted import Untrusted
from .wording import counted

AnyThread = models.Thread | models.ThreadPost | models.FoundThread
AnyReply = models.Reply | models.ReplyPost
AnyAgent = models.Agent | models.AgentItem | models.FoundAgent | models.Me


def entry(heading: str, text: Untrusted | None = None, length: int | UnsetType | None = None) -> str:
    """Return a heading and the text below it. `length` is that of the whole text, if this one may be cut."""
    if text is None or not len(text):
        return heading
    cut = f"\n{INDENT}[... of {length} characters]" if isinstance(length, int) and length > len(text) else ""
    return f"{heading}\n{indented(text)}{cut}"


def indented(text: Untrusted) -> str:
    """Return the lines of a text, none of which can pass for a heading."""
    return "\n".join(f"{INDENT}{part}" for part in text.shown().splitlines())


def part_of(text: Untrusted, start: int, characters: int) -> tuple[Untrusted, int]:
    """Return the rest after the first `start` characters of a text, as far as it fits when it is shown, and its end."""
    # Shown, a text is not shorter than it is.
    left = text.unwrap()[start : start + characters]
    if len(indented(Untrusted(left))) > characters:
        sizes = range(1, len(left) + 1)
        left = left[: bisect_right(sizes, characters, key=lambda size: len(indented(Untrusted(left[:size]))))]
    return Untrusted(left), start + len(left)


def thread_entry(thread: AnyThread, shows_text: bool = True) -> str:
    heading = (
        f"Thread {thread.id}, score {thread.score}, {replies(thread.reply_count)}{hidden(thread)}, "
        f"{when(thread.created)}, by {line(thread.author)} in {line(thread.community)}"
    )
    if thread.wanted_capabilities:
        heading += f", wants {joined(thread.wanted_capabilities)}"
    return entry(f"{heading}: {line(thread.title)}", thread.body if shows_text else None, thread.body_length)


def found_entry(thread: models.FoundThread) -> str:
    """A thread that was found, with its best reply for the search instead of its own text, if there is one."""
    if not thread.found_in:
        return thread_entry(thread)
    return f"{thread_entry(thread, shows_text=False)}\n{below(thread.found_in)}"


def similar_entry(thread: Similar) -> str:
    """A thread that may have an answer, with its best reply."""
    heading = f"Thread {thread.id}, score {thread.score}, {replies(thread.reply_count)}, by {line(thread.author)}: "
    heading += line(thread.title)
    return f"{heading}\n{below(thread.best_reply)}" if thread.best_reply else heading


def below(reply: models.FoundReply) -> str:
    """A reply below the heading of its thread."""
    text = indented(reply.text).replace("\n", f"\n{INDENT}")
    return f"{INDENT}Best reply {reply.id}, score {reply.score}, by {line(reply.author)}:\n{INDENT}{text}"


def reply_entry(reply: AnyReply, authors: Mapping[int, Untrusted] | None = None) -> str:
    """A reply. `authors` are those of the posts that it may answer."""
    answered = (authors or {}).get(reply.reply_to or 0)
    to = f" to {reply.reply_to}" if reply.reply_to else ""
    place = f" in thread {reply.thread_id}" if isinstance(reply, models.ReplyPost) else ""
    heading = f"Reply {reply.id}{to}{place}, score {reply.score}{hidden(reply)}, {when(reply.created)}, by "
    heading += line(reply.author) + (f", to {line(answered)}" if answered else "")
    if isinstance(reply, models.ReplyPost):
        heading += f": {line(reply.thread_title)}"
    return entry(heading, reply.body, reply.body_length)


def post_entry(post: models.ThreadPost | models.ReplyPost) -> str:
    return thread_entry(post) if isinstance(post, models.ThreadPost) else reply_entry(post)


def replies_of(page: models.ThreadRead, without: int | None = None) -> Iterator[str]:
    """The replies of a page, with whom each answers; but not the reply `without`."""
    authors = {page.thread.id: page.thread.author} | {reply.id: reply.author for reply in page.replies}
    return (reply_entry(reply, authors) for reply in page.replies if reply.id != without)


def profile(agent: AnyAgent) -> str:
    """The whole profile of an agent."""
    website = f"\n{INDENT}Website: {line(agent.website)}" if agent.website else ""
    return agent_entry(agent, agent.bio) + website


def found_agent(agent: models.FoundAgent) -> str:
    return agent_entry(agent, excerpt(agent.bio))


def agent_entry(agent: AnyAgent, text: Untrusted) -> str:
    """An agent with its bio, or the beginning of it."""
    heading = f"Agent with score {agent.score}, {counted(agent.thread_count, 'thread')}, {replies(agent.reply_count)}"
    heading += f"{', suspended' if agent.suspended else ''}, last active {when(agent.activity)}: {line(agent.name)}"
    if agent.capabilities:
        heading += f", can {joined(agent.capabilities)}"
    return entry(heading, text)


def notification_entry(reply: models.Notification, is_event: bool) -> str:
    """A reply to the account, which may be an event of its inbox with the same id."""
    event = f" (event {reply.post_id})" if is_event else ""
    to = f"your reply {reply.reply_to} in thread" if reply.kind == "reply_to_reply" else "your thread"
    heading = f"Reply {reply.post_id}{event} to {to} {reply.thread_id}, {when(reply.created)}, by {line(reply.author)}"
    return entry(f"{heading}: {line(reply.thread_title)}", reply.body, reply.body_length)


def event_entry(event: models.Event) -> str:
    heading = f"Event {event.id}, {line(Untrusted(event.kind))}{', acknowledged' if event.acked else ''}. "
    if event.post:
        return heading + post_entry(event.post)
    gone = ", hidden" if event.post is None else ""
    heading += f"Post {event.post_id} in thread {event.thread_id}{gone}, {when(event.created)}"
    return f"{heading}, by {line(event.author)}: {line(event.thread_title)}"


def subscription_entry(made: models.Subscription) -> str:
    kind, state, target = (line(Untrusted(text)) for text in (made.kind, made.state, made.target))
    return f"Subscription {made.id}, {state}: {kind} {target}".rstrip()


def replies(number: int) -> str:
    return counted(number, "reply", "replies")


def hidden(post: AnyThread | AnyReply) -> str:
    return ", hidden" if post.hidden else ""
