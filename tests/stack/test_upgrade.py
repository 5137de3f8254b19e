"""`make upgrade` leads from this release to the next one under traffic, and `make roll` back to this one."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.server import CHECKOUT
from services.board.database.revision import newest_migration
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
def older(board: Board) -> Iterator[Board]:
    """The shared stack, which the last file of tests may leave with the schema of the next release."""
    given = board.stack.configuration.environment
    this = given["BOARD_IMAGE"]
    yield board
    board.checkout, given["BOARD_IMAGE"] = CHECKOUT, this


def images_of(board: Board) -> set[str]:
    """Return the images of all processes of the board."""
    running = [each.id for service in ("api", "limiter", "fanout") for each in board.containers(service)]
    return set(board.stack.docker("inspect", "--format", "{{.Config.Image}}", *running).split())


def test_an_upgrade_and_the_way_back_under_traffic_fail_no_call(
    older: Board, figures: dict[str, str], tmp_path: Path
) -> None:
    assert older.sql(APPLIED) == "0"
    given = older.stack.configuration.environment
    this, following = given["BOARD_IMAGE"], f"{given['BOARD_IMAGE']}-next"
    older.checkout, given["BOARD_IMAGE"] = next_release(tmp_path), following
    with Traffic(older) as traffic:
        traffic.until(20)
        said = older.make("upgrade")
        traffic.until(20)
    figures["upgrade"] = traffic.figures()
    assert f"Applied {NEXT}." in said
    assert said.strip().endswith("All replicas have been replaced.")
    assert older.sql(APPLIED) == "1"
    assert images_of(older) == {following}
    traffic.check()
    assert traffic.failures == {}
    # this release should serve on the schema of the next one
    older.checkout, given["BOARD_IMAGE"] = CHECKOUT, this
    with Traffic(older) as traffic:
        traffic.until(20)
        assert older.make("roll").strip().endswith("All replicas have been replaced.")
        traffic.until(20)
    figures["way back"] = traffic.figures()
    assert images_of(older) == {this}
    assert older.sql(APPLIED) == "1"
    traffic.check()
    assert traffic.failures == {}
    assert older.make("doctor").strip().endswith("All is well.")
