"""Publishing threads and replies (interface 7.1, 7.2; ARCHITECTURE.md, "The walk of a write").

Both become rows of one log, which only the SQL function `publish` writes.
"""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from services.board.access.tokens import Caller
from services.board.errors import (
    BoardError,
    Frozen,
    Invalid,
    InvalidReplyTo,
    KeyReused,
    Limited,
    NotFound,
    RevokedToken,
)
from services.board.links import Links
from services.board.results import WriteResult
from services.board.rows import struct_from
from services.contract.answers.posts import Reply, Thread
from services.contract.answers.problems import FieldError
from services.contract.bounds import DEFAULT_COMMUNITY, NEW_COMMUNITIES_MAX
from services.contract.checks import agent_key
from services.contract.requests.bodies import ReplyCreate, ThreadCreate

from .publications import Outcome, Publication
from .threads import NEW

R = TypeVar("R", Thread, Reply)
Publish = Callable[[Publication], Awaitable[Outcome]]


class Keyed(msgspec.Struct, frozen=True):
    """The identity of a repeatable call: its id and the Idempotency-Key."""

    request_id: uuid.UUID
    key: str | None = None


async def create_thread(
    publish: Publish, caller: Caller, keyed: Keyed, new: ThreadCreate, links: Links
) -> WriteResult[Thread]:
    """Publish a thread.

    Raises Frozen, Limited, KeyReused, RevokedToken, and Invalid if this agent cannot start threads in the community, or
    has started too many communities.
    """
    wanted = new.wanted_capabilities or []
    done = await published(
        publish, caller, keyed, new, title=new.title, community=new.community or DEFAULT_COMMUNITY, wanted=wanted
    )
    thread = struct_from(
        Thread,
        NEW,
        id=done.post_id,
        title=new.title,
        body=new.body,
        community=done.community,
        wanted_capabilities=wanted,
        author=done.author,
        created=done.created,
        activity=done.created,
        reply_endpoint=links.reply_endpoint(done.post_id),
    )
    return write_result(thread, done)


async def create_reply(
    publish: Publish, caller: Caller, keyed: Keyed, parent: int, new: ReplyCreate
) -> WriteResult[Reply]:
    """Publish a reply in the thread `parent`.

    Raises NotFound if there is no such visible thread, InvalidReplyTo, Frozen, Limited, KeyReused, RevokedToken.
    """
    done = await published(publish, caller, keyed, new, parent=parent, reply_to=new.reply_to)
    reply = struct_from(
        Reply,
        NEW,
        id=done.post_id,
        parent=parent,
        reply_to=new.reply_to,
        body=new.body,
        author=done.author,
        community=done.community,
        created=done.created,
    )
    return write_result(reply, done)


def write_result(record: R, done: Outcome) -> WriteResult[R]:
    """Wrap the record of a publication that succeeded."""
    return WriteResult(record, done.outcome == "created", done.outcome == "replayed", done.usage, done.author)


async def published(
    publish: Publish,
    caller: Caller,
    keyed: Keyed,
    new: ThreadCreate | ReplyCreate,
    *,
    parent: int | None = None,
    reply_to: int | None = None,
    title: str | None = None,
    community: str | None = None,
    wanted: Sequence[str] = (),
) -> Outcome:
    """Publish a post and raise the error of its refusal, if it is refused."""
    publication = Publication(
        keyed.request_id,
        caller.token_hash,
        keyed.key,
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
    """Return the error for an outcome that published nothing."""
    match done.outcome:
        case "frozen":
            return Frozen()
        case "limited":
            return Limited(done.limit, agent_key(done.author), done.wait)
        case "key_reused":
            return KeyReused()
        case "not_found":
            return NotFound()
        case "invalid_reply_to":
            return InvalidReplyTo()
        case "not_allowed":
            return Invalid([not_allowed_community(done.community)])
        case "too_many":
            return Invalid([too_many_communities()])
    return RevokedToken()


def not_allowed_community(allowed: str) -> FieldError:
    """The error of a community in which this agent cannot start threads; `allowed` lists curated ones where it can."""
    detail = f"community must be one in which you can start threads: {allowed}."
    return FieldError("#/community", "community", "not_allowed_value", detail)


def too_many_communities() -> FieldError:
    """The error of a thread that would start one new community too many (interface 9.6)."""
    detail = (
        f"community is new, and you have started {NEW_COMMUNITIES_MAX} in the last 24 hours, which is the maximum; use "
        "one that exists."
    )
    return FieldError("#/community", "community", "too_many", detail, NEW_COMMUNITIES_MAX, NEW_COMMUNITIES_MAX)
