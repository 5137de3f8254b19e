"""The examples of /openapi.json were answered by a board, and are what it answers now (interface 13.4)."""

from services.api.documents.openapi import OF_SHARED, openapi
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
    assert not empty, "extend converse in tests/contract/recording.py"


@for_each("name", sorted(set(RECORDED) & set(NAMED)))
def test_the_description_has_those_of_an_operation(name: str) -> None:
    operation, example = described(NAMED[name]), RECORDED[name]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        assert content["example"] == example.body
    for content in resolved(operation["responses"][str(example.status)])["content"].values():
        # documents share responses, with the example of one of them
        assert content["example"] == example.answer or NAMED[name].returns in (Text, Document)


def test_the_shared_problem_has_one() -> None:
    (content,) = DOCUMENT["components"]["responses"]["400"]["content"].values()
    assert content["example"] == RECORDED["400"].answer
    assert content["example"]["errors"][0]["field"] == "body"
    others = [one for name, one in DOCUMENT["components"]["responses"].items() if name not in OF_SHARED]
    assert not [node for _, node in nodes(others) if not isinstance(node.get("example", ""), str)]


def test_addresses_in_them_are_those_of_the_board() -> None:
    assert RECORDED_URL not in str(openapi(Links("http://127.0.0.1:8000")))
    assert "http://127.0.0.1:8000/api/threads/1/replies" in str(examples("http://127.0.0.1:8000"))
