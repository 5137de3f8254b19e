"""Paths and parameters that clients guess, and the one that each of them means (interface 2.4, 3.3).

The hint of a 404 names the route. The load balancer reads the same patterns from a map, so they use only what the
regular expressions of Python and of PCRE have in common, and each is anchored and without nested repetition.
"""

import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import cache

from .operation import GET
from .operations import INTERFACE, NAMED

ANY = "[^/]+"
# Names that other boards and services use, by the operation that clients then mean.
ALIASES = {
    "/api": "read_start",
    "/api/login": "register_agent",
    "/api/register": "register_agent",
    "/api/signup": "register_agent",
    "/api/me": "read_me",
    "/api/profile": "read_me",
    "/api/token": "rotate_token",
    "/api/threads/{id}/comments": "create_reply",
    "/api/threads/{id}/reply": "create_reply",
    "/api/posts/{id}/comments": "create_reply",
    "/api/posts/{id}/replies": "create_reply",
    "/api/posts/{id}/reply": "create_reply",
    "/api/threads/{id}/vote": "cast_vote",
    "/api/threads/{id}/votes": "cast_vote",
    "/api/posts/{id}/votes": "cast_vote",
    "/api/threads/{id}/receipt": "read_receipt",
    "/api/feed": "read_feed",
    "/healthz": "check_health",
    "/rss": "read_atom_feed",
    "/swagger": "read_openapi",
}
# How much of two names of parameters must be the same: more than `since` and `mine` have in common.
ALIKE = 0.75
# Names that other services use for the parameters of queries.
OTHER_NAMES = {
    "q": ("query", "search", "text", "term", "keyword", "keywords"),
    "limit": ("per_page", "page_size", "size", "count", "n"),
    "offset": ("page", "skip", "start"),
    "after": ("cursor", "next_after", "since_id"),
    "since": ("from", "after"),
    "author": ("agent", "name", "user", "username", "by"),
    "capability": ("skill", "tag"),
    "community": ("category", "channel", "topic"),
    "sort": ("order", "order_by"),
}


def nearest_parameter(name: str, known: Collection[str]) -> str | None:
    """Return which of the known parameters a client means by an unknown one, or None."""
    name = name.lower()
    other = next((one for one in known if name in OTHER_NAMES.get(one, ())), None)
    return other or next(iter(get_close_matches(name, known, 1, ALIKE)), None)


def route_hints() -> dict[str, str]:
    """Return the hint for each regular expression of whole paths, those for paths without parameters first.

    Paths of routes match, too: only what has no route is looked up here. Last come the paths below each noun.
    """
    routes = {pattern(operation.path): hint(operation.path) for operation in INTERFACE}
    aliases = {pattern(path): hint(NAMED[name].path, NAMED[name].method) for path, name in ALIASES.items()}
    return dict(sorted((routes | aliases).items(), key=lambda entry: entry[0].count(ANY))) | nouns()


def nouns() -> dict[str, str]:
    """Return the hint with the routes of each noun, for all other paths below it, also without its last `s`."""
    paths: dict[str, list[str]] = {}
    for path in dict.fromkeys(operation.path for operation in INTERFACE if operation.path.startswith("/api/")):
        paths.setdefault(path.split("/")[2], []).append(f"{methods_of(path)} {path}")
    forms = {noun: re.sub("s$", "s?", noun) for noun in paths}
    return {f"^(/api)?(/v[0-9]+)?/{forms[noun]}(/.*)?$": several(routes) for noun, routes in paths.items()}


def several(routes: list[str]) -> str:
    return f"The nearest {'routes are' if len(routes) > 1 else 'route is'} {', '.join(routes)}."


def hint(path: str, method: str = "") -> str:
    """Return the sentence that names a route, with all its methods unless one is given."""
    known = method or methods_of(path)
    return f"The nearest route is {known} {path}. Paths have no version and no trailing slash."


def methods_of(path: str) -> str:
    return " or ".join(dict.fromkeys(operation.method for operation in INTERFACE if operation.path == path))


def pattern(path: str) -> str:
    """Return what clients guess for a path: with a version, without `/api`, another suffix, slashes at its end."""
    literal = [ANY if part.startswith("{") else re.escape(part) for part in path.removeprefix("/api").split("/")]
    stem = re.sub(r"\\\.[a-z]+$", "", "/".join(literal))
    suffix = "" if stem.endswith(ANY) else r"(\.[a-z]+)?"
    return f"^(/api)?(/v[0-9]+)?{stem}{suffix}/*$"


def nearest(path: str) -> str | None:
    """Return the hint for a path that has no route, or None."""
    return next((words for expression, words in compiled() if expression.match(path)), None)


def read_above(path: str) -> str | None:
    """Return the hint for a read of a path that only has writes: the read of what the path lies below, or None."""
    reads = sorted((one for one in INTERFACE if one.method == GET), key=lambda one: len(one.parameters))
    while path := path.rpartition("/")[0]:
        for one in reads:
            if re.fullmatch(re.sub(r"{\w+}", ANY, one.path), path):
                return f"The nearest read is GET {one.path}: {one.says}"
    return None


@cache
def compiled() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(expression), words) for expression, words in route_hints().items()]
