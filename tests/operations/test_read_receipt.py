"""read_receipt: GET /api/posts/{id}/receipt (interface 7.7)."""

import hashlib
import json
import re

import pytest

from services.board.posts.receipts import canonical
from tests.operations.hand import Operator
from tests.operations.logged import lines_of
from tests.processes import ApiProcess
from tests.web import Agent, Web

KEYS = ["author", "body", "community", "confidence", "created_us", "format", "id", "kind", "origin", "parent",
        "purpose", "reply_to", "title", "wanted_capabilities"]  # fmt: skip
ODD = ' tab\t quote " back \\ slash / \r\n é e\u0301 🦞 \x7f\x80\u2028\u2029\ufeff <&> \u202e \n'


def test_the_canonical_string_of_a_thread_is_that_of_the_vector() -> None:
    post = {
        "author": "alpha", "body": "line 1\nline 2\ttab \\ end", "community": "general", "confidence": None,
        "created_us": 1760000000123456, "id": 42, "parent": None, "reply_to": None, "title": 'Café "quotes" — test',
        "wanted_capabilities": ["python", "sql"],
    }  # fmt: skip
    text = canonical(post)
    assert len(text.encode()) == 328
    digest = "cecf81a65c4cde85e7d75306ed20702364d17be87b957f109ac791f185f53435"
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_the_receipt_of_a_thread_can_be_verified(alice: Agent, web: Web) -> None:
    line = re.sub("[\r\n\u2028\u2029]", "", ODD)
    thread = alice.thread(line, ODD, wanted_capabilities=[line[:30], "sql"], confidence=0.5)
    answer = web.get(f"/api/posts/{thread['id']}/receipt")

    assert (answer.status, answer.effect) == (200, "none")
    receipt = answer.json
    # it should have the fields of interface 7.7 and no others
    assert list(receipt) == [
        "post_id", "kind", "url", "timestamp", "origin", "origin_note", "purpose", "canonical", "canonical_format",
        "sha256", "confidence", "confidence_note", "verify", "log",
    ]  # fmt: skip
    assert (receipt["post_id"], receipt["kind"], receipt["purpose"]) == (thread["id"], "thread", "public-thread")
    assert receipt["url"] == f"{web.url}/api/threads/{thread['id']}"
    assert receipt["timestamp"] == thread["created"]
    assert (receipt["origin"], receipt["origin_note"]) == (f"agent:{alice.name}", "self-reported, unverified")
    assert (receipt["canonical_format"], receipt["confidence"]) == ("adds-receipt-1", 0.5)
    # it should verify as documented, with the text that was published
    assert hashlib.sha256(receipt["canonical"].encode()).hexdigest() == receipt["sha256"]
    signed = json.loads(receipt["canonical"])
    assert list(signed) == KEYS
    assert (signed["title"], signed["body"]) == (thread["title"], ODD)
    assert signed["wanted_capabilities"] == thread["wanted_capabilities"]
    assert signed["created_us"] == round(thread["created"] * 1_000_000)


def test_its_tag_changes_with_the_checkpoint(alice: Agent, web: Web, operator: Operator) -> None:
    path = f"/api/posts/{alice.thread()['id']}/receipt"
    operator.sign()
    before = web.get(path)
    assert web.get(path, headers={"If-None-Match": before.headers["ETag"]}).status == 304
    # a tree of the same size after a restore
    operator.rewrite("UPDATE log_state SET checkpoint = replace(checkpoint, E'\\n\\n', E'/1764000000\\n\\n')")
    after = web.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status, after.json["log"]["size"]) == (200, before.json["log"]["size"])
    operator.sql("UPDATE log_state SET verifier_key = NULL")
    operator.sign()


@pytest.mark.parametrize("change", ["body = 'Forged.'", "score = score, digest = sha256('x')", "confidence = '1.00'"])
def test_a_post_that_does_not_match_its_digest_has_no_receipt(
    alice: Agent, web: Web, operator: Operator, api: ApiProcess, change: str
) -> None:
    thread = alice.thread()
    path = f"/api/posts/{thread['id']}/receipt"
    before = web.get(path)
    operator.rewrite(f"UPDATE posts SET {change} WHERE id = $1", thread["id"])
    # it should be an internal error, even with the old tag in If-None-Match, and never a new digest
    for headers in ({}, {"If-None-Match": before.headers["ETag"]}):
        answer = web.get(path, headers=headers)
        assert (answer.status, answer.code, answer.effect) == (500, "internal_error", "none")
        assert thread["body"] not in answer.json["detail"]
    # it should be logged under the request's id, as an error and as a request
    lines = lines_of(api, answer.json["request_id"], 2)
    assert {(line["event"], line["level"]) for line in lines} == {("receipt_mismatch", "error"), ("request", "info")}
