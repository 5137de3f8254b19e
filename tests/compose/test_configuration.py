"""The commands change the line of .env that is in force."""

from pathlib import Path

import pytest

from deploy.compose.configuration import Configuration


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "A=/new\n"),
        ("B=1", "B=1\nA=/new\n"),
        ("# A=/default\nB=1\n", "A=/new\nB=1\n"),
        ("# A=/default\nB=1\nA=/old\n", "# A=/default\nB=1\nA=/new\n"),
        ("A=/older\nA=/old\n# A=/default\n", "A=/older\nA=/new\n# A=/default\n"),
    ],
)
def test_a_setting_is_written_where_it_counts(before: str, after: str, tmp_path: Path) -> None:
    configuration = Configuration({"ENV_FILE": str(tmp_path / ".env")})
    configuration.file.write_text(before)
    configuration.write(A="/new")
    assert configuration.file.read_text() == after
    assert configuration["A"] == "/new"
