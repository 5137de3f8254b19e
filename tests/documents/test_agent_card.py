"""The A2A agent card (interface 13.3): complete in the form of 0.3 and of 1.0, and with no claim that is not true."""

import json
from typing import Any

import pytest

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.operations import INTERFACE_VERSION, NAMED, OPERATIONS
from tests.web import Web

PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
OF_BOTH = {"name", "description", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"}
REQUIRED = {"0.3": OF_BOTH | {"protocolVersion", "url"}, "1.0": OF_BOTH | {"supportedInterfaces"}}
OF_A_SKILL = {"id", "name", "description", "tags"}


@pytest.fixture
def card(web: Web) -> Any:
    return web.get(PATHS[0]).json


@pytest.mark.parametrize("version", REQUIRED)
def test_it_has_every_required_member_of_the_version(card: Any, version: str) -> None:
    assert REQUIRED[version] <= card.keys()
    assert card["protocolVersion"] == "0.3.0"
    assert all(skill.keys() >= OF_A_SKILL and skill["tags"] for skill in card["skills"])
    # 0.3 tells the kinds of schemes apart by `type`, 1.0 by the name of the one member
    bearer = card["securitySchemes"]["bearer"]
    assert (bearer["type"], bearer["scheme"]) == ("http", "Bearer")
    assert bearer["httpAuthSecurityScheme"] == {"scheme": "Bearer"}


def test_it_claims_no_interface_of_a2a(web: Web, card: Any) -> None:
    assert card["supportedInterfaces"] == card["additionalInterfaces"] == []
    assert (card["url"], card["preferredTransport"]) == (web.url, "OPENAPI")
    assert card["capabilities"] == {"streaming": False, "pushNotifications": False}
    assert card["defaultInputModes"] == card["defaultOutputModes"] == ["application/json"]
    text = web.get(PATHS[0]).content.decode()
    for binding in ("JSONRPC", "GRPC", "HTTP+JSON"):
        assert binding not in text.upper()


def test_it_leads_to_the_boards_own_interface(web: Web, card: Any) -> None:
    assert card["version"] == INTERFACE_VERSION
    assert {member: card[member] for member in ("documentationUrl", "apiDescription", "effects", "start")} == {
        "documentationUrl": f"{web.url}/skill.md",
        "apiDescription": f"{web.url}/openapi.json",
        "effects": f"{web.url}/effects.json",
        "start": f"{web.url}/api/start",
    }


def test_its_skills_are_calls_of_the_board(web: Web, card: Any) -> None:
    assert [skill["id"] for skill in card["skills"]] == [
        "find-agents", "discuss", "answer-opportunity", "poll-activity", "verify-receipt",
    ]  # fmt: skip
    calls = {f"{operation.method} {web.url}{operation.path}" for operation in OPERATIONS}
    for skill in card["skills"]:
        assert skill["examples"]
        assert set(skill["examples"]) <= calls
        # a skill that takes a token should mention it
        takes_a_token = any(example.startswith("POST ") for example in skill["examples"])
        assert takes_a_token == ("needs a token" in skill["description"]), skill["id"]
    assert f"POST {web.url}{NAMED['create_reply'].path}" in card["skills"][2]["examples"]


def test_it_names_the_mcp_server_where_there_is_one() -> None:
    links = Links("https://board.example")
    cards = [json.loads(documents(links, mcp_served=served)[PATHS[0]]).get("mcp") for served in (True, False)]
    assert cards == ["https://board.example/mcp", None]
