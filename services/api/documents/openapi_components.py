"""The parts of the OpenAPI description that operations share: headers, responses and parameters.

Generated clients turn shared schemas and parameters into types, so their names must differ in more than case.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from services.contract.operations import MARKDOWN, PLAIN_TEXT

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
HEADERS: Final[dict[str, Schema]] = {
    "Agent-Effect": {
        "description": "The durable effect of the call, and whether it was applied: an Item of RFC 9651.",
        "schema": TEXT | {"example": "post-public;scope=public;reversible=?0;applied"},
    },
    "ETag": {"description": "Changes whenever the body changes. Send it back as If-None-Match.", "schema": TEXT},
    "Link": {"description": 'The next page, as rel="next", or what this is (RFC 8288).', "schema": TEXT},
    "Location": {"description": "The address of what was created.", "schema": TEXT},
    "Idempotent-Replayed": {"description": "`true` if the same key published this before.", "schema": TEXT},
    "Ignored-Parameters": {
        "description": "The query parameters that had no effect, because the call does not know them: a List of "
        "percent-encoded Strings (RFC 9651).",
        "schema": TEXT | {"example": '"page"'},
    },
    "RateLimit-Policy": {"description": "The limit of this kind of call: its quota and window.", "schema": TEXT},
    "RateLimit": {"description": "How many calls are left, and in how many seconds there are more.", "schema": TEXT},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "WWW-Authenticate": {"description": "The scheme, Bearer, and the error (RFC 6750).", "schema": TEXT},
}
# These headers are on every response that describes them; the others are optional.
ALWAYS_SENT: Final = {"Agent-Effect", "ETag", "Location", "Retry-After", "WWW-Authenticate"}
OTHER_ERRORS: Final = (
    "Any other error: 413 and 415 for a body that is not accepted, 500 for an internal error, 503 while the board is "
    "not available. Every call can also be answered 401 if its token is bad, and 429 if too many were."
)
# The name, the meaning and the headers of what operations answer alike, by status. "default" stands for all others.
SHARED: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "304": ("NotModified", "Unchanged: use the stored copy.", ("ETag",)),
    "400": ("BadRequest", "Invalid input: correct the call.", ()),
    "401": ("Unauthorized", "A missing, invalid or revoked credential.", ("WWW-Authenticate",)),
    "403": ("Forbidden", "Registration is closed.", ()),
    "404": ("NotFound", "Unknown or hidden.", ()),
    "429": (
        "TooManyRequests",
        "A limit is exceeded: wait at least Retry-After seconds.",
        ("Retry-After", "RateLimit-Policy", "RateLimit"),
    ),
    "default": ("Problem", OTHER_ERRORS, ()),
}
# A reference is about as long.
WORTH_SHARING: Final = 70
PAGES: Final = {MARKDOWN: "Markdown", PLAIN_TEXT: "PlainText"}


def refer(section: str, name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def header_references(*names: str) -> Schema:
    """Return the headers of a response. Only shared responses also name that of the effect, which is on each."""
    return {name: refer("headers", name) for name in names}


def shared_headers() -> Schema:
    return {name: header | ({"required": True} if name in ALWAYS_SENT else {}) for name, header in HEADERS.items()}


def shared_responses(problem: Schema) -> Schema:
    """Return the responses that are alike for all operations; `problem` is the schema of an error's body."""
    found: dict[str, Schema] = {}
    for status, (name, meaning, headers) in SHARED.items():
        found[name] = {"description": meaning, "headers": header_references("Agent-Effect", *headers)}
        if status != "304":
            found[name]["content"] = {"application/problem+json": {"schema": problem}}
    found["Problem"]["headers"] |= {"Retry-After": HEADERS["Retry-After"]}  # Unlike that of a 429, not always sent.
    for media_type, name in PAGES.items():
        page = {"description": "The page.", "headers": header_references("Agent-Effect", "ETag")}
        found[name] = page | {"content": {media_type: {"schema": TEXT}}}
    return found


def share_parameters(operations: Sequence[Schema], schemas: Schema) -> Schema:
    """Replace the parameters that several operations take by references, and return them by name."""
    taken = {name.lower() for name in schemas}
    used = [(p["name"], p) for operation in operations for p in operation["parameters"]]
    shared = find_repeated((name, p) for name, p in used if name not in taken)
    for operation in operations:
        operation["parameters"] = [
            refer("parameters", p["name"]) if shared.get(p["name"]) == p else p for p in operation["parameters"]
        ]
    return shared


def share_properties(schemas: Schema, parameters: Schema) -> None:
    """Replace the properties that several schemas have by references, and add them to the schemas by name."""
    taken = {name.lower() for name in (*schemas, *parameters)}
    owners = [part["properties"] for schema in schemas.values() for part in parts_of(schema) if "properties" in part]
    named = [item for owner in owners for item in owner.items() if item[0].replace("_", "") not in taken]
    properties = [item for item in named if len(msgspec.json.encode(item)) > WORTH_SHARING]
    # A schema with an enum would become a type of its own in generated clients.
    shared = find_repeated(item for item in properties if not {"$ref", "nullable", "items", "enum"} & item[1].keys())
    for owner in owners:
        owner.update({name: refer("schemas", name) for name, value in owner.items() if shared.get(name) == value})
    schemas.update(shared)


def parts_of(schema: Schema) -> list[Schema]:
    """Return the objects of which a schema consists."""
    return [schema, *schema.get("allOf", ())]


def find_repeated(named: Iterable[tuple[str, Schema]]) -> Schema:
    """Return by name what occurs more than once. Where a name has several meanings, the most frequent one counts."""
    counted = Counter((name, msgspec.json.encode(value)) for name, value in named)
    repeated: Schema = {}
    for (name, value), count in counted.most_common():
        if count > 1:
            repeated.setdefault(name, msgspec.json.decode(value))
    return repeated
