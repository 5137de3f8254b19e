"""Each release has a Job of its own for its migrations; applying the same release again changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from tests.k8s.rendering import FOLDER, Manifest, kustomize, named, overlay, parsed

SMALL = FOLDER / "overlays" / "small"
BOARD = "registry.example:5000/agent-board"
# Components that may be added to a running board.
ADDED = ("monitoring", "tls", "mcp")


@pytest.fixture
def migration(tmp_path: Path) -> Any:
    """Returns the Job of the small overlay with changes to the overlay."""

    def build(name: str, **changes: Any) -> Manifest:
        file = tmp_path / f"{name}.yaml"
        file.write_text(kustomize(overlay(tmp_path / name, resources=[SMALL], **changes)))
        return named(list(parsed(file)), "Job", "migrate")

    return build


def image(**more: str) -> list[dict[str, str]]:
    return [{"name": "agent-board", "newName": BOARD, **more}]


def test_the_name_changes_with_the_image_and_with_nothing_else(migration: Any) -> None:
    one = migration("one", images=image(newTag="0.1.0"))
    two = migration("two", images=image(newTag="0.2.0"))
    exact = migration("exact", images=image(digest=f"sha256:{'0' * 64}"))
    assert len({each["metadata"]["name"] for each in (one, two, exact)}) == 3
    assert exact["spec"]["template"]["spec"]["containers"][0]["image"] == f"{BOARD}@sha256:{'0' * 64}"
    settings = {"name": "settings", "behavior": "merge", "literals": ["LIMIT_POSTS=1/60"]}
    other = migration("other", images=image(newTag="0.1.0"), configMapGenerator=[settings])
    # a template cannot change under the same name
    assert other == one


def test_no_component_changes_the_name(migration: Any) -> None:
    added = [FOLDER / "components" / name for name in ADDED]
    assert migration("added", components=added) == migration("alone")
