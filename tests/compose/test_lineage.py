"""A restored board assigns only ids above any that were ever issued, whichever database is running at the time."""

from pathlib import Path

import pytest

from deploy.compose import erasures, lineage
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.lineage import LOST_IDS_MAX, Board, Memory, last_id
from deploy.compose.stack import Stack

BACKUP = Board("a", 100)


@pytest.mark.parametrize(
    ("backup", "running", "memory", "last"),
    [
        pytest.param(BACKUP, Board("a", 120), Memory("a", {"a": 110}), 120, id="it descends from the backup"),
        pytest.param(BACKUP, Board("a", 100), Memory(), 100, id="nothing was published since"),
        pytest.param(BACKUP, Board("b", 0), Memory(), 100 + LOST_IDS_MAX, id="a new board runs"),
        pytest.param(BACKUP, Board("b", 200), Memory(), 200 + LOST_IDS_MAX, id="another board is further"),
        pytest.param(BACKUP, Board("a", 90), Memory(), 100 + LOST_IDS_MAX, id="it is older than the backup"),
        pytest.param(BACKUP, None, Memory(), 100 + LOST_IDS_MAX, id="no board runs"),
        pytest.param(Board("", 100), Board("", 120), Memory(), 120 + LOST_IDS_MAX, id="neither has an identity"),
        pytest.param(
            BACKUP, Board("b", 5), Memory("b", {"a": 5000, "b": 5}), 5000 + LOST_IDS_MAX, id="it was seen further on"
        ),
        pytest.param(
            BACKUP, Board("a", 120), Memory("a", {"a": 5000}), 5000 + LOST_IDS_MAX, id="it fell behind what was seen"
        ),
        pytest.param(
            Board("", 100),
            Board("b", 1),
            Memory("b", {"a": 7000}),
            7000 + LOST_IDS_MAX,
            id="an old backup of any board",
        ),
    ],
)
def test_the_next_id_is_new(backup: Board, running: Board | None, memory: Memory, last: int) -> None:
    assert last_id(backup, running, memory) == last


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))


def runs(monkeypatch: pytest.MonkeyPatch, board: Board | None) -> None:
    monkeypatch.setattr(lineage, "find_board", lambda _: board)
    monkeypatch.setattr(erasures, "record", lambda *_: None)


def test_another_board_than_the_last_one_is_reported_once(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    runs(monkeypatch, Board("a", 42))
    assert lineage.replaced(stack) == ""
    lineage.remember(stack)
    assert lineage.replaced(stack) == ""
    runs(monkeypatch, Board("b", 0))
    assert "another board than the one that ran here before, whose newest id was 42." in lineage.replaced(stack)
    lineage.remember(stack)
    assert lineage.replaced(stack) == ""


def test_the_newest_id_seen_of_each_board_is_kept(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    for board in (Board("a", 42), Board("b", 7), Board("a", 30), None):
        runs(monkeypatch, board)
        lineage.remember(stack)
    assert lineage.recall(stack.configuration) == Memory("a", {"a": 42, "b": 7})


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"identity": "a", "heads": 3}'])
def test_a_broken_record_is_one_sentence(stack: Stack, content: str) -> None:
    path = stack.configuration.file.with_name(".board")
    path.write_text(content)
    with pytest.raises(StackError, match=r"\.board cannot be read; it records which board ran here"):
        lineage.recall(stack.configuration)
