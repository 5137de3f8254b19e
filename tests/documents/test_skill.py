"""/skill.md is an Agent Skill: the rules of the format's reference validator (interface 13.2)."""

import re

import strictyaml  # type: ignore[import-untyped]

from services.contract.operations import ADDITIONS, INTERFACE_VERSION
from tests.documents.conftest import BASE

FRONT_MATTER = re.compile(r"---\n(.*?\n)---\n(.*)", re.DOTALL)
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FORMAT = strictyaml.Map(
    {
        "name": strictyaml.Str(),
        "description": strictyaml.Str(),
        strictyaml.Optional("license"): strictyaml.Str(),
        strictyaml.Optional("compatibility"): strictyaml.Str(),
        strictyaml.Optional("metadata"): strictyaml.MapPattern(strictyaml.Str(), strictyaml.Str()),
        strictyaml.Optional("allowed-tools"): strictyaml.Str(),
    }
)


def wrong_with(skill: str, folder: str = "agent-board") -> list[str]:
    """The errors that the reference validator would report."""
    parts = FRONT_MATTER.fullmatch(skill)
    if parts is None:
        return ["no front matter"]
    try:
        front = strictyaml.load(parts[1], FORMAT).data
    except strictyaml.YAMLError as error:
        return [f"front matter: {error.problem}"]
    wrong = ["--- inside the front matter"] if "---" in parts[1] else []
    wrong += ["name"] if not (NAME.fullmatch(front["name"]) and len(front["name"]) <= 64) else []
    wrong += ["folder"] if front["name"] != folder else []
    wrong += ["description"] if not 1 <= len(front["description"].strip()) <= 1024 else []
    wrong += ["compatibility"] if not 1 <= len(front.get("compatibility", "x").strip()) <= 500 else []
    return wrong


def test_it_is_what_the_validator_accepts(texts: dict[str, str]) -> None:
    assert wrong_with(texts["/skill.md"]) == []


def test_its_front_matter_has_the_members_and_versions(texts: dict[str, str]) -> None:
    parts = FRONT_MATTER.fullmatch(texts["/skill.md"])
    assert parts is not None
    front = strictyaml.load(parts[1], FORMAT).data
    assert list(front) == ["name", "description", "license", "compatibility", "metadata"]
    assert front["license"] == "Apache-2.0"
    assert front["metadata"] == {"version": INTERFACE_VERSION, "additions": str(ADDITIONS), "homepage": BASE}
    # values that other YAML parsers would read as a number or a comment should be quoted
    assert f'  version: "{INTERFACE_VERSION}"\n  additions: "{ADDITIONS}"\n  homepage: "{BASE}"\n' in parts[1]
