"""A misspelt setting is reported with the correct name, and foreign variables are ignored."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.compose.configuration import Configuration
from services.process.setting_sources import load_settings, misspelt
from services.process.settings import Settings
from services.process.variables import SettingsError
from tests.processes import ApiProcess

FOREIGN = ("HOSTNAME", "PORTS", "HOSTS", "LIMITER_SERVICE_PORT", "LIMITER_PORT_8100_TCP", "PGHOST", "TEST_DATABASE_URL",
           "NO_PROXY", "PROMPT_COMMAND", "BASE_IMAGE", "AGENT_BOARD_OPERATOR", "LOG_DIR")  # fmt: skip


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("LIMIT_POST", "LIMIT_POSTS"),
        ("LIMITS_POSTS", "LIMIT_POSTS"),
        ("limit_posts", "LIMIT_POSTS"),
        ("LIMIT_POST_FILE", "LIMIT_POSTS_FILE"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("BASEURL", "BASE_URL"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("API_REPLICA", "API_REPLICAS"),
    ],
)
def test_the_nearest_right_name_is_suggested(variable: str, nearest: str) -> None:
    said = misspelt({variable: "secret", "LIMIT_REGISTRATIONS": "1/60"}, ["API_REPLICAS"])
    assert said == [f"{variable} is not a setting and has no effect; did you mean {nearest}?"]


def test_right_foreign_and_blank_names_are_no_mistakes() -> None:
    ours = {name.upper() for name in Settings.model_fields}
    right = ours | {f"{name}_FILE" for name in ours} | {"API_REPLICAS"}
    assert misspelt(dict.fromkeys([*right, *FOREIGN], "x")) == []
    assert misspelt({"LIMIT_POST": " "}) == []


def test_a_wrong_setting_is_reported_with_a_misspelt_one() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({"DATABASE_URI": "postgresql://board:hunter2@db/board"})
    assert str(caught.value).splitlines() == [
        "DATABASE_URL must be given.",
        "DATABASE_URI is not a setting and has no effect; did you mean DATABASE_URL?",
    ]


def test_a_process_reports_it_when_it_starts(start_api: Callable[..., ApiProcess]) -> None:
    process = start_api(LIMIT_POST="5/60")
    first = process.log_lines()[0]
    assert first["event"] == "setting_misspelt"
    assert first["reason"] == "LIMIT_POST is not a setting and has no effect; did you mean LIMIT_POSTS?"
    assert first["level"] == "warning"


def test_commands_suggest_the_nearest_setting_of_the_stack(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.touch(0o600)
    file.write_text("LIMIT_POST=1/60\n")
    said = list(Configuration({**os.environ, "ENV_FILE": str(file)}).unknown())
    assert said == [".env sets LIMIT_POST, which nothing reads; did you mean LIMIT_POSTS?"]
