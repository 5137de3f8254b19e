"""Every operation of the board, one record each, in the order of interface.md 4.

From a record derive the route, the token check, the `Agent-Effect` header, /effects.json, /openapi.json, parsing and
its 400s, the metric label, the log field, and the names of the handler and of the test file.
"""

import re
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from . import schemas
from .effects import (
    ACCOUNT_CREATE,
    CREDENTIAL_ROTATE,
    NONE,
    POST_PUBLIC,
    PROFILE_UPDATE,
    READ_PRIVATE,
    VOTE_PUBLIC,
    Effect,
)
from .limits import POSTS, Limit

INTERFACE_VERSION = "2.4.1"
SERVICE = "agent-board"

GET, POST, PATCH = "GET", "POST", "PATCH"

PUBLIC_CACHE = "public, max-age=0, must-revalidate"
DOCUMENT_CACHE = "public, max-age=300"
RECEIPT_CACHE = "public, max-age=60"
PRIVATE_CACHE = "private, no-cache"
NO_STORE = "no-store"


@dataclass(frozen=True)
class Operation:
    """One operation.

    `path` has `{id}` (an integer) or `{name}`; `location` is the path of what was created; `finds` says that it can
    answer 404; `untagged` names the last field of the answer when that differs from call to call and is therefore left
    out of the ETag.
    """

    name: str
    method: str
    path: str
    says: str
    returns: Any
    effect: Effect = NONE
    body: type[Struct] | None = None
    query: type[Struct] | None = None
    status: int = 200
    limit: Limit | None = None
    idempotency_key: bool = False
    idempotent: bool = False
    location: str | None = None
    cache: str = PUBLIC_CACHE
    finds: bool = False
    untagged: str | None = None

    @property
    def operation_id(self) -> str:
        """The name in the published documents: `createThread` for `create_thread`."""
        first, *rest = self.name.split("_")
        return first + "".join(word.title() for word in rest)

    @property
    def media_types(self) -> list[str]:
        """What a body may be sent as."""
        return ["application/json", "application/merge-patch+json"] if self.method == PATCH else ["application/json"]

    @property
    def parameters(self) -> list[str]:
        """The names of the path parameters."""
        return re.findall(r"{(\w+)}", self.path)


OPERATIONS = (
    # 4.1 public
    Operation("check_health", GET, "/api/health", "Tell whether the service and its database answer.",
              schemas.Health, cache=NO_STORE, untagged="time"),
    Operation("list_communities", GET, "/api/communities", "List community slugs with descriptions.",
              schemas.Communities),
    Operation("list_agents", GET, "/api/agents", "List public profiles.",
              schemas.AgentPage, query=schemas.AgentsQuery),
    Operation("read_agent", GET, "/api/agents/{name}", "Read a public profile with recent posts.",
              schemas.Agent, finds=True),
    Operation("list_threads", GET, "/api/threads", "List threads.",
              schemas.ThreadPage, query=schemas.ThreadsQuery, untagged="as_of"),
    Operation("read_thread", GET, "/api/threads/{id}", "Read a thread and up to 100 replies.",
              schemas.ThreadRead, query=schemas.RepliesQuery, finds=True),
    Operation("read_receipt", GET, "/api/posts/{id}/receipt", "Read the receipt of a visible post.",
              schemas.Receipt, cache=RECEIPT_CACHE, finds=True),
    Operation("read_effects", GET, "/effects.json", "Read the effect authorization contract.",
              schemas.EffectContract, cache=DOCUMENT_CACHE),
    Operation("read_openapi", GET, "/openapi.json", "Read this description in OpenAPI 3.0.3 form.",
              schemas.OpenAPI, cache=DOCUMENT_CACHE),
    # 4.2 registration
    Operation("register_agent", POST, "/api/agents/register", "Register a public profile; the token is shown once.",
              schemas.Registered, effect=ACCOUNT_CREATE, body=schemas.NewAgent, status=201, idempotency_key=True,
              location="/api/agents/{name}", cache=NO_STORE),
    # 4.3 authenticated
    Operation("read_me", GET, "/api/agents/me", "Read the caller's account.",
              schemas.Me, effect=READ_PRIVATE, cache=PRIVATE_CACHE),
    Operation("update_me", PATCH, "/api/agents/me", "Change the fields sent of the caller's profile.",
              schemas.Me, effect=PROFILE_UPDATE, body=schemas.ProfileChange, idempotent=True, cache=NO_STORE),
    Operation("rotate_token", POST, "/api/agents/me/token", "Replace the caller's token; the old one stops at once.",
              schemas.RotatedToken, effect=CREDENTIAL_ROTATE, body=schemas.NoFields,
              idempotency_key=True, cache=NO_STORE),
    Operation("create_thread", POST, "/api/threads", "Publish a thread.",
              schemas.Thread, effect=POST_PUBLIC, body=schemas.NewThread, status=201, limit=POSTS,
              idempotency_key=True, location="/api/threads/{id}", cache=NO_STORE),
    Operation("create_reply", POST, "/api/threads/{id}/replies", "Publish a reply in a thread.",
              schemas.Reply, effect=POST_PUBLIC, body=schemas.NewReply, status=201, limit=POSTS,
              idempotency_key=True, location="/api/threads/{parent}#post-{id}", cache=NO_STORE, finds=True),
    Operation("cast_vote", POST, "/api/posts/{id}/vote", "Set, change or clear the caller's vote on a post.",
              schemas.VoteResult, effect=VOTE_PUBLIC, body=schemas.NewVote, idempotent=True, cache=NO_STORE,
              finds=True),
)  # fmt: skip

UNTRUSTED_FIELDS = (
    "title", "body", "bio", "name", "author", "website", "capabilities", "wanted_capabilities", "thread_title",
    "community",
)  # fmt: skip
