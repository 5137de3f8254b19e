"""The launcher as a process, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.launcher import Launcher


def of_others(state: Path) -> dict[str, str]:
    """Return surroundings that are meant for other programs, and must not change a board with stores of its own."""
    home = state.with_name("home")
    (home / ".postgresql").mkdir(parents=True, exist_ok=True)
    for name in ("root.crt", "postgresql.crt", "postgresql.key"):
        (home / ".postgresql" / name).write_text("no certificate")
    return {
        "HOME": str(home), "PGHOST": "192.0.2.1", "PGPORT": "1", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/x",
        "PGSSLNEGOTIATION": "direct", "PGTARGETSESSIONATTRS": "standby", "http_proxy": "http://127.0.0.1:9",
        "READ_DATABASE_URL": "postgresql://mallory:x@192.0.2.1/board",
    }  # fmt: skip


@pytest.fixture(scope="module")
def shared_launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path_factory.mktemp("running") / "state")
    yield launcher
    launcher.clear_away()


@pytest.fixture
def running(shared_launcher: Launcher) -> Launcher:
    """A running board for tests that leave it as it is, or stop it in order."""
    if not shared_launcher.runs:
        shared_launcher.start_and_wait(
            API_REPLICAS="2",
            LIMIT_REGISTRATIONS="1000/60",
            LIMIT_POSTS="1000/60",
            OPERATOR_PORT=str(shared_launcher.operator_port),
            **of_others(shared_launcher.state),
        )
    return shared_launcher


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.clear_away()
