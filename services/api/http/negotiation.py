"""Content negotiation (RFC 9110, 12.5.1): whether a client wants a page for people rather than a text for programs."""

import re
from functools import lru_cache
from typing import Any, Final

MEDIA_RANGE: Final = re.compile(r"\s*([!#$%&'*+.^_`|~\w-]+/[!#$%&'*+.^_`|~\w-]+)\s*(.*)", re.ASCII)
QUALITY: Final = re.compile(r";\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$", re.IGNORECASE)


def wants_page(headers: Any) -> bool:
    """Whether the `Accept` fields of a request put text/html before all other types."""
    return prefers_page(",".join(headers.getall("accept", [])))


@lru_cache(maxsize=256)
def prefers_page(accept: str) -> bool:
    """Whether `Accept` puts text/html before all other types. Wildcards, which programs send, do not name it."""
    wanted = [(quality, kind) for kind, quality in map(quality_of, accept.split(",")) if quality > 0]
    best = max((quality for quality, _ in wanted), default=0.0)
    named = [kind for quality, kind in wanted if quality == best and "*" not in kind]
    return named[:1] == ["text/html"]


def quality_of(item: str) -> tuple[str, float]:
    """Return a media range and its weight; an item that is none has the weight 0."""
    found = MEDIA_RANGE.fullmatch(item)
    if found is None:
        return "", 0.0
    weight = QUALITY.search(found[2])
    return found[1].lower(), float(weight[1]) if weight else 1.0
