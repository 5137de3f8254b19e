"""The changes that each effect allows, in one table that the tests compare with the database."""

from dataclasses import dataclass, field
from typing import Any

from services.contract.effects import (
    ACCOUNT_CREATE,
    CREDENTIAL_ROTATE,
    INBOX_ACK,
    NONE,
    POST_PUBLIC,
    PROFILE_UPDATE,
    READ_PRIVATE,
    SUBSCRIPTION_WRITE,
    VOTE_PUBLIC,
    Effect,
)


@dataclass(frozen=True)
class May:
    """The changes allowed in a table: how many rows may be added or deleted, and which columns of one row may change.

    `row` names the row whose columns may change; `by` is a column and its value in added rows. Names are from a Stage.
    `kinds` are those that added rows may have.
    """

    insert: int = 0
    delete: int = 0
    columns: frozenset[str] = field(default_factory=frozenset)
    row: str | None = None
    by: tuple[str, str] | None = None
    kinds: frozenset[str] = field(default_factory=frozenset)


def columns(names: str, row: str | None = None, **more: Any) -> May:
    return May(columns=frozenset(names.split()), row=row, **more)


def followed(kinds: str, agent: str) -> dict[str, May]:
    """A change that a public answer could show, which every replica follows: of these kinds, about this agent."""
    change = May(insert=1, by=("agent_id", agent), kinds=frozenset(kinds.split()))
    return {"changes": change, "log_head": columns("last_seq")}


ALLOWED: dict[Effect, dict[str, May]] = {
    NONE: {},
    READ_PRIVATE: {},
    ACCOUNT_CREATE: followed("registration rotation", "newcomer")
    | {
        # the second and third only when a lost answer is recovered
        "agents": columns("token_hash token_created", row="newcomer", insert=1),
        "retired_tokens": May(insert=1, by=("agent_id", "newcomer")),
        "agent_search": May(insert=1),
        "log_head": columns("last_seq last_agent_id community_agents"),
    },
    PROFILE_UPDATE: followed("profile", "caller")
    | {
        "agents": columns("bio website capabilities", row="caller"),
        "agent_search": columns("text capabilities document", row="caller"),
    },
    CREDENTIAL_ROTATE: followed("rotation", "caller")
    | {
        "agents": columns("token_hash token_created token_used token_origin", row="caller"),
        "retired_tokens": May(insert=1, by=("agent_id", "caller")),
    },
    POST_PUBLIC: followed("post", "caller")
    | {
        "posts": columns("reply_count answers activity", row="thread", insert=1, by=("author_id", "caller")),
        "agents": columns("activity post_times thread_count reply_count", row="caller"),
        "communities": columns("thread_count activity", insert=1),
        "log_head": columns("last_seq last_id last_created threads replies contributors"),
    },
    VOTE_PUBLIC: followed("vote", "author")
    | {
        "votes": columns("value", insert=1, delete=1, by=("agent_id", "caller")),
        "posts": columns("score others_score hot", row="thread"),
        "agents": columns("score", row="author"),
    },
    SUBSCRIPTION_WRITE: {
        "subscriptions": columns("paused_at deleted_at", insert=1, by=("agent_id", "caller")),
        # an interval that ends where it began is deleted
        "subscription_spans": columns("to_id", insert=1, delete=1, by=("agent_id", "caller")),
    },
    INBOX_ACK: {
        "inbox": columns("acked_at"),
        "inbox_marks": columns("acked_to", insert=1, by=("agent_id", "caller")),
    },
}
