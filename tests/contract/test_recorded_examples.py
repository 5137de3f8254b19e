"""The examples of /openapi.json were answered by a board, and are what it answers now (interface 13.4)."""

from typing import Any

import pytest

from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.answers import Text
from services.contract.examples import RECORDED_URL, Example, examples
from services.contract.operations import INTERFACE, NAMED
from tests.boards import EmptyBoard
from tests.contract.description import DOCUMENT, described, resolved
from tests.contract.recording import alike, converse, first_items, holds, updated
from tests.web import Web

RECORDED = examples(RECORDED_URL)
# The answer of the first is the description itself, that of the second a file.
WITHOUT = {"read_openapi", "read_client"}
CALL = Example("read_post", "GET", "/api/posts/2", 200, {"id": 2, "created": 1.5, "author": "bob"})


def test_they_are_what_a_board_answers(empty_web: Web, empty_board: EmptyBoard) -> None:
    found = converse(empty_web, empty_board.operator)
    assert found.keys() == RECORDED.keys()
    for name, example in found.items():
        assert holds(RECORDED[name], example), f"{name} is answered differently: run make examples"


def test_every_operation_and_every_shared_problem_has_one() -> None:
    assert set(RECORDED) == {operation.name for operation in INTERFACE} - WITHOUT | {"400", "401", "404", "429"}
    for name, example in RECORDED.items():
        operation = NAMED[example.operation]
        assert name == operation.name or int(name) == example.status == example.answer["status"]
        assert example.method == operation.method
        assert (example.body is not None) == (operation.body is not None), name


@pytest.mark.parametrize("name", sorted(set(RECORDED) & set(NAMED)))
def test_the_description_has_those_of_an_operation(name: str) -> None:
    operation, example = described(NAMED[name]), RECORDED[name]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        assert example_in(content) == example.body
    for content in resolved(operation["responses"][str(example.status)])["content"].values():
        # pages share one response, with the beginning of one of them
        assert example_in(content) == example.answer or NAMED[name].returns is Text


def example_in(content: Any) -> Any:
    if "examples" in content:
        (shared,) = content["examples"].values()
        return resolved(shared)["value"]
    return content["example"]


def test_the_shared_problem_has_one() -> None:
    (content,) = DOCUMENT["components"]["responses"]["Problem"]["content"].values()
    assert content["example"] == RECORDED["400"].answer
    assert content["example"]["errors"][0]["field"] == "body"


def test_addresses_in_them_are_those_of_the_board() -> None:
    assert RECORDED_URL not in str(openapi(Links("http://127.0.0.1:8000")))
    assert "http://127.0.0.1:8000/api/threads/1/replies" in str(examples("http://127.0.0.1:8000"))


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ({"id": 2, "created": 1.5, "author": "bob"}, True),
        ({"id": 2, "created": 9.5, "author": "bob"}, True),
        ({"id": 2, "created": None, "author": "bob"}, False),
        ({"id": 3, "created": 1.5, "author": "bob"}, False),
        ({"id": 2, "created": 1.5, "author": "eve"}, False),
        ({"id": 2.0, "created": 1.5, "author": "bob"}, False),
        ({"id": 2, "created": 1.5}, False),
        ({"id": 2, "created": 1.5, "author": "bob", "more": 1}, False),
        ([], False),
    ],
)
def test_only_times_and_secrets_may_differ(answer: Any, same: bool) -> None:
    assert alike(CALL.answer, answer) is same
    assert alike([CALL.answer], [answer]) is same
    assert not alike([CALL.answer], [])
    assert not alike([], [answer])


def test_recording_again_changes_only_what_no_longer_holds() -> None:
    later = Example("read_post", "GET", "/api/posts/2", 200, {"id": 2, "created": 2.5, "author": "bob"})
    other = Example("read_post", "GET", "/api/posts/2", 200, {"id": 2, "created": 2.5, "author": "eve"})
    assert updated({"read_post": CALL}, {"read_post": later}) == {"read_post": CALL}
    assert updated({"read_post": CALL}, {"read_post": other}) == {"read_post": other}
    assert updated({"removed": CALL}, {"read_post": later}) == {"read_post": later}


def test_lists_are_cut_to_their_first_item() -> None:
    assert first_items({"a": [{"b": [1, 2]}, 3], "c": []}) == {"a": [{"b": [1]}], "c": []}
