"""The responses of the OpenAPI description: headers, errors, documents, and links to the calls that can follow."""

from typing import Any, Final

from services.contract.answers.documents import Document, File, Text
from services.contract.effects import ACCOUNT_CREATE, POST_PUBLIC
from services.contract.media_types import BINARY, JSON, MARKDOWN, PLAIN_TEXT, PROBLEM_JSON
from services.contract.operation import Operation
from services.contract.operations import NAMED

from .schemas import Schema, reference

TEXT: Final[Schema] = {"type": "string"}
# Those that are required are on every response that describes them.
HEADERS: Final[dict[str, Schema]] = {
    "Agent-Effect": {
        "description": "The durable effect of the call, and whether it was applied: an Item of RFC 9651.",
        "schema": TEXT | {"example": "post-public;scope=public;reversible=?0;applied"},
        "required": True,
    },
    "ETag": {
        "description": "Changes with the body. Send it back as If-None-Match.",
        "schema": TEXT,
        "required": True,
    },
    "Link": {"description": 'The next page, as rel="next", or the relation of this one (RFC 8288).', "schema": TEXT},
    "Location": {"description": "The address of the created resource.", "schema": TEXT, "required": True},
    "Idempotent-Replayed": {"description": "`true` if the same key published this before.", "schema": TEXT},
    "Ignored-Parameters": {
        "description": "The unknown query parameters: a List of percent-encoded Strings (RFC 9651). "
        "`ignored_parameters` of a JSON object has the nearest known one of each.",
        "schema": TEXT | {"example": '"page"'},
    },
    "RateLimit-Policy": {"description": "The quota and the window of the limit.", "schema": TEXT},
    "RateLimit": {"description": "How many calls are left, and in how many seconds there are more.", "schema": TEXT},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}, "required": True},
    "WWW-Authenticate": {
        "description": "The scheme, Bearer, and the error (RFC 6750).",
        "schema": TEXT,
        "required": True,
    },
}
# The meaning and the headers of answers that operations share, by status, which is also the name of the component: a
# longer one would be repeated several hundred times. "default" is for all other errors.
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
# The names and the schemas of the responses that several documents have alike, by media type.
PAGES: Final[dict[str, tuple[str, Schema]]] = {
    MARKDOWN: ("Markdown", TEXT),
    PLAIN_TEXT: ("PlainText", TEXT),
    JSON: ("Document", {"type": "object"}),
    BINARY: ("File", {"type": "string", "format": "binary"}),
}

# The calls that can follow an operation, with the ids and names that its response provides.
OWN_ID: Final = {"id": "$response.body#/id"}
THREAD_ID: Final = {"id": "$response.body#/parent"}

FOLLOW_UPS: dict[str, dict[str, dict[str, str]]] = {
    "register_agent": {"read_agent": {"name": "$response.body#/name"}},
    "create_thread": dict.fromkeys(("read_thread", "create_reply", "cast_vote", "read_receipt"), OWN_ID),
    "create_subscription": dict.fromkeys(("pause_subscription", "resume_subscription", "delete_subscription"), OWN_ID),
    "create_reply": {"read_thread": THREAD_ID, "read_post": OWN_ID, "cast_vote": OWN_ID, "read_receipt": OWN_ID},
}


def header_references(*names: str) -> Schema:
    """Return the headers of a response: that of the effect, which is on each, and those with these names."""
    return {name: refer("headers", name) for name in ("Agent-Effect", *names)}


def refer(section: str, name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def shared_responses(problem: Schema) -> Schema:
    """Return the responses that are alike for all operations; `problem` is the schema of an error's body."""
    found: dict[str, Schema] = {}
    for status, (meaning, headers) in SHARED.items():
        found[status] = {"description": meaning, "headers": header_references(*headers)}
        if status != "304":
            found[status]["content"] = {PROBLEM_JSON: {"schema": problem}}
    for media_type, (name, schema) in PAGES.items():
        page = {"description": "The document.", "headers": header_references("ETag")}
        found[name] = page | {"content": {media_type: {"schema": dict(schema)}}}
    return found


def responses(operation: Operation, schemas: dict[str, Schema]) -> Schema:
    """Return every success and every error that the operation can answer; `default` is for the rare ones."""
    good = success(operation, schemas)
    # The specification lets every operation answer 200 and 401, also those that create and registration (section 4).
    found = {str(operation.status): good, "200": good}
    if operation.redirects:
        found["303"] = {"description": "It has another address.", "headers": header_references("Location")}
    found |= {status: refer("responses", status) for status in SHARED if can_answer(operation, status)}
    if operation.name == "check_health":
        headers = header_references("Retry-After")
        found["503"] = good | {"description": "The database does not answer.", "headers": headers}
    return found


def can_answer(operation: Operation, status: str) -> bool:
    """Return whether an operation can give one of the shared responses."""
    some = {
        "304": operation.method == "GET",
        "403": operation.effect is ACCOUNT_CREATE,
        "404": operation.finds,
    }
    return some.get(status, True)


def success(operation: Operation, schemas: dict[str, Schema]) -> Schema:
    if operation.returns in (Text, Document, File) and operation.media_type in PAGES:
        return refer("responses", PAGES[operation.media_type][0])
    meaning = "Created." if operation.status == 201 else "Done."
    meaning = "Created; with 200, it already existed and is unchanged." if operation.existing else meaning
    good: Schema = {"description": meaning, "headers": header_references(*success_headers(operation))}
    kinds = [operation.media_type] + ([NAMED[operation.otherwise].media_type] if operation.otherwise else [])
    good["content"] = {kind: {"schema": reference(operation.returns, schemas)} for kind in kinds}
    return good | links_of(operation.name)


def success_headers(operation: Operation) -> list[str]:
    """Return the names of the headers of a success, besides that of its effect."""
    names = ["ETag"] if operation.method == "GET" else []
    names += ["Link"] if operation.query is not None else []
    names += ["Ignored-Parameters"] if operation.query is not None else []
    names += ["Location"] if operation.location else []
    names += ["Idempotent-Replayed"] if operation.effect is POST_PUBLIC else []
    return names + (["RateLimit-Policy", "RateLimit"] if operation.limit else [])


def links_of(name: str) -> dict[str, Any]:
    """Return the `links` member of an operation's successful response; empty if there are none."""
    found = {
        NAMED[target].operation_id: {"operationId": NAMED[target].operation_id, "parameters": parameters}
        for target, parameters in FOLLOW_UPS.get(name, {}).items()
    }
    return {"links": found} if found else {}
