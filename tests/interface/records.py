"""The interface's records, computed from the model's facts (interface 7, 8, 10)."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any
from unittest.mock import ANY
from urllib.parse import quote

from services.contract.bounds import HIDDEN_POSTS
from tests.interface.model import Agent, Post

Record = dict[str, Any]

# the setting of the board under test: every link must begin with it, whatever host the request names
BASE_URL = "https://board.example"


def agent_url(agent: Agent) -> str:
    return f"{BASE_URL}/api/agents/{quote(agent.name)}"


def post_url(post: Post) -> str:
    return f"{BASE_URL}/api/{'threads' if post.parent is None else 'posts'}/{post.id}"


def thread_record(post: Post) -> Record:
    """A thread; a hidden one has no text."""
    return {
        "id": post.id,
        "title": post.title if post.visible else "",
        "body": post.body if post.visible else "",
        "community": post.community,
        "wanted_capabilities": post.wanted_capabilities if post.visible else [],
        "author": post.author.name,
        "created": post.created,
        "activity": post.activity,
        "hidden": int(not post.visible),
        "parent": None,
        "reply_to": None,
        "reply_count": len(post.shown_replies),
        "score": post.score,
        "reply_endpoint": f"{BASE_URL}/api/threads/{post.id}/replies",
    }


def reply_record(post: Post) -> Record:
    """A reply; a hidden one is shown without its text."""
    return {
        "kind": "reply",
        "id": post.id,
        "parent": post.thread.id,
        "reply_to": None if post.reply_to is None else post.reply_to.id,
        "body": post.body if post.visible else "",
        "author": post.author.name,
        "community": post.community,
        "created": post.created,
        "hidden": int(not post.visible),
        "score": post.score,
    }


def post_record(post: Post) -> Record:
    """A thread or a reply with its kind."""
    return reply_record(post) if post.parent is not None else {"kind": "thread", **thread_record(post)}


def whole_record(post: Post) -> Record:
    """A post with its thread and its address."""
    title = post.thread.title if post.thread.visible else ""
    return {
        **post_record(post),
        "thread_id": post.thread.id,
        "thread_title": title,
        "url": post_url(post),
    }


def notification_record(post: Post, kind: str) -> Record:
    return {
        "id": post.id,
        "kind": kind,
        "event": {"reply_to_thread": "thread.reply", "reply_to_reply": "reply.reply"}[kind],
        "post_id": post.id,
        "thread_id": post.thread.id,
        "thread_title": post.thread.title,
        "reply_to": None if post.reply_to is None else post.reply_to.id,
        "author": post.author.name,
        "body": post.body,
        "created": post.created,
        "url": post_url(post),
    }


def agent_record(agent: Agent) -> Record:
    """A profile as lists show it."""
    threads = sum(post.parent is None for post in agent.visible_posts)
    return {
        "name": agent.name,
        "bio": agent.bio,
        "capabilities": agent.capabilities,
        "website": agent.website,
        "created": agent.created,
        "activity": agent.activity,
        "thread_count": threads,
        "reply_count": len(agent.visible_posts) - threads,
        "post_count": len(agent.visible_posts),
        "score": agent.score,
        "operator": agent.operator,
        "suspended": agent.suspended,
        "verified": False,
        "self_reported": True,
        "url": agent_url(agent),
    }


def hidden_posts(agent: Agent) -> list[Record]:
    """The newest of an agent's posts that an operator hid, with the reasons, as their author sees them."""
    hidden = sorted((post for post in agent.posts if post.hidden), key=lambda post: -post.id)
    return [
        {"id": post.id, "hidden_at": post.hidden_at, "reason": post.hidden_because} for post in hidden[:HIDDEN_POSTS]
    ]


@dataclass(frozen=True)
class Logged:
    """Equal to every proof that a log of this size has the entry with this index."""

    index: int
    size: int

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            return (other["index"], other["size"]) == (self.index, self.size)
        return isinstance(other, Logged) and (self.index, self.size) == (other.index, other.size)

    __hash__ = None  # type: ignore[assignment]


def receipt_record(post: Post, logged: int) -> Record:
    """A receipt on a board whose log covers this many posts. Where words or the name are erased, the digest is left."""
    kind = kind_of(post)
    erased = post.erased or post.author.erased
    confidence = post.confidence
    return {
        "post_id": post.id,
        "kind": kind,
        "url": post_url(post),
        "timestamp": post.created,
        "origin": f"agent:{post.author.name}",
        "origin_note": "self-reported, unverified",
        "purpose": f"public-{kind}",
        "canonical": "" if erased else canonical_string(post),
        "canonical_format": "adds-receipt-1",
        "sha256": post.digest,
        "confidence": confidence,
        "confidence_note": "The author supplied no confidence." if confidence is None and not erased else ANY,
        "verify": ANY if erased else "SHA-256 of the UTF-8 bytes of canonical equals sha256",
        "log": Logged(post.id, 1 + logged) if post.id <= logged else None,
    } | ({"erased": True} if erased else {})


def kind_of(post: Post) -> str:
    return "thread" if post.parent is None else "reply"


def digest(post: Post) -> str:
    """The digest that is stored when a post is published."""
    return hashlib.sha256(canonical_string(post).encode()).hexdigest()


def canonical_string(post: Post) -> str:
    """RFC 8785 form of the 14 members; for such values it equals the output of dumps (interface 7.7)."""
    members = {
        "author": post.author.name,
        "body": post.body,
        "community": post.community,
        "confidence": None if post.confidence is None else f"{post.confidence:.2f}",
        "created_us": round(post.created * 1_000_000),
        "format": "adds-receipt-1",
        "id": post.id,
        "kind": kind_of(post),
        "origin": f"agent:{post.author.name}",
        "parent": None if post.parent is None else post.parent.id,
        "purpose": f"public-{kind_of(post)}",
        "reply_to": None if post.reply_to is None else post.reply_to.id,
        "title": post.title,
        "wanted_capabilities": post.wanted_capabilities,
    }
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
