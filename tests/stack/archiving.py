"""Whether PostgreSQL archives its log."""

from deploy.compose.waiting import until
from tests.stack.make import Board

FAILING = "SELECT count(*) FROM pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, '-infinity')"
ARCHIVED_SECONDS = 120


def check_archiving(board: Board) -> None:
    """Assert that everything written so far is archived, in the end without a failure."""
    board.sql("SELECT pg_current_xact_id()")
    segment = board.sql("SELECT pg_walfile_name(pg_switch_wal())")
    archived = f"SELECT last_archived_wal >= '{segment}' FROM pg_stat_archiver"
    until(lambda: board.sql(archived) == "t", ARCHIVED_SECONDS, f"{segment} was not archived.")
    assert board.sql(FAILING) == "0"
