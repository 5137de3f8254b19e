"""The commands print what their transcripts show: a sentence changes only with its transcript."""

from pathlib import Path

import pytest

from tests.boards import EmptyBoard
from tests.transcripts.stage import Stage, transcripts


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_command_prints_what_its_transcript_shows(path: Path, empty_board: EmptyBoard, tmp_path: Path) -> None:
    text = path.read_text()
    assert Stage(empty_board, tmp_path).produce(text) == text, "make contract writes what it prints now"
