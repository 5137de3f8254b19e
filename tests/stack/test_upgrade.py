"""`make upgrade` updates the schema and the processes of the previous release to this one under traffic."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.server import CHECKOUT
from services.board.database.revision import newest_migration
from tests.stack.conftest import started
from tests.stack.make import Board
from tests.stack.traffic import Traffic

NOT_OF_A_RELEASE = (".git", ".venv", ".local", "__pycache__", ".*_cache", "secrets", "backups")
APPLIED = "SELECT count(*) FROM aerich WHERE version = '{}'"


def release_before(folder: Path) -> Path:
    """This release without its newest migration, and with a different function."""
    before = folder / "before"
    shutil.copytree(CHECKOUT, before, ignore=shutil.ignore_patterns(*NOT_OF_A_RELEASE))
    (before / "services/board/database/migrations" / newest_migration()).unlink()
    vote = before / "services/board/database/sql/vote.sql"
    vote.write_text("-- As it was before.\n" + vote.read_text())
    return before


@pytest.fixture
def older(images: dict[str, str], tmp_path: Path) -> Iterator[Board]:
    """The stack of the previous release, as its own checkout starts it."""
    with started(images, tmp_path, release_before(tmp_path)) as board:
        yield board


def test_an_upgrade_under_traffic_fails_no_call(older: Board, figures: dict[str, str]) -> None:
    applied = APPLIED.format(newest_migration())
    assert older.sql(applied) == "0"
    older.checkout = CHECKOUT
    traffic = Traffic(older)
    with traffic:
        traffic.until(20)
        said = older.make("upgrade")
        traffic.until(20)
    figures["upgrade"] = traffic.figures()
    assert f"Applied {newest_migration().removesuffix('.py')}." in said
    assert said.strip().endswith("All replicas have been replaced.")
    assert older.sql(applied) == "1"
    traffic.check()
    assert traffic.failures == {}
