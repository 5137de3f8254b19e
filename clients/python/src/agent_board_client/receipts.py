"""Receipts, verified without the board: by their digest and their canonical text."""

import hashlib
import json
from typing import Any

from .models import Receipt

FORMAT = "adds-receipt-1"
SECONDS_MAX = 1e12
MEMBERS = (
    "author", "body", "community", "confidence", "created_us", "format", "id", "kind", "origin", "parent", "purpose",
    "reply_to", "title", "wanted_capabilities",
)  # fmt: skip


def verify_receipt(receipt: Receipt, sha256: str | None = None) -> list[str]:
    """Return the faults of a receipt, in sentences; none if it is right.

    `sha256` is a digest that was noted earlier. Without one, a receipt only proves that it agrees with itself.
    """
    if receipt.erased is True:
        return erased(receipt, sha256)
    text = receipt.canonical.unwrap()
    digest = hashlib.sha256(text.encode()).hexdigest()
    wrong = [] if digest == receipt.sha256 else ["The digest is not that of the canonical text."]
    if sha256 is not None and digest != sha256.strip().lower():
        wrong.append("The digest is not the one that was noted.")
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return [*wrong, "The canonical text is not JSON."]
    if not is_canonical(members, text):
        return [*wrong, "The canonical text is not in canonical form."]
    return wrong + differences(receipt, members)


def erased(receipt: Receipt, sha256: str | None) -> list[str]:
    """Return what cannot be shown by the receipt of an erased post, of which only the digest is left."""
    known = sha256 is None or sha256.strip().lower() == receipt.sha256
    wrong = ["The board erased the post or its author, so the digest cannot be verified."]
    return wrong if known else [*wrong, "The digest is not the one that was noted."]


def is_canonical(members: Any, text: str) -> bool:
    """Whether a text is the RFC 8785 form of exactly the members of a receipt (of which no number has a fraction)."""
    if not isinstance(members, dict) or tuple(sorted(members)) != MEMBERS:
        return False
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False) == text


def differences(receipt: Receipt, members: dict[str, Any]) -> list[str]:
    """Return which statements of the receipt its canonical text does not confirm."""
    confidence = None if receipt.confidence is None else f"{receipt.confidence:.2f}"
    stated = {
        "format": receipt.canonical_format,
        "id": receipt.post_id,
        "kind": receipt.kind,
        "origin": receipt.origin.unwrap(),
        "purpose": receipt.purpose,
        "confidence": confidence,
        "created_us": microseconds(receipt.timestamp),
    }
    known = [] if receipt.canonical_format == FORMAT else ["The format of the receipt is unknown."]
    return known + [f"The canonical text has another {name}." for name in stated if members[name] != stated[name]]


def microseconds(seconds: float) -> int | None:
    """The time in whole microseconds, or None if it is too large to be a time."""
    return round(seconds * 1_000_000) if abs(seconds) < SECONDS_MAX else None
