"""`make upgrade` leads from this release to the next one under traffic, and `make roll` back to this one.

It replaces everything that no request needs, too, and names what is left.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.rolling import read_again
from deploy.environment import CHECKOUT
from services.board.database.revision import newest_migration
from tests.chaos.row import ANYTHING
from tests.stack.make import Board
from tests.stack.prometheus import until
from tests.stack.traffic import Traffic

NOT_OF_A_RELEASE = (".git", ".venv", ".local", "__pycache__", ".*_cache", "secrets", "backups")
NEXT = f"{int(newest_migration().split('_')[0]) + 1}_20991231235959_of_the_next_release"
MIGRATION = """async def upgrade(db: BaseDBAsyncClient) -> str:
    return "CREATE TABLE of_the_next_release ()"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return "DROP TABLE of_the_next_release"


"""
APPLIED = f"SELECT count(*) FROM aerich WHERE version = '{NEXT}.py'"


# The next release has other images of these, too.
OTHERS = ("DATABASE_IMAGE", "HAPROXY_IMAGE", "NODE_EXPORTER_IMAGE")
WATCHING = ("prometheus", "targets", "node-exporter")
IN_PLACE = ("backup", *WATCHING)
LEFT = re.compile("^  (docker compose up .+ ([a-z]+))    # ", re.MULTILINE)


def next_release(folder: Path) -> Path:
    """This release with one more migration, and with a different function."""
    after = folder / "after"
    shutil.copytree(CHECKOUT, after, ignore=shutil.ignore_patterns(*NOT_OF_A_RELEASE))
    migrations = after / "services/board/database/migrations"
    head, _, _ = (migrations / newest_migration()).read_text().partition("async def upgrade")
    (migrations / f"{NEXT}.py").write_text(head + MIGRATION)
    vote = after / "services/board/posts/sql/vote.sql"
    vote.write_text("-- As it will be.\n" + vote.read_text())
    backup = after / "deploy/compose/pgbackrest/backup-now"
    backup.write_text(backup.read_text() + "# As it will be.\n")
    return after


def others_of_the_next_release(given: dict[str, str]) -> None:
    """Name the other images of the next release, and make those that it does not build."""
    for name in OTHERS:
        former, given[name] = given[name], f"{given[name]}-next"
        if name != "DATABASE_IMAGE":
            label = ["docker", "build", "-q", "-t", given[name], "--label", "next=yes", "-"]
            subprocess.run(label, input=f"FROM {former}\n", text=True, capture_output=True, check=True)


@pytest.fixture
def older(board: Board) -> Iterator[Board]:
    """The shared stack with monitoring. The last file of tests may leave it with the schema of the next release."""
    given = board.stack.configuration.environment
    this = given["BOARD_IMAGE"]
    profile = ("--profile", "observability")
    board.stack.compose(*profile, "up", "--detach", "--no-build", "--no-recreate", "--wait", *WATCHING)
    yield board
    board.checkout, given["BOARD_IMAGE"] = CHECKOUT, this
    board.stack.compose(*profile, "rm", "--stop", "--force", "--volumes", *WATCHING)


def outage_of_the_rest(board: Board, said: str) -> str:
    """Run the commands that replace the rest, as they were printed; return for how long the board was away."""
    before = running(board)
    with Traffic(board) as traffic:
        traffic.until(10)
        for command, _ in LEFT.findall(said):
            words = board.stack.command(*command.split()[2:], "--wait")
            subprocess.run(words, cwd=board.checkout / "deploy/compose", env=board.stack.environment(), check=True)
        traffic.until(10)
    traffic.check(ANYTHING)
    # Compose should neither replace nor restart what depends on them
    assert {service for service, _, _ in before - running(board)} == {*left(said)}
    return traffic.figures()


def running(board: Board) -> set[tuple[str, str, float]]:
    return {(each.service, each.id, each.started) for each in board.containers() if each.status == "running"}


def reads_its_files_again(board: Board) -> None:
    [prometheus] = board.containers("prometheus")
    read = "Loading configuration file"
    before = board.stack.docker("logs", prometheus.id, errors=True).count(read)
    read_again(board.stack)
    until(lambda: board.stack.docker("logs", prometheus.id, errors=True).count(read), before + 1)
    [after] = board.containers("prometheus")
    assert (after.id, after.restarts) == (prometheus.id, 0)


def left(said: str) -> list[str]:
    """Return the services that were left, by what a command has printed."""
    return [service for _, service in LEFT.findall(said)]


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
    others_of_the_next_release(given)
    before = {each.service: each.id for each in older.containers()}
    with Traffic(older) as traffic:
        traffic.until(20)
        said = older.make("upgrade")
        traffic.until(20)
    figures["upgrade"] = traffic.figures()
    assert f"Applied {NEXT}." in said
    assert older.sql(APPLIED) == "1"
    assert images_of(older) == {following}
    traffic.check()
    replaced = {each.service for each in older.containers() if each.id != before[each.service]}
    assert replaced == {"api", "limiter", "fanout", *IN_PLACE}
    # the rest should be named, with the command and the cost
    assert left(said) == ["haproxy", "postgresql"]
    reads_its_files_again(older)
    figures["the rest"] = outage_of_the_rest(older, said)
    assert left(older.make("up")) == []
    assert older.make("doctor").strip().endswith("All is well.")
    # this release should serve on the schema of the next one
    older.checkout, given["BOARD_IMAGE"] = CHECKOUT, this
    with Traffic(older) as traffic:
        traffic.until(20)
        said = older.make("roll")
        traffic.until(20)
    assert "All replicas have been replaced." in said
    figures["way back"] = traffic.figures()
    assert images_of(older) == {this}
    assert older.sql(APPLIED) == "1"
    traffic.check()
    # the others still mount files of the next release
    assert "haproxy" in left(said)
