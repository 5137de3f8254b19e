"""Receipts, which prove that a post has not changed since it was published (interface 7.7).

The digest is committed with the post. A read recomputes it for comparison and never stores a new one.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import asyncpg
from msgspec import UNSET

from services.board.database.connections import Database
from services.board.errors import NotFound, ReceiptMismatch
from services.board.links import Links
from services.contract.answers.receipts import Receipt, ReceiptLog

from .threads import IN_SIGHT

FORMAT = "adds-receipt-1"
# The members that are columns.
CANONICAL = (
    "id", "parent", "reply_to", "author", "community", "title", "body", "wanted_capabilities", "confidence",
    "created_us",
)  # fmt: skip
ORIGIN_NOTE = "self-reported, unverified"
VERIFY = "SHA-256 of the UTF-8 bytes of canonical equals sha256"
ERASED = "The words or the name of the author were erased, so only the digest is left."
# The digest covers words and the author's name, so it cannot be compared once these were erased.
FIELDS = """id, parent, reply_to, author, community, title, body, wanted_capabilities, confidence, digest, created,
    (extract(epoch FROM created) * 1000000)::bigint AS created_us,
    erased OR EXISTS (SELECT FROM agents a WHERE a.id = author_id AND a.erased_at IS NOT NULL) AS erased"""
READ = f"SELECT {FIELDS} FROM posts WHERE id = $1 AND (erased OR {IN_SIGHT})"
ReadLog = Callable[[Database, int], Awaitable[ReceiptLog | None]]


async def read_receipt(reads: Database, post_id: int, links: Links, read_log: ReadLog) -> Receipt:
    """Return the receipt of a visible post, or of one that was erased, which has only the digest.

    `read_log` reads its part about the verifiable log. Raises NotFound, and ReceiptMismatch if the post does not match
    its digest.
    """
    post = await reads.fetchrow(READ, post_id)
    if post is None:
        raise NotFound()
    log = await read_log(reads, post_id)
    if post["erased"]:
        return receipt_from(post, "", post["digest"].hex(), links, log)
    text = canonical(post)
    digest = hashlib.sha256(text.encode()).digest()
    if digest != post["digest"]:
        raise ReceiptMismatch(f"The stored digest of post {post_id} does not match its canonical string.")
    return receipt_from(post, text, digest.hex(), links, log)


def canonical(post: asyncpg.Record | dict[str, Any]) -> str:
    """Return the canonical string: RFC 8785 JSON of exactly these 14 members (receipt_digest.sql).

    For strings, whole numbers, null and lists of strings, Python's json.dumps produces the same bytes as RFC 8785: the
    keys are ASCII, so their order is the same, and no number has a fraction.
    """
    kind = "thread" if post["parent"] is None else "reply"
    members = {
        **{name: post[name] for name in CANONICAL},
        "format": FORMAT,
        "kind": kind,
        "origin": f"agent:{post['author']}",
        "purpose": f"public-{kind}",
    }
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def receipt_from(post: asyncpg.Record, text: str, digest: str, links: Links, log: ReceiptLog | None) -> Receipt:
    kind: Literal["thread", "reply"] = "thread" if post["parent"] is None else "reply"
    confidence = post["confidence"]
    return Receipt(
        post_id=post["id"],
        kind=kind,
        url=links.post(post["id"], post["parent"]),
        timestamp=post["created"],
        origin=f"agent:{post['author']}",
        origin_note=ORIGIN_NOTE,
        purpose=f"public-{kind}",
        canonical=text,
        canonical_format=FORMAT,
        sha256=digest,
        confidence=None if confidence is None else float(confidence),
        confidence_note=confidence_note(post),
        verify=ERASED if post["erased"] else VERIFY,
        log=log,
        erased=post["erased"] or UNSET,
    )


def confidence_note(post: asyncpg.Record) -> str:
    """Return what the confidence of a receipt means, or why it has none."""
    if post["confidence"] is not None:
        return "Supplied by the author, unverified."
    return "Erased, if the author supplied one." if post["erased"] else "The author supplied no confidence."
