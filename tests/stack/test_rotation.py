"""Every secret is changed under load as the README describes it: no call fails, and backups and exporters go on."""

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.compose.secret_table import rows
from tests.stack.by_hand import blocks, run
from tests.stack.make import Board
from tests.stack.prometheus import until
from tests.stack.traffic import Traffic

PROFILE = ("--profile", "observability")
EXPORTERS = {"postgres-exporter": ("9187", "pg_up 1"), "valkey-exporter": ("9121", "redis_up 1")}
FETCH = "import urllib.request; print(urllib.request.urlopen('http://{}:{}/metrics').read().decode())"


def in_place(file: Path, text: str) -> None:
    file.write_text(text)


def by_rename(file: Path, text: str) -> None:
    """As an editor does: into another file, which takes its place."""
    status, new = file.stat(), file.with_name("new")
    new.write_text(text)
    new.chmod(0o600)
    os.chown(new, status.st_uid, status.st_gid)
    new.rename(file)


@pytest.fixture
def watched(board: Board) -> Iterator[Board]:
    board.stack.compose(*PROFILE, "up", "--detach", "--no-build", "--no-recreate", *EXPORTERS)
    yield board
    board.stack.compose(*PROFILE, "rm", "--stop", "--force", "--volumes", *EXPORTERS)


def logged_in(board: Board) -> set[str]:
    """Return the exporters that reach their stores."""
    api = board.containers("api")[0].id
    pages = {
        name: board.stack.docker("exec", api, "/opt/agent-board/bin/python", "-c", FETCH.format(name, port))
        for name, (port, _) in EXPORTERS.items()
    }
    return {name for name, (_, line) in EXPORTERS.items() if line in pages[name].splitlines()}


@pytest.mark.slow
@pytest.mark.parametrize("write", [in_place, by_rename])
def test_every_secret_is_changed_without_a_failed_call(
    watched: Board, folder: Path, figures: dict[str, str], write: Callable[[Path, str], None]
) -> None:
    [function] = blocks("Secrets")
    changed = [row for row in rows() if not row.is_kept and not row.files[0].endswith("_url")]
    with Traffic(watched) as traffic:
        traffic.until(10)
        for row in changed:
            first, *made = (folder / "secrets" / name for name in row.files)
            write(first, f"{secrets.token_hex(24)}\n")
            for file in made:
                file.unlink()
        watched.make("secrets")
        run(watched, [*function, *(row.command for row in changed)], {"secrets/": f"{folder}/secrets/"})
        said = watched.make("roll")
        traffic.until(10)
        # services without a new secret should be left
        assert "Replacing these" not in said
        assert "was made and verified" in watched.make("backup")
        until(lambda: logged_in(watched), EXPORTERS.keys())
        traffic.until(10)
    traffic.check()
    figures[f"secrets {write.__name__}"] = traffic.figures()
