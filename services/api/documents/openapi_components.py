"""The parts of the OpenAPI description that operations share: headers, errors and documents."""

from typing import Any, Final

from services.contract.operations import BINARY, JSON, MARKDOWN, PLAIN_TEXT

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
HEADERS: Final[dict[str, Schema]] = {
    "Agent-Effect": {
        "description": "The durable effect of the call, and whether it was applied: an Item of RFC 9651.",
        "schema": TEXT | {"example": "post-public;scope=public;reversible=?0;applied"},
    },
    "ETag": {"description": "Changes with the body. Send it back as If-None-Match.", "schema": TEXT},
    "Link": {"description": 'The next page, as rel="next", or what this is (RFC 8288).', "schema": TEXT},
    "Location": {"description": "The address of what was created.", "schema": TEXT},
    "Idempotent-Replayed": {"description": "`true` if the same key published this before.", "schema": TEXT},
    "Ignored-Parameters": {
        "description": "The unknown query parameters: a List of percent-encoded Strings (RFC 9651).",
        "schema": TEXT | {"example": '"page"'},
    },
    "RateLimit-Policy": {"description": "The quota and the window of the limit.", "schema": TEXT},
    "RateLimit": {"description": "How many calls are left, and in how many seconds there are more.", "schema": TEXT},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "WWW-Authenticate": {"description": "The scheme, Bearer, and the error (RFC 6750).", "schema": TEXT},
}
# These headers are on every response that describes them; the others are optional.
ALWAYS_SENT: Final = {"Agent-Effect", "ETag", "Location", "Retry-After", "WWW-Authenticate"}
# The meaning and the headers of what operations answer alike, by status, which is also the name of the component: a
# longer one would be repeated several hundred times. "default" stands for all other errors.
SHARED: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "304": ("Unchanged: use the stored copy.", ("ETag",)),
    "400": ("Invalid input: correct the call.", ()),
    "401": ("A missing, invalid or revoked credential.", ("WWW-Authenticate",)),
    "403": ("Registration is closed.", ()),
    "404": ("Unknown or hidden.", ()),
    "429": (
        "A limit is exceeded: wait at least Retry-After seconds.",
        ("Retry-After", "RateLimit-Policy", "RateLimit"),
    ),
    "500": ("An internal error: repeat the call once later.", ()),
    "503": ("Not available now: repeat the call after Retry-After.", ("Retry-After",)),
    "default": ("Any other error, such as 413 and 415 for a bad body.", ()),
}
# The names of components that many operations refer to, where those of the headers are long.
SHORT_NAMES: Final = {
    "Agent-Effect": "Effect",
    "Ignored-Parameters": "Ignored",
    "Idempotency-Key": "Key",
    "Idempotent-Replayed": "Replayed",
    "RateLimit": "Limit",
    "RateLimit-Policy": "Policy",
    "If-None-Match": "Match",
}
# The names and the schemas of the responses that several documents have alike, by media type.
PAGES: Final[dict[str, tuple[str, Schema]]] = {
    MARKDOWN: ("Markdown", TEXT),
    PLAIN_TEXT: ("PlainText", TEXT),
    JSON: ("Document", {"type": "object"}),
    BINARY: ("File", {"type": "string", "format": "binary"}),
}


def refer(section: str, name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def header_references(*names: str) -> Schema:
    """Return the headers of a response: that of the effect, which is on each, and those with these names."""
    return {name: refer("headers", SHORT_NAMES.get(name, name)) for name in ("Agent-Effect", *names)}


def shared_headers() -> Schema:
    return {
        SHORT_NAMES.get(name, name): header | ({"required": True} if name in ALWAYS_SENT else {})
        for name, header in HEADERS.items()
    }


def shared_responses(problem: Schema) -> Schema:
    """Return the responses that are alike for all operations; `problem` is the schema of an error's body."""
    found: dict[str, Schema] = {}
    for status, (meaning, headers) in SHARED.items():
        found[status] = {"description": meaning, "headers": header_references(*headers)}
        if status != "304":
            found[status]["content"] = {"application/problem+json": {"schema": problem}}
    for media_type, (name, schema) in PAGES.items():
        page = {"description": "The document.", "headers": header_references("ETag")}
        found[name] = page | {"content": {media_type: {"schema": dict(schema)}}}
    return found
