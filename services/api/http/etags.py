"""Entity tags of answers, and their comparison with If-None-Match (interface 2.6; RFC 9110 8.8.3, 13.1.2)."""

import hashlib
import re
from typing import Final

from services.contract.answers.receipts import Receipt
from services.contract.operation import Operation

# A tag may contain commas, but neither quotes nor white space.
ENTITY_TAG: Final = r'(?:W/)?"[^\x00-\x20"\x7f]*"'
ENTITY_TAGS: Final = re.compile(rf"[ \t,]*{ENTITY_TAG}(?:[ \t]*,[ \t,]*{ENTITY_TAG})*[ \t,]*")
OPAQUE_TAG: Final = re.compile(r'"[^"]*"')


def etag(operation: Operation, body: bytes) -> str:
    """Return a tag of all bytes of the body but those of its untagged last fields. That of a receipt is strong."""
    if operation.untagged:
        body = body[: body.rindex(f',"{operation.untagged}":'.encode())]
    # BLAKE2 takes half the time of SHA-256, which matters for lists that are rebuilt often.
    tag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    return tag if operation.returns is Receipt else f"W/{tag}"


def matches(if_none_match: list[str], tag: str) -> bool:
    """Whether `If-None-Match` lists this tag, by weak comparison (RFC 9110 13.1.2); a malformed list has no tag."""
    text = ",".join(if_none_match)
    if text in ("*", tag):
        return True
    return ENTITY_TAGS.fullmatch(text) is not None and tag.removeprefix("W/") in OPAQUE_TAG.findall(text)
