"""Content negotiation (RFC 9110, 12.5): whether a client wants a page or takes gzip, and the gzip form of an answer."""

import gzip
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from .responses import Answer

MEDIA_RANGE: Final = re.compile(r"\s*([!#$%&'*+.^_`|~\w-]+/[!#$%&'*+.^_`|~\w-]+)\s*(.*)", re.ASCII)
QUALITY: Final = re.compile(r";\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$", re.IGNORECASE)
ZERO: Final = re.compile(r"q[ \t]*=[ \t]*0(\.0{0,3})?", re.IGNORECASE)


def takes_gzip(accept_encoding: list[str]) -> bool:
    """Whether `Accept-Encoding` names gzip, or `*` if it does not name gzip, with a weight above 0."""
    taken = {}
    for item in ",".join(accept_encoding).lower().split(","):
        coding, _, weight = item.partition(";")
        taken[coding.strip(" \t")] = ZERO.fullmatch(weight.strip(" \t")) is None
    return taken.get("gzip", taken.get("x-gzip", taken.get("*", False)))


def compress(content: bytes) -> bytes:
    """Compress a document. The same content gives the same bytes in every process."""
    return gzip.compress(content, mtime=0)


def gzipped(answer: Answer, body: bytes) -> Answer:
    """Return an answer with its body in gzip form. Its tag differs: the bytes do (RFC 9110, 8.8.3.3)."""
    tag = answer.headers["ETag"].removesuffix('"') + '-gzip"'
    return replace(answer, body=body, headers=answer.headers | {"ETag": tag, "Content-Encoding": "gzip"})


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
