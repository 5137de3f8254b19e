"""`make upgrade` updates the schema and the processes of this release to the next one under traffic."""

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
NEXT = f"{int(newest_migration().split('_')[0]) + 1}_20991231235959_of_the_next_release"
MIGRATION = """async def upgrade(db: BaseDBAsyncClient) -> str:
    return "CREATE TABLE of_the_next_release ()"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return "DROP TABLE of_the_next_release"


"""
APPLIED = f"SELECT count(*) FROM aerich WHERE version = '{NEXT}.py'"


def next_release(folder: Path) -> Path:
    """This release with one more migration, and with a different function."""
    after = folder / "after"
    shutil.copytree(CHECKOUT, after, ignore=shutil.ignore_patterns(*NOT_OF_A_RELEASE))
    migrations = after / "services/board/database/migrations"
    head, state, models = (migrations / newest_migration()).read_text().partition("MODELS_STATE")
    upgrade, _, _ = head.partition("async def upgrade")
    (migrations / f"{NEXT}.py").write_text(upgrade + MIGRATION + state + models)
    vote = after / "services/board/database/sql/vote.sql"
    vote.write_text("-- As it will be.\n" + vote.read_text())
    return after


@pytest.fixture
def older(images: dict[str, str], tmp_path: Path) -> Iterator[Board]:
    """The stack of this release, as its own checkout starts it."""
    with started(images, tmp_path, CHECKOUT) as board:
        yield board


def test_an_upgrade_under_traffic_fails_no_call(older: Board, figures: dict[str, str], tmp_path: Path) -> None:
    assert older.sql(APPLIED) == "0"
    older.checkout = next_release(tmp_path)
    traffic = Traffic(older)
    with traffic:
        traffic.until(20)
        said = older.make("upgrade")
        traffic.until(20)
    figures["upgrade"] = traffic.figures()
    assert f"Applied {NEXT}." in said
    assert said.strip().endswith("All replicas have been replaced.")
    assert older.sql(APPLIED) == "1"
    traffic.check()
    assert traffic.failures == {}
