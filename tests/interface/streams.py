"""Expected answers of the streams and the dashboard (interface 9.8, 10): one function per operation, with its name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unittest.mock import ANY

from tests.interface.discovery import opportunities
from tests.interface.lists import PAGE, THREAD_ORDERS
from tests.interface.model import Agent, Model, Post
from tests.interface.records import Record, agent_record, hidden_posts, notification_record, thread_record, whole_record

HOME_ACTIVITY = 20
HOME_RECOMMENDED = 5
HOME_ACTIONS = 6


@dataclass(frozen=True)
class Actions:
    """Equal to any permitted list of next actions; the board is free to choose among them.

    The most urgent come first. An answer is proposed only when there are `replies`, and only to one of them. No action
    concerns a post that is not `visible`.
    """

    replies: frozenset[int]
    visible: frozenset[int]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list):
            return False
        answered = {post for action in other if action["action"] == "answer_reply" for post in action["post_ids"]}
        priorities = [action["priority"] for action in other]
        return (
            len(other) <= HOME_ACTIONS
            and priorities == sorted(set(priorities))
            and answered <= self.replies
            and bool(answered) == bool(self.replies)
            and {post for action in other for post in action["post_ids"]} <= self.visible
        )

    __hash__ = None  # type: ignore[assignment]


def stream(found: Sequence[Post], after: int, limit: int, record: Callable[[Post], Record]) -> Record:
    """A page of a stream: the next one starts after its last item, or at the same cursor if it is empty."""
    items = [record(post) for post in found[:limit]]
    return {"items": items, "has_more": len(found) > limit, "next_after": items[-1]["id"] if items else after}


def list_activity(model: Model, after: int | None = None, limit: int = PAGE) -> Record:
    """All posts, with the hidden ones in their places; without `after`, the newest."""
    if after is None:
        after = max(len(model.posts) - limit, 0)
    return stream([post for post in model.posts if post.id > after], after, limit, whole_record)


def list_moderation(model: Model, after: int | None = None, limit: int = PAGE) -> Record:
    """The actions of operators, numbered from 1; without `after`, the newest ones."""
    if after is None:
        after = max(len(model.actions) - limit, 0)
    items = [action_record(number, *each) for number, each in enumerate(model.actions, 1)][after : after + limit]
    has_more = len(model.actions) > after + limit
    return {"items": items, "has_more": has_more, "next_after": items[-1]["id"] if items else after}


def action_record(number: int, action: str, on: Post | Agent) -> Record:
    return {
        "id": number,
        "action": action,
        "post_id": on.id if isinstance(on, Post) else None,
        "agent": on.name if isinstance(on, Agent) else None,
        "category": "other",
        "time": ANY,
    }


def newest_notifications(
    model: Model, agent: Agent, before: int | None = None, after: int = 0, limit: int = PAGE
) -> Record:
    """The newest notifications first, between two ids."""
    told = list_notifications(model, agent, after, len(model.posts) + 1)["items"][::-1]
    found = [each for each in told if before is None or each["id"] < before]
    items = found[:limit]
    next_before = items[-1]["id"] if items else before or 0
    return {"items": items, "has_more": len(found) > limit, "next_after": after, "next_before": next_before}


def list_notifications(model: Model, agent: Agent, after: int = 0, limit: int = PAGE) -> Record:
    found = [post for post in model.posts if post.id > after and post.visible and agent in post.notified]
    return stream(found, after, limit, lambda post: notification_record(post, post.notified[agent]))


def read_home(model: Model, agent: Agent, after: int = 0) -> Record:
    replies = list_notifications(model, agent, after, HOME_ACTIVITY)
    newest_agents = [other for other in reversed(model.listed_agents) if other is not agent]
    return {
        "after": after,
        "next_after": replies["next_after"] if replies["has_more"] else len(model.posts),
        "has_more": replies["has_more"],
        "account": account(model, agent),
        "activity": replies["items"],
        "unanswered": [thread_record(thread) for thread in unanswered(model, agent)[:HOME_RECOMMENDED]],
        "explore": [thread_record(thread) for thread in unexplored(model, agent)[:HOME_RECOMMENDED]],
        "new_agents": [agent_record(other) for other in newest_agents[:HOME_RECOMMENDED]],
        "next_actions": Actions(
            frozenset(reply["id"] for reply in replies["items"]),
            frozenset(post.id for post in model.posts if post.visible),
        ),
        "quick_links": ANY,
        "generated": ANY,
    }


VISITS = ("inbox,activity", "inbox", "activity", "unanswered", "explore", "new_agents")


def visit_home(model: Model, agent: Agent, parts: str) -> Record:
    """The chosen parts of the dashboard, of which every change and nothing else changes the tag."""
    whole = read_home(model, agent) | {"inbox": {"items": [], "has_more": False, "next_after": 0}}
    always = {"after": 0, "has_more": "activity" in parts and whole["has_more"], "account": whole["account"]}
    # without the replies, the cursor passes none of them
    moving = {"next_after": ANY if "activity" in parts else 0, "generated": ANY}
    return always | {part: whole[part] for part in parts.split(",")} | moving


def account(model: Model, agent: Agent) -> Record:
    shown = ("name", "created", "activity", "thread_count", "reply_count", "score")
    record = agent_record(agent)
    return {name: record[name] for name in shown} | {
        "hidden_posts": hidden_posts(agent),
        "posts_left_this_minute": model.posts_left(agent),
        "inbox_unacked": 0,
        "subscriptions": 0,
    }


def unanswered(model: Model, agent: Agent) -> list[Post]:
    """Open threads of other agents, first those that ask for one of the agent's capabilities."""
    others = [thread for thread in opportunities(model) if thread.author is not agent]
    return sorted(others, key=lambda thread: not any(thread.wants(tag) for tag in agent.capabilities))


def unexplored(model: Model, agent: Agent) -> list[Post]:
    """Threads of other agents, by hot, in which the agent has no post and on which it has no vote."""
    found = [
        thread
        for thread in model.visible_threads
        if agent not in (thread.author, *(reply.author for reply in thread.replies), *thread.votes)
    ]
    return sorted(found, key=THREAD_ORDERS["popular"], reverse=True)
