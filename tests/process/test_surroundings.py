"""Tests see programs and package indexes of their surroundings, but no settings, home or proxy."""

import os
from pathlib import Path

from services.process.settings import Settings
from tests.surroundings import HOME, visible

HOSTILE = {
    **{name.upper(): "x" for name in Settings.model_fields},
    **{f"{name.upper()}_FILE": "/nowhere" for name in Settings.model_fields},
    "API_REPLICAS": "x", "AGENT_BOARD_OPERATOR": "x", "AGENT_BOARD_HOME": "/nowhere", "AGENT_BOARD_URL": "x",
    "PGHOST": "x", "PGPORT": "x", "PGPASSFILE": "/nowhere", "PGSERVICE": "x", "PGSSLMODE": "verify-full",
    "http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9", "COMPOSE_FILE": "x", "ENV_FILE": "x",
    "LOCUST_USERS": "x", "SANIC_REQUEST_MAX_SIZE": "1", "PROMETHEUS_MULTIPROC_DIR": "/nowhere", "GIT_DIR": "/nowhere",
    "MAKEFLAGS": "n", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip


def test_nothing_that_changes_a_board_is_visible(tmp_path: Path) -> None:
    seen = visible({"PATH": "/bin", **HOSTILE}, tmp_path)
    package_managers = {"PIP_PROXY": "http://127.0.0.1:9", "NPM_CONFIG_HTTPS_PROXY": "http://127.0.0.1:9"}
    assert seen == {"PATH": "/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8", **package_managers}


def test_package_managers_keep_their_configuration(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").touch()
    given = {"HOME": str(tmp_path), "PIP_INDEX_URL": "https://index.example/simple"}
    seen = visible(given, tmp_path / "empty")
    assert seen["PIP_INDEX_URL"] == "https://index.example/simple"
    assert seen["NPM_CONFIG_USERCONFIG"] == str(tmp_path / ".npmrc")
    assert "PIP_CONFIG_FILE" not in seen


def test_these_tests_see_no_more() -> None:
    assert HOSTILE.keys().isdisjoint(os.environ.keys())
    assert str(Path.home()) == HOME.name
