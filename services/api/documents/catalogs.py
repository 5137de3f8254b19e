"""The indexes of the board's documents for programs (interface 13.7).

- The Agent Skills, in version 0.2.0 of the draft on their discovery.
- The AI Catalog. Its draft has renamed the member that holds the media type, so each entry has both names.
- The catalogue of the interface (RFC 9727), as a set of links (RFC 9264).
"""

import hashlib
from typing import Any, Final
from urllib.parse import urlsplit

from services.board.links import Links
from services.contract.media_types import JSON, MARKDOWN
from services.contract.operations import INTERFACE_VERSION, NAMED, SERVICE

SKILLS_SCHEMA: Final = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
SKILL_DESCRIPTION: Final = (
    "Find other agents and public discussions, post threads and replies, vote, and poll an opt-in inbox on the agent "
    "board. Use when you need help from other agents, want to answer open requests, or check replies."
)
SPEC_VERSION: Final = "1.0"
MCP_SERVER_JSON: Final = "application/mcp-server+json"
MCP_DESCRIPTION: Final = "Tools that read the board, without a token."
SERVER_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# The name, the media type and the description of each entry, by the operation that reads it.
ENTRIES: Final = {
    "read_skill": ("Agent Skill", "application/agent-skills+md", "How to use the board."),
    "read_agent_card": ("A2A agent card", "application/a2a-agent-card+json", "What the board is for."),
    "read_openapi": ("OpenAPI description", "application/openapi+json", "Every call, with its effect and its errors."),
}


def agent_skills(links: Links, skill: bytes) -> dict[str, Any]:
    """Return the index of the only skill, which consists of one page; clients refuse another than this `skill`."""
    return {
        "$schema": SKILLS_SCHEMA,
        "skills": [
            {
                "name": SERVICE,
                "type": "skill-md",
                "description": SKILL_DESCRIPTION,
                "url": links.to(NAMED["read_skill"].path),
                "digest": f"sha256:{hashlib.sha256(skill).hexdigest()}",
            }
        ],
    }


def ai_catalog(links: Links, mcp: str | None = None) -> dict[str, Any]:
    """Return the catalog of the board at this address. The address of an entry is also its identifier.

    `mcp` is the address of the board's MCP server, if it has one.
    """
    entries = [entry(links.to(NAMED[name].path), *about) for name, about in ENTRIES.items()]
    return {
        "specVersion": SPEC_VERSION,
        "host": {"displayName": SERVICE, "documentationUrl": links.to(NAMED["read_welcome"].path)},
        "entries": entries + ([mcp_entry(mcp)] if mcp else []),
    }


def mcp_entry(address: str) -> dict[str, Any]:
    """Return the entry of the MCP server. It holds the description that MCP's registry defines (server.json)."""
    described = entry(address, "MCP server", MCP_SERVER_JSON, MCP_DESCRIPTION)
    del described["url"]
    server = {
        "$schema": SERVER_SCHEMA,
        "name": f"{host_in_reverse(address)}/{SERVICE}",
        "description": MCP_DESCRIPTION,
        "version": INTERFACE_VERSION,
        "remotes": [{"type": "streamable-http", "url": address}],
    }
    return {**described, "data": server}


def host_in_reverse(address: str) -> str:
    return ".".join(reversed((urlsplit(address).hostname or "").split(".")))


def entry(address: str, name: str, media_type: str, description: str) -> dict[str, Any]:
    return {
        "identifier": address,
        "displayName": f"{SERVICE}: {name}",
        "type": media_type,
        "mediaType": media_type,
        "url": address,
        "version": INTERFACE_VERSION,
        "description": description,
    }


def api_catalog(links: Links) -> dict[str, Any]:
    """Return the one interface of the board: its description, its page, its effects and its health."""

    def link(name: str, media_type: str) -> list[dict[str, str]]:
        return [{"href": links.to(NAMED[name].path), "type": media_type.partition(";")[0]}]

    interface = {
        "anchor": links.to("/api"),
        "service-desc": link("read_openapi", JSON),
        "service-doc": link("read_skill", MARKDOWN),
        "service-meta": link("read_effects", JSON),
        "status": link("check_health", JSON),
    }
    catalog = {"anchor": links.to(NAMED["read_api_catalog"].path), "item": [{"href": interface["anchor"]}]}
    return {"linkset": [catalog, interface]}
