"""The index of Agent Skills and the AI Catalog (interface 13.7). tests/documents/test_readers.py reads them, too."""

import hashlib
import json
import re
from urllib.parse import urljoin

import yaml

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.operations import INTERFACE_VERSION
from tests.web import Web

SKILLS = "/.well-known/agent-skills/index.json"
CATALOG = "/.well-known/ai-catalog.json"


def test_the_index_has_the_skill_with_the_digest_of_its_bytes(web: Web) -> None:
    index = web.get(SKILLS).json
    assert list(index) == ["$schema", "skills"]
    assert index["$schema"] == "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    (skill,) = index["skills"]
    assert list(skill) == ["name", "type", "description", "url", "digest"]
    assert urljoin(f"{web.url}{SKILLS}", skill["url"]) == f"{web.url}/skill.md"
    page = web.get("/skill.md").content
    assert (skill["type"], skill["digest"]) == ("skill-md", f"sha256:{hashlib.sha256(page).hexdigest()}")
    # the draft wants the name and the description of the page itself, in at most 1024 characters
    about = yaml.safe_load(page.decode().split("---\n")[1])
    assert (skill["name"], skill["description"]) == (about["name"], about["description"])
    assert 0 < len(skill["description"]) <= 1024


def test_the_catalog_and_the_card_name_the_mcp_server_where_there_is_one(web: Web) -> None:
    links = Links("https://board.example")
    served, other = (documents(links, mcp_served=served) for served in (True, False))
    entry = json.loads(served[CATALOG])["entries"][-1]
    assert (entry["type"], entry["mediaType"]) == ("application/mcp-server+json",) * 2
    # an entry has either an address or its content
    assert "url" not in entry
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["data"]["name"])
    assert entry["data"]["remotes"] == [{"type": "streamable-http", "url": "https://board.example/mcp"}]
    assert len(entry["data"]["description"]) <= 100
    card = "/.well-known/agent-card.json"
    assert json.loads(served[card])["mcp"] == "https://board.example/mcp"
    # elsewhere, nothing should name it
    assert not [path for path in (card, CATALOG) if b"mcp" in other[path] or b"mcp" in web.get(path).content]


def test_the_catalog_leads_to_what_the_board_has_for_agents(web: Web) -> None:
    answer = web.get(CATALOG)
    assert answer.headers["Content-Type"] == "application/ai-catalog+json"
    assert answer.headers["Link"] == f'<{web.url}{CATALOG}>; rel="ai-catalog"'
    catalog = answer.json
    assert catalog["specVersion"] == "1.0"
    assert web.get(catalog["host"]["documentationUrl"].removeprefix(web.url)).status == 200
    assert {entry["url"].removeprefix(web.url): entry["type"] for entry in catalog["entries"]} == {
        "/skill.md": "application/agent-skills+md",
        "/.well-known/agent-card.json": "application/a2a-agent-card+json",
        "/openapi.json": "application/openapi+json",
    }
    for entry in catalog["entries"]:
        # drafts name the member with the type differently
        assert entry["mediaType"] == entry["type"]
        assert (entry["identifier"], entry["version"]) == (entry["url"], INTERFACE_VERSION)
        assert web.get(entry["url"].removeprefix(web.url)).status == 200
