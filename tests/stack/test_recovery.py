"""The board returns to a moment in the middle of load, and from a lost disk, out of the archived log."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from deploy.compose.backups import recorded
from deploy.compose.recovery import FOLDER
from services.board.moderation.restore_points import LOST_IDS_MAX
from tests.stack.archiving import check_archiving
from tests.stack.make import Board
from tests.stack.traffic import Traffic

# What PostgreSQL archives at least, and how long that may take on a busy machine.
LOST_SECONDS_MAX = 60 + 60
POSTS = "SELECT id, extract(epoch FROM created) FROM posts ORDER BY id"


def posts(board: Board) -> dict[int, float]:
    """Return when each post was created, by id."""
    rows = [row.split("|") for row in board.sql(POSTS).splitlines()]
    return {int(number): float(created) for number, created in rows}


def moment(board: Board) -> float:
    """Return the end of the current second, once it is over."""
    end = int(board.sql("SELECT ceil(extract(epoch FROM clock_timestamp()))"))
    while float(board.sql("SELECT extract(epoch FROM clock_timestamp())")) <= end:
        time.sleep(0.1)
    return end


def restore_to(moment: float) -> str:
    """Return the argument of `make restore` for a moment."""
    return f"TIME={datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S}"


def published(traffic: Traffic, board: Board) -> None:
    """Assert that the board serves without a failed call after a restore."""
    with traffic:
        traffic.until(10)
    traffic.check()


def test_the_board_returns_to_a_moment_in_the_middle_of_load(board: Board, figures: dict[str, str]) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
        middle = moment(board)
        traffic.until(10)
    traffic.check()
    before = posts(board)
    head = int(board.sql("SELECT last_id FROM log_head"))
    # an erasure after the moment holds in the restored board, too
    erase = ("agent-board", "erase", "post", str(min(before)), "--reason", "A secret.", "--yes")
    board.stack.ask("exec", "-T", "--env", "AGENT_BOARD_OPERATOR=olga", "api", *erase)
    said = board.make("restore", restore_to(middle))
    figures["restore to a moment"] = outage(said)
    assert "before_" in inside(board, f"ls {FOLDER}")
    # the way to remove the data from before should be printed
    [remove] = [line for line in said.splitlines() if "rm -rf" in line]
    board.stack.compose(*remove.split()[2:])
    assert "before_" not in inside(board, f"ls {FOLDER}")
    after = posts(board)
    assert min(before) in restored_to(middle, before, after)
    assert board.sql(f"SELECT erased, title, body FROM posts WHERE id = {min(before)}") == "t||"
    published(more := Traffic(board), board)
    first = int(board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'"))
    assert first == head + 1
    check_archiving(board)


def restored_to(middle: float, before: dict[int, float], after: dict[int, float]) -> dict[int, float]:
    """Assert that all posts before a moment are there, and none after it; return those that must be.

    The commit counts, shortly after the creation, so posts of the last second may be on either side.
    """
    certain = {number: created for number, created in before.items() if created <= middle - 1}
    possible = {number: created for number, created in before.items() if created <= middle}
    assert 0 < len(certain) <= len(possible) < len(before)
    assert certain.items() <= after.items() <= possible.items()
    return certain


def measured(board: Board) -> dict[str, str]:
    """Return what the service that makes backups has measured."""
    folder = board.stack.configuration.path("METRICS_DIR")
    pages = [(folder / f"{name}.prom").read_text(encoding="utf-8") for name in ("backup", "backup_service")]
    return dict(line.split() for page in pages for line in page.splitlines() if not line.startswith("#"))


def test_the_board_returns_from_a_lost_disk(board: Board, figures: dict[str, str]) -> None:
    with Traffic(board) as kept:
        kept.until(10)
    began = int(time.time())
    assert "was made and verified" in board.make("backup")
    shown = measured(board)
    assert began <= int(shown["agent_board_backup_timestamp_seconds"]) <= time.time()
    assert began - 60 <= int(shown["agent_board_backup_service_timestamp_seconds"]) <= time.time()
    saved = posts(board)
    with Traffic(board) as lost:
        lost.until(10)
    lost.check()
    before, head = posts(board), int(board.sql("SELECT last_id FROM log_head"))
    # the disk is gone at once, without the last words of a server that stops
    [server] = board.containers("postgresql")
    board.stack.docker("rm", "--force", server.id)
    board.stack.compose("--profile", "*", "down", "--timeout", "1")
    board.stack.docker("volume", "rm", f"{board.stack.configuration['COMPOSE_PROJECT_NAME']}_postgresql")
    said = board.make("restore")
    after = posts(board)
    assert saved.items() <= after.items() <= before.items()
    missing = max(before.values()) - max(after.values())
    assert missing <= LOST_SECONDS_MAX
    figures["lost disk"] = f"{outage(said)} The posts of the last {missing:.0f} seconds were lost."
    published(more := Traffic(board), board)
    first = int(board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'"))
    assert first > head
    assert first <= head + LOST_IDS_MAX + 1


@contextmanager
def damaged(board: Board, label: str) -> Iterator[None]:
    """Overwrite a part of each bundle of files of a backup, and undo that at the end."""
    find = f"find /var/lib/pgbackrest/backup/agent-board/{label} -path '*/bundle/*' -type f ! -name '*.saved'"
    overwrite = "dd if=/dev/urandom of={} bs=1 count=64 seek=64 conv=notrunc status=none"
    in_repository(board, f"{find} -exec cp {{}} {{}}.saved \\; ; {find} -exec {overwrite} \\;")
    yield
    in_repository(board, f"for file in $({find}); do mv $file.saved $file; done")


def in_repository(board: Board, script: str) -> None:
    board.stack.ask("run", "--rm", "--no-deps", "-T", "--entrypoint", "sh", "backup", "-c", script)


def test_a_damaged_backup_is_refused_and_nothing_is_lost(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(5)
    board.make("backup")
    before, label = posts(board), recorded(board.stack)[-1]["label"]
    containers = {each.id for each in board.containers("postgresql")}
    with damaged(board, label):
        said = board.make("restore", fails=True)
        assert "make restore: Nothing was changed: the backup cannot be restored." in said
    assert posts(board) == before
    assert {each.id for each in board.containers("postgresql")} == containers


def until_begun(make: "subprocess.Popen[str]", done: Callable[[], bool]) -> None:
    """Wait for a step of a `make` target that is running."""
    deadline = time.monotonic() + 240
    while not done():
        assert make.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_an_interrupted_restore_loses_nothing(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(5)
    before = posts(board)
    with board.begun("restore") as make:
        until_begun(make, lambda: replays(board))
        # as when the terminal is lost
        os.killpg(make.pid, signal.SIGHUP)
        said, _ = make.communicate(timeout=240)
    assert make.returncode != 0, said
    assert "The data from before are in place." in said
    board.make("up")
    board.until_well()
    assert posts(board) == before
    published(Traffic(board), board)
    check_archiving(board)


def test_a_restore_that_was_killed_is_made_again(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(5)
    before, head = posts(board), int(board.sql("SELECT last_id FROM log_head"))
    with board.begun("restore") as make:
        until_begun(make, lambda: replays(board))
        os.killpg(make.pid, signal.SIGKILL)
        make.communicate()
    board.make("restore")
    assert posts(board) == before
    published(more := Traffic(board), board)
    assert int(board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'")) == head + 1
    check_archiving(board)


def test_a_moment_that_the_log_does_not_have_leaves_the_board_as_it_was(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(5)
    before = posts(board)
    said = board.make("restore", restore_to(time.time() + 86400), fails=True)
    assert "make restore: The archived log of that backup ends before this time;" in said
    assert "Nothing was changed: the board has the data from before." in said
    board.until_well()
    assert posts(board) == before


def replays(board: Board) -> bool:
    """Return whether the server that replays the log into restored files runs."""
    return board.stack.docker("ps", "--quiet", "--filter", f"name={board.stack.project}-restored").strip() != ""


def outage(said: str) -> str:
    """Return the sentence about a restore."""
    return next(line for line in said.splitlines() if line.startswith("The board was restored"))


def inside(board: Board, script: str) -> str:
    return board.stack.ask("exec", "-T", "postgresql", "sh", "-c", script)
