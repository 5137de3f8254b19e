"""Clients compare the version of the interface: it is that of the specification, and additions have another number."""

import re
from collections.abc import Iterator
from typing import Any

import agent_board_client.operations as client
from services.contract.effects import NONE
from services.contract.examples import RECORDED
from services.contract.operation import GET, Operation
from services.contract.operations import ADDITIONS, INTERFACE_VERSION, OPERATIONS
from tests.cases import for_each
from tests.contract.promised import PROMISED
from tests.web import Answer, Web

# The specification states this version for /openapi.json and the quickstart. Only another specification changes it.
SPECIFIED = "2.4.1"
# A version of the interface that is not older, in any text.
EDITION = re.compile(r"(?<![\w.])2\.[4-9]\.\d+(?![\w.])")
# The version of JSON Feed stands in a member of this name, too.
READS = [
    operation
    for operation in OPERATIONS
    if operation.method == GET and operation.effect is NONE and not operation.parameters
    and not operation.needs_query and operation.name != "read_feed"
]  # fmt: skip
STATE_IT = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/api/health", "/api/start",
            "/communication.md", "/docs", "/effects.json", "/openapi.json", "/skill.md"]  # fmt: skip


def members(name: str, answer: Any) -> Iterator[Any]:
    """The values of the members of this name at any depth, except objects."""
    if isinstance(answer, dict):
        yield from (value for key, value in answer.items() if key == name and not isinstance(value, dict))
    inner = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else ()
    for value in inner:
        yield from members(name, value)


def stated(operation: Operation, answer: Answer) -> set[str]:
    """The versions of the interface that an answer states: in its members, and in the text of a document."""
    found = set(EDITION.findall(answer.content.decode())) if operation.document else set()
    if "json" in operation.media_type:
        found |= {value for value in members("version", answer.json) if not value.startswith("https:")}
    return found


def test_every_document_and_answer_has_the_version_of_the_specification(web: Web) -> None:
    answers = {read.path: stated(read, web.get(read.path)) for read in READS if read.name != "read_client"}
    assert {path: versions for path, versions in answers.items() if versions} == {
        path: {SPECIFIED} for path in STATE_IT
    }
    assert web.get("/openapi.json").json["info"]["version"] == web.get("/api/start").json["version"] == SPECIFIED


def test_the_code_the_examples_and_the_documentation_have_it_too() -> None:
    assert INTERFACE_VERSION == client.INTERFACE_VERSION == SPECIFIED
    assert set(EDITION.findall(PROMISED)) == set(EDITION.findall(RECORDED.read_text())) == {SPECIFIED}
    assert PROMISED.count(SPECIFIED) == 1
    assert f"version {SPECIFIED} of the interface with the additions {ADDITIONS} (15)" in PROMISED


@for_each("path", [path for path in STATE_IT if path.endswith((".json", "/start", "/health"))])
def test_additions_have_a_number_of_their_own(web: Web, path: str) -> None:
    assert type(ADDITIONS) is int
    found = set(members("additions", web.get(path).json)) | set(members("x-additions", web.get(path).json))
    assert found == {ADDITIONS}
