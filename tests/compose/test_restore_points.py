"""Restore points are kept next to .env: erasures of every board, and no id that may be out of date."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import restore_points
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack


def point(identity: str, **members: Any) -> dict[str, Any]:
    return {"identity": identity, "newest": 7, "actions": 2, "posts": [], "agents": [], **members}


class Running(Stack):
    """A stack whose board has a restore point, or does not run."""

    def __init__(self, folder: Path, found: dict[str, Any] | None = None) -> None:
        super().__init__(Configuration({"ENV_FILE": str(folder / ".env")}))
        self.found = found

    def containers(self, *_: str) -> list[Container]:
        return [Container("1", "postgresql-1", "postgresql", "running", "healthy", 0, 0)] if self.found else []

    def ask(self, *_: str, seconds: float = 60) -> str:
        return json.dumps(self.found)


def recorded(stack: Stack) -> list[dict[str, Any]]:
    return [json.loads(line) for line in restore_points.record(stack).splitlines()]


def test_a_board_that_runs_gives_its_newest_id_and_one_that_does_not_only_its_erasures(tmp_path: Path) -> None:
    assert recorded(Running(tmp_path)) == []
    assert recorded(Running(tmp_path, point("a", posts=[2]))) == [point("a", posts=[2])]
    assert recorded(Running(tmp_path)) == [point("a", posts=[2], newest=None)]


def test_what_was_erased_once_stays_in_the_record(tmp_path: Path) -> None:
    restore_points.record(Running(tmp_path, point("a", posts=[2, 3], agents=["0f"], actions=9)))
    [found] = recorded(Running(tmp_path, point("a", posts=[4], newest=5)))
    assert found == point("a", posts=[2, 3, 4], agents=["0f"], newest=5, actions=9)


def test_another_board_in_the_same_place_has_a_record_of_its_own(tmp_path: Path) -> None:
    restore_points.record(Running(tmp_path, point("a", posts=[2])))
    assert recorded(Running(tmp_path, point("b"))) == [point("a", posts=[2], newest=None), point("b")]


def test_a_broken_record_is_one_sentence(tmp_path: Path) -> None:
    stack = Running(tmp_path, point("a"))
    (tmp_path / ".restore-points").write_text("{")
    with pytest.raises(StackError, match=r"\.restore-points cannot be read; it records erasures of this board"):
        restore_points.record(stack)
