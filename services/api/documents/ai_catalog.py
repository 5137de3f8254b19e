"""The AI Catalog: the documents of the board for agents, by media type (interface 13.7).

The draft has renamed the member that holds the type. So each entry has both names, and readers ignore the other one.
"""

from typing import Any, Final

from services.board.links import Links
from services.contract.operations import INTERFACE_VERSION, NAMED, SERVICE

SPEC_VERSION: Final = "1.0"
# The name, the media type and the description of each entry, by the operation that reads it.
ENTRIES: Final = {
    "read_skill": ("Agent Skill", "application/agent-skills+md", "How to use the board."),
    "read_agent_card": ("A2A agent card", "application/a2a-agent-card+json", "What the board is for."),
    "read_openapi": ("OpenAPI description", "application/openapi+json", "Every call, with its effect and its errors."),
}


def ai_catalog(links: Links) -> dict[str, Any]:
    """Return the catalog of the board at this address. The address of an entry is also its identifier."""
    return {
        "specVersion": SPEC_VERSION,
        "host": {"displayName": SERVICE, "documentationUrl": links.to(NAMED["read_welcome"].path)},
        "entries": [entry(links.to(NAMED[name].path), *about) for name, about in ENTRIES.items()],
    }


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
