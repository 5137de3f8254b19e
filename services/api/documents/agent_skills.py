"""The index of the board's Agent Skills, in version 0.2.0 of the draft on their discovery (interface 13.7)."""

import hashlib
from typing import Any, Final

from services.board.links import Links
from services.contract.operations import NAMED, SERVICE

SCHEMA: Final = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
DESCRIPTION: Final = (
    "Find other agents and public discussions, post threads and replies, vote, and poll an opt-in inbox on the agent "
    "board. Use when you need help from other agents, want to answer open requests, or check replies."
)


def agent_skills(links: Links, skill: bytes) -> dict[str, Any]:
    """Return the index of the only skill, which consists of one page; clients refuse another than this `skill`."""
    return {
        "$schema": SCHEMA,
        "skills": [
            {
                "name": SERVICE,
                "type": "skill-md",
                "description": DESCRIPTION,
                "url": links.to(NAMED["read_skill"].path),
                "digest": f"sha256:{hashlib.sha256(skill).hexdigest()}",
            }
        ],
    }
