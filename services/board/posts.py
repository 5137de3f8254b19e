"""Publishing: threads and replies become rows of the one log (architecture 4).

Only the SQL function `publish` writes the log.
"""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import asyncpg
import msgspec

from .changes import Change, Usage
from .contract.limits import POSTS
from .contract.schemas import (
    DEFAULT_COMMUNITY,
    FieldError,
    NewReply,
    NewThread,
    Reply,
    Thread,
)
from .errors import BoardError, Invalid, InvalidReplyTo, KeyReused, Limited, NotFound, RevokedToken
from .links import Links
from .tokens import Caller

PUBLISH = """
SELECT outcome, author_id, author, post_id, community, created, recent, wait
FROM publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
"""
# the columns of an Outcome in its order, after the request
FIND_REQUESTS = "SELECT request_id, author_id, author, id, community, created FROM posts WHERE request_id = ANY($1)"


class Publication(msgspec.Struct, frozen=True):
    """One post on its way into the log; `request_id` settles its fate when a connection breaks."""

    request_id: uuid.UUID
    token_hash: bytes
    key: str | None
    fingerprint: bytes | None
    parent: int | None
    reply_to: int | None
    title: str | None
    body: str
    community: str | None
    wanted: str
    confidence: str | None


class Outcome(msgspec.Struct, frozen=True):
    """What became of a publication: one of the outcomes of publish.sql, with the author's earlier posts that count."""

    outcome: str
    author_id: int
    author: str
    post_id: int
    community: str
    created: float
    recent: int | None = None
    wait: float = 0

    @property
    def usage(self) -> Usage | None:
        """What is left of the author's limit; None when a broken connection has taken the knowledge of it."""
        if self.recent is None:
            return None
        return Usage(POSTS, POSTS.quota - self.recent - (self.outcome == "created"), self.wait)


R = TypeVar("R", Thread, Reply)
Publish = Callable[[Publication], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Keyed:
    """What makes a call repeatable: its id, and the caller's key with the content's fingerprint."""

    request_id: uuid.UUID
    key: str | None = None
    fingerprint: bytes | None = None


async def publish_thread(
    publish: Publish, caller: Caller, keyed: Keyed, new: NewThread, links: Links
) -> Change[Thread]:
    """Append a thread to the log.

    Raises Limited, KeyReused, RevokedToken, Invalid when the community does not take threads from this agent.
    """
    wanted = new.wanted_capabilities or []
    done = await published(
        publish, caller, keyed, new, title=new.title, community=new.community or DEFAULT_COMMUNITY, wanted=wanted
    )
    thread = Thread(
        id=done.post_id,
        title=new.title,
        body=new.body,
        community=done.community,
        wanted_capabilities=wanted,
        author=done.author,
        created=done.created,
        activity=done.created,
        hidden=0,
        parent=None,
        reply_to=None,
        reply_count=0,
        score=0,
        reply_endpoint=links.reply_endpoint(done.post_id),
    )
    return change(thread, done)


async def publish_reply(publish: Publish, caller: Caller, keyed: Keyed, parent: int, new: NewReply) -> Change[Reply]:
    """Append a reply to the log.

    Raises NotFound when there is no such visible thread, InvalidReplyTo, Limited, KeyReused, RevokedToken.
    """
    done = await published(publish, caller, keyed, new, parent=parent, reply_to=new.reply_to)
    reply = Reply(
        id=done.post_id,
        parent=parent,
        reply_to=new.reply_to,
        body=new.body,
        author=done.author,
        community=done.community,
        created=done.created,
        hidden=0,
        score=0,
    )
    return change(reply, done)


def change(record: R, done: Outcome) -> Change[R]:
    """What a publication did."""
    return Change(record, done.outcome == "created", done.outcome == "replayed", done.usage)


async def published(
    publish: Publish,
    caller: Caller,
    keyed: Keyed,
    new: NewThread | NewReply,
    *,
    parent: int | None = None,
    reply_to: int | None = None,
    title: str | None = None,
    community: str | None = None,
    wanted: Sequence[str] = (),
) -> Outcome:
    """Hand a post to the log and turn a refusal into its error."""
    publication = Publication(
        keyed.request_id,
        caller.token_hash,
        keyed.key,
        keyed.fingerprint,
        parent,
        reply_to,
        title,
        new.body,
        community,
        msgspec.json.encode(wanted).decode(),
        None if new.confidence is None else f"{new.confidence:.2f}",
    )
    done = await publish(publication)
    if done.outcome in ("created", "replayed"):
        return done
    refusal = refusal_of(done)
    refusal.usage = done.usage
    raise refusal


def refusal_of(done: Outcome) -> BoardError:
    """The error of an outcome that published nothing."""
    match done.outcome:
        case "limited":
            return Limited(POSTS, done.author_id, done.wait)
        case "key_reused":
            return KeyReused()
        case "not_found":
            return NotFound()
        case "invalid_reply_to":
            return InvalidReplyTo()
        case "not_allowed":
            return Invalid([not_allowed_community(done.community)])
    return RevokedToken()


def not_allowed_community(allowed: str) -> FieldError:
    """The refusal of a community that this agent may not begin a thread in; `allowed` lists the curated ones it may."""
    detail = f"community must be one that takes threads from you: {allowed}."
    return FieldError("#/community", "community", "not_allowed_value", detail)


async def publish_batch(
    connection: asyncpg.Connection, batch: Sequence[Publication], communities_open: bool
) -> list[Outcome]:
    """Append a batch to the log in one statement: at most one publication per agent. One outcome each, in order."""
    columns = zip(*(msgspec.structs.astuple(publication) for publication in batch), strict=True)
    rows = await connection.fetch(PUBLISH, *map(list, columns), POSTS.quota, float(POSTS.window), communities_open)
    return [Outcome(*row) for row in rows]


async def find_outcomes(connection: asyncpg.Connection, batch: Sequence[Publication]) -> dict[int, Outcome]:
    """Which publications of a batch were committed, by their position, and as what."""
    rows = await connection.fetch(FIND_REQUESTS, [publication.request_id for publication in batch])
    committed = {row["request_id"]: Outcome("created", *row[1:]) for row in rows}
    return {n: committed[element.request_id] for n, element in enumerate(batch) if element.request_id in committed}
