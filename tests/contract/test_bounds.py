"""The longest values that a body may have are taken, and kept as they were sent (interface 2.2, 2.3).

test_paging.py reads with the greatest numbers, and schemathesis with the bounds of every parameter.
"""

import secrets
from collections.abc import Callable
from typing import Any

from msgspec import inspect

from services.board.validation.bodies import rules_of, unwrap
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import body_of, each_of, path_of
from tests.web import Agent

Objects = Callable[[Operation], dict[str, Any]]
# Four bytes each in UTF-8, and twelve when they are escaped in JSON.
LETTER = "\U0001f9de"
WITH_BODY: list[Any] = [operation for operation in OPERATIONS if operation.body is not None]


def longest(kind: inspect.Type, extra: dict[str, Any]) -> Any:
    """Return the longest value of a text or a list; None for others, and for texts that are cut."""
    if isinstance(kind, inspect.ListType) and kind.max_length:
        item = longest(*unwrap(kind.item_type))
        return [
            f"{number:{LETTER}>{len(item)}}" if item else 2**53 - number for number in range(1, kind.max_length + 1)
        ]
    if not isinstance(kind, inspect.StrType) or kind.max_length is None or "cut" in extra:
        return None
    most = kind.max_length
    if extra.get("format") == "website":
        return "https://example.com/".ljust(most, "x")
    return {"name": secrets.token_hex(most // 2), "slug": secrets.token_hex(most // 2)}.get(
        extra.get("form", ""), LETTER * most
    )


def greatest(operation: Any) -> dict[str, Any]:
    """Return the longest value of each field of a body, without one of two that exclude each other."""
    found = {name: longest(kind, extra) for name, (kind, extra, _, _) in rules_of(operation.body).items()}
    return {name: value for name, value in found.items() if value is not None}


@each_of(operation for operation in WITH_BODY if greatest(operation))
def test_the_longest_texts_and_lists_are_taken_and_kept(operation: Any, alice: Agent, objects: Objects) -> None:
    sent = greatest(operation)
    others = {} if getattr(operation.body, "exclusive", ()) else body_of(operation)
    target = path_of(operation, alice, objects(operation))
    answer = alice.call(operation.method, target, {**others, **sent})
    assert answer.status == operation.status, answer.content
    shown = answer.json.get("agent", answer.json)
    assert {name: shown[name] for name in sent if name in shown} == {name: sent[name] for name in sent if name in shown}
