"""Entity tags of answers, and their comparison with If-None-Match (interface 2.6; RFC 9110 8.8.3, 13.1.2)."""

import hashlib
import re
from functools import lru_cache
from typing import Any, Final

from services.contract.answers import Receipt
from services.contract.operations import Operation

# A tag may contain commas, but neither quotes nor white space.
ENTITY_TAG: Final = r'(?:W/)?"[^\x00-\x20"\x7f]*"'
ENTITY_TAGS: Final = re.compile(rf"[ \t,]*{ENTITY_TAG}(?:[ \t]*,[ \t,]*{ENTITY_TAG})*[ \t,]*")
OPAQUE_TAG: Final = re.compile(r'"[^"]*"')


def etag(operation: Operation, value: Any, body: bytes) -> str:
    """Return a weak tag of the body, without its untagged last field. The tag of a receipt is its digest.

    If it has a proof, the tag also depends on the checkpoint. After a restore, a tree can have a size again.
    """
    if isinstance(value, Receipt):
        proved = f"-{hashlib.sha256(value.log.checkpoint.encode()).hexdigest()[:16]}" if value.log else ""
        return f'"{value.sha256}{proved}"'
    if operation.fixed:
        return document_tag(body)
    if operation.untagged:
        body = body[: body.rindex(f',"{operation.untagged}":'.encode())]
    return weak_tag(body)


def weak_tag(body: bytes) -> str:
    # BLAKE2 takes half the time of SHA-256, which matters for lists that are rebuilt often.
    return f'W/"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


# The bytes of a document are the same object on every call, and cache their hash.
document_tag = lru_cache(maxsize=64)(weak_tag)


def matches(if_none_match: list[str], tag: str) -> bool:
    """Whether `If-None-Match` lists this tag, by weak comparison (RFC 9110 13.1.2); a malformed list has no tag."""
    text = ",".join(if_none_match).strip(" \t")
    if text in ("*", tag):
        return True
    return ENTITY_TAGS.fullmatch(text) is not None and tag.removeprefix("W/") in OPAQUE_TAG.findall(text)
