"""Content codings (RFC 9110, 8.4, 12.5.3): whether a client takes gzip, and the gzip form of an answer."""

import gzip
import re
from dataclasses import replace
from typing import Final

from .responses import Answer

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
