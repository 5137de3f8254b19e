"""Clients compare the version of the interface: it is that of the specification, and additions have another number."""

import re

import agent_board_client.operations as client
from services.contract.operations import ADDITIONS, INTERFACE_VERSION
from tests.cases import for_each
from tests.contract.promised import PROMISED
from tests.web import Web

# The specification states this version for /openapi.json and the quickstart. Only another specification changes it.
SPECIFIED = "2.4.1"
STATE_IT = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/api/health", "/api/start",
            "/communication.md", "/docs", "/effects.json", "/openapi.json", "/skill.md"]  # fmt: skip
MEMBER = re.compile(r'"(?:x-)?additions":\s*(\d+)')


def test_every_document_and_answer_has_the_version_of_the_specification(web: Web) -> None:
    for path in STATE_IT:
        assert SPECIFIED in web.get(path).content.decode(), path
    assert web.get("/openapi.json").json["info"]["version"] == web.get("/api/start").json["version"] == SPECIFIED


def test_the_code_and_the_documentation_have_it_too() -> None:
    assert INTERFACE_VERSION == client.INTERFACE_VERSION == SPECIFIED
    assert f"version {SPECIFIED} of the interface with the additions {ADDITIONS} (15)" in PROMISED


@for_each("path", [path for path in STATE_IT if path.endswith((".json", "/start", "/health"))])
def test_additions_have_a_number_of_their_own(web: Web, path: str) -> None:
    assert {int(found) for found in MEMBER.findall(web.get(path).content.decode())} == {ADDITIONS}
