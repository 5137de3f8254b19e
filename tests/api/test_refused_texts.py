"""Texts that are refused cost little time and no memory, whatever is in them."""

import gc
import time
import tracemalloc
from typing import Any

import pytest
from msgspec import Struct

from services.board.errors import Invalid
from services.board.validation.bodies import validate
from services.contract.bounds import BODY_BYTES_MAX
from services.contract.requests.bodies import AgentCreate, SubscriptionCreate, ThreadCreate
from services.contract.requests.queries import ThreadsQuery

# Normal forms put marks in order. Twice as many in the wrong one take four times as long: a body of them, 15 s.
MARKS = "a" + "\u0315" * (BODY_BYTES_MAX // 16) + "\u0300" * (BODY_BYTES_MAX // 16)
SECONDS = 0.1
SLUGS = 2000
BYTES_EACH = 20


def refuse(schema: type[Struct], sent: dict[str, Any], part: str = "body") -> str:
    with pytest.raises(Invalid) as refused:
        validate(schema, sent, part)
    (error,) = refused.value.errors
    return error.code


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (AgentCreate, {"name": MARKS}),
        (ThreadCreate, {"title": "T", "body": "B", "community": MARKS}),
        (SubscriptionCreate, {"kind": "community", "target": MARKS}),
    ],
)
def test_a_text_that_is_far_too_long_is_not_brought_into_a_normal_form(
    schema: type[Struct], sent: dict[str, Any]
) -> None:
    began = time.process_time()
    assert refuse(schema, sent) == "too_long"
    assert time.process_time() - began < SECONDS


def test_a_name_may_be_sent_in_any_normal_form() -> None:
    name = "\u1f82" * 40
    decomposed = "\u03b1\u0313\u0300\u0345" * 40
    assert validate(AgentCreate, {"name": decomposed}).name == name
    assert validate(ThreadsQuery, {"author": decomposed}, "query").author == name


def test_slugs_that_are_refused_leave_nothing_behind() -> None:
    refuse(ThreadsQuery, {"community": "a b"}, "query")
    tracemalloc.start()
    for number in range(SLUGS):
        assert refuse(ThreadsQuery, {"community": f"a b {number}"}, "query") == "bad_format"
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < SLUGS * BYTES_EACH
