"""The examples of /openapi.json were answered by a board, and are what it answers now (interface 13.4)."""

from collections.abc import Iterator
from typing import Any

import msgspec
from openapi_schema_validator import OAS30Validator

from services.api.documents.openapi import openapi
from services.api.documents.openapi_examples import OF_SHARED, beginning
from services.board.links import Links
from services.contract.answers.documents import Document, Text
from services.contract.examples import RECORDED_URL, examples
from services.contract.operations import INTERFACE, NAMED
from tests.boards import EmptyBoard
from tests.cases import for_each
from tests.contract.description import DOCUMENT, described, resolved
from tests.contract.recording import converse, holds
from tests.contract.test_description import nodes
from tests.web import Web

RECORDED = examples(RECORDED_URL)
# The answer of the first is the description itself, those of the others are files.
WITHOUT = {"read_openapi", "read_client", "read_log_entries", "read_log_tile"}
EXTEND = "extend converse in tests/contract/recording.py"


def test_they_are_what_a_board_answers(empty_web: Web, empty_board: EmptyBoard) -> None:
    found = converse(empty_web, empty_board.operator)
    assert found.keys() == RECORDED.keys()
    for name, example in found.items():
        assert holds(RECORDED[name], example), f"{name} is answered differently: run make contract"


def test_every_operation_and_every_shared_problem_has_one() -> None:
    assert set(RECORDED) == {operation.name for operation in INTERFACE} - WITHOUT | {"400", "401", "404", "429"}
    for name, example in RECORDED.items():
        operation = NAMED[example.operation]
        assert name == operation.name or int(name) == example.status == example.answer["status"]
        assert example.method == operation.method
        assert (example.body is not None) == (operation.body is not None), name


def test_every_list_shows_an_item() -> None:
    answers = {name: example.answer for name, example in RECORDED.items() if isinstance(example.answer, dict)}
    empty = [name for name, answer in answers.items() if answer.get("items") == []]
    assert not empty, EXTEND


@for_each("name", sorted(set(RECORDED) & set(NAMED)))
def test_the_description_has_those_of_an_operation(name: str) -> None:
    operation, example = described(NAMED[name]), RECORDED[name]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        assert content["example"] == example.body
    for content in resolved(operation["responses"][str(example.status)])["content"].values():
        if "example" in content:
            # documents share responses, with the beginning of one of them
            assert content["example"] == beginning(example.answer) or NAMED[name].returns in (Text, Document)
        else:
            assert [*members(content["schema"], example.answer)]


def members(schema: Any, value: Any) -> Iterator[str]:
    """The examples of the members of an answer. Fails when one has none, or one of another type."""
    schema = resolved(schema)
    parts = [*schema.get("allOf", []), *schema.get("anyOf", [])[:1]]
    if "discriminator" in schema:
        by = schema["discriminator"]
        parts = [{"$ref": by["mapping"][value[by["propertyName"]]]}]
    members_of_parts = [(part, value) for part in parts]
    own = [(member, value[name]) for name, member in schema.get("properties", {}).items() if name in (value or {})]
    items = [(schema["items"], item) for item in value] if "items" in schema and "example" not in schema else []
    for member, given in (*members_of_parts, *own, *items):
        yield from members(member, given)
    if "example" in schema:
        assert OAS30Validator(schema).is_valid(schema["example"])
        yield msgspec.json.encode(schema["example"]).decode()
    elif value is not None and not parts and "items" not in schema:
        plain = "enum" in schema or "properties" in schema or schema["type"] == "boolean"
        assert plain, f"{schema} has no example: {EXTEND}"


def test_every_example_in_a_schema_was_answered() -> None:
    answered = {msgspec.json.encode(value) for example in RECORDED.values() for value in values(example.answer)}
    schemas = DOCUMENT["components"]["schemas"]
    found = [node["example"] for _, node in nodes(schemas) if "example" in node]
    assert len(found) > 100
    assert [value for value in found if msgspec.json.encode(value) not in answered] == []


def values(answer: Any) -> Iterator[Any]:
    yield answer
    # of a mapping, only one member is shown
    yield from ({name: child} for name, child in answer.items()) if isinstance(answer, dict) else ()
    children = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else []
    for child in children:
        yield from values(child)


def test_the_shared_problem_has_one() -> None:
    (content,) = DOCUMENT["components"]["responses"]["400"]["content"].values()
    assert content["example"] == RECORDED["400"].answer
    assert content["example"]["errors"][0]["field"] == "body"
    others = [one for name, one in DOCUMENT["components"]["responses"].items() if name not in OF_SHARED]
    # the example of a text is its beginning, which is that of all texts of its kind
    assert not [node for _, node in nodes(others) if not isinstance(node.get("example", ""), str)]


def test_addresses_in_them_are_those_of_the_board() -> None:
    assert RECORDED_URL not in str(openapi(Links("http://127.0.0.1:8000")))
    assert "http://127.0.0.1:8000/api/threads/1/replies" in str(examples("http://127.0.0.1:8000"))
