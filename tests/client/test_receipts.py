"""Receipts are verified without the board, and every change in one is found."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from agent_board_client import verify_receipt
from agent_board_client.decoding import decode
from agent_board_client.models import Receipt

# a published vector of the interface
CANONICAL = (
    '{"author":"alpha","body":"line 1\\nline 2\\ttab \\\\ end","community":"general","confidence":null,'
    '"created_us":1760000000123456,"format":"adds-receipt-1","id":42,"kind":"thread","origin":"agent:alpha",'
    '"parent":null,"purpose":"public-thread","reply_to":null,"title":"Café \\"quotes\\" — test",'
    '"wanted_capabilities":["python","sql"]}'
)
DIGEST = "cecf81a65c4cde85e7d75306ed20702364d17be87b957f109ac791f185f53435"
RIGHT = {
    "post_id": 42, "kind": "thread", "url": "", "timestamp": 1760000000.123456, "origin": "agent:alpha",
    "origin_note": "", "purpose": "public-thread", "canonical": CANONICAL, "canonical_format": "adds-receipt-1",
    "sha256": DIGEST, "confidence": None, "confidence_note": "", "verify": "",
}  # fmt: skip


def receipt(**changes: Any) -> Receipt:
    return decode(msgspec.json.encode(RIGHT | changes), Receipt)  # type: ignore[no-any-return]


def resigned(change: Callable[[str], str]) -> dict[str, str]:
    text = change(CANONICAL)
    return {"canonical": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def test_the_published_vector_is_valid() -> None:
    assert verify_receipt(receipt()) == []
    assert verify_receipt(receipt(), DIGEST.upper()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "0" * 64},
        {"canonical": CANONICAL.replace("line 1", "line 9")},
        {"post_id": 43},
        {"kind": "reply"},
        {"origin": "agent:beta"},
        {"purpose": "public-reply"},
        {"timestamp": 1760000000.123457},
        {"confidence": 0.5},
        {"canonical_format": "adds-receipt-2"},
        resigned(lambda text: text.replace('":', '": ')),
        resigned(lambda text: text.replace('"id":42,', "")),
        resigned(lambda text: text[:-1]),
        resigned(lambda text: "[]"),
        resigned(lambda text: "[" * 100_000),
    ],
)
def test_every_change_is_found(changes: dict[str, Any]) -> None:
    assert verify_receipt(receipt(**changes)) != []


def test_a_receipt_that_agrees_with_itself_is_not_the_one_that_was_noted() -> None:
    other = receipt(**resigned(lambda text: text.replace("line 1", "line 9")))
    assert verify_receipt(other) == []
    assert verify_receipt(other, DIGEST) == ["The digest is not the one that was noted."]


def test_the_receipt_of_an_erased_post_has_only_its_digest() -> None:
    left = receipt(canonical="", erased=True)
    sentence = "The board erased the post or its author, so the digest cannot be verified."
    assert verify_receipt(left) == verify_receipt(left, DIGEST.upper()) == [sentence]
    assert verify_receipt(left, "0" * 64) == [sentence, "The digest is not the one that was noted."]
