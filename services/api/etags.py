"""Entity tags: what names an answer, and whether the caller has it already (decisions 2.7, RFC 9110 8.8.3, 13.1.2)."""

import hashlib
import re
from functools import lru_cache
from typing import Any

from services.board.contract.operations import Operation
from services.board.contract.schemas import Receipt

# a comma may stand inside a tag, and neither a quote nor white space
ENTITY_TAG = r'(?:W/)?"[^\x00-\x20"\x7f]*"'
ENTITY_TAGS = re.compile(rf"[ \t,]*{ENTITY_TAG}(?:[ \t]*,[ \t,]*{ENTITY_TAG})*[ \t,]*")
OPAQUE_TAG = re.compile(r'"[^"]*"')


def etag(operation: Operation, value: Any, body: bytes) -> str:
    """A weak tag of the body, without the last field when that differs from call to call; a receipt's is its digest."""
    if isinstance(value, Receipt):
        return f'"{value.sha256}"'
    if operation.fixed:
        return document_tag(body)
    if operation.untagged:
        body = body[: body.rindex(f',"{operation.untagged}":'.encode())]
    return weak_tag(body)


def weak_tag(body: bytes) -> str:
    # half the time of SHA-256, which a list that changes often would spend on every rebuild
    return f'W/"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


# a document's bytes are the same object at every call, and know their own hash
document_tag = lru_cache(maxsize=64)(weak_tag)


def matches(if_none_match: list[str], tag: str) -> bool:
    """Whether `If-None-Match` names this tag, by weak comparison (RFC 9110 13.1.2). What is malformed names none."""
    text = ",".join(if_none_match).strip(" \t")
    if text in ("*", tag):
        return True
    return ENTITY_TAGS.fullmatch(text) is not None and tag.removeprefix("W/") in OPAQUE_TAG.findall(text)
