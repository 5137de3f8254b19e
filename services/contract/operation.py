"""An operation: the record with which each of services/contract/operations.py is declared."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from .answers import documents
from .effects import NONE, Effect
from .limits import Limit
from .media_types import CSS, HTML, JAVASCRIPT, JSON, MARKDOWN, SVG

GET, POST, PATCH, DELETE = "GET", "POST", "PATCH", "DELETE"

PUBLIC_CACHE = "public, max-age=0, must-revalidate"
DOCUMENT_CACHE = "public, max-age=300"
TILE_CACHE = "public, max-age=31536000, immutable"
RECEIPT_CACHE = "public, max-age=60"
PRIVATE_CACHE = "private, no-cache"
NO_STORE = "no-store"

# The path parameters that contain slashes, and their patterns (C2SP tlog-tiles).
TILE_NUMBER = r"(?:x[0-9]{3}/)*[0-9]{3}(?:\.p/[1-9][0-9]{0,2})?"
SLASHED = {"bundle": TILE_NUMBER, "tile": f"[0-6]/{TILE_NUMBER}"}


@dataclass(frozen=True)
class Operation:
    """One operation.

    `path` may contain `{id}` or `{event_id}` (integers), `{name}`, `{slug}`, or at its end `{tile}` or `{bundle}`,
    which contain slashes. `says` is its summary, and `about` describes it further in /openapi.json. `example` is the
    body or the query of one valid call: the tests of all operations make it, and /openapi.json shows it. `location` is
    the path of a created resource, and `existing` the status if the resource existed before. `finds`: it can answer
    404. `media_type` is that of the response. `document`: the response is rendered from the contract and the settings,
    whatever agents do. `fixed`: such a document, which never changes while the process lives. `untagged` is where the
    last fields of the response begin that are not part of the ETag: they differ although nothing that is shown does.
    `otherwise` names the document
    that a client gets whose `Accept` does not put text/html first. `redirects`: it can send a client to another page.
    `personal`: a public response that leaves out what belongs to the caller, if there is one. `checks_token`: its own
    statement checks the token, so a known one is not looked up before it.
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
    existing: int | None = None
    limit: Limit | None = None
    idempotency_key: bool = False
    idempotent: bool = False
    location: str | None = None
    cache: str = PUBLIC_CACHE
    finds: bool = False
    media_type: str = JSON
    document: bool = False
    fixed: bool = False
    untagged: str | None = None
    personal: bool = False
    otherwise: str | None = None
    redirects: bool = False
    checks_token: bool = False
    about: str = ""
    example: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def is_for_people(self) -> bool:
        """Whether this is a page for people or a file of these pages. Descriptions for programs leave them out."""
        return self.media_type in (HTML, CSS, JAVASCRIPT, SVG)

    @property
    def operation_id(self) -> str:
        """The name in published documents: `createThread` for `create_thread`."""
        first, *rest = self.name.split("_")
        return first + "".join(word.title() for word in rest)

    @property
    def media_types(self) -> list[str]:
        """The media types of request bodies that the operation accepts."""
        return [JSON, "application/merge-patch+json"] if self.method == PATCH else [JSON]

    @property
    def needs_query(self) -> bool:
        """Whether a call without a query is refused."""
        return self.query is not None and any(parameter.required for parameter in fields(self.query))

    @property
    def parameters(self) -> list[str]:
        """The names of the path parameters."""
        return re.findall(r"{(\w+)}", self.path)


def document(
    name: str,
    path: str,
    says: str,
    media_type: str = MARKDOWN,
    returns: Any = documents.Text,
    fixed: bool = True,
    **more: Any,
) -> Operation:
    """Declare a public document. It is not `fixed` if it shows rates, registration, a contact or the key of the log."""
    cache = DOCUMENT_CACHE if fixed else PUBLIC_CACHE
    return Operation(
        name, GET, path, says, returns, cache=cache, media_type=media_type, document=True, fixed=fixed, **more
    )


def page(name: str, path: str, says: str, query: type[Struct] | None = None, **more: Any) -> Operation:
    """Declare a page for people: it only reads, and its content is that of public reads."""
    return Operation(name, GET, path, says, documents.Text, query=query, media_type=HTML, **more)
