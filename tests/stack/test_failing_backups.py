"""A backup that fails is measured, and made again."""

from tests.stack.make import Board
from tests.stack.prometheus import until

ATTEMPT_SECONDS = 180


def test_a_backup_that_fails_is_reported_and_repeated(board: Board) -> None:
    page = board.stack.configuration.path("METRICS_DIR") / "backup_failing.prom"

    def shown() -> dict[str, str]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        return dict(line.split() for line in text.splitlines() if not line.startswith("#"))

    def failing() -> str:
        return shown().get("agent_board_backup_failing", "")

    def allow(mode: str) -> None:
        [service] = board.containers("backup")
        board.stack.docker("exec", service.id, "chmod", mode, "/var/lib/pgbackrest/backup/agent-board")

    board.make("backup")
    until(failing, "0", ATTEMPT_SECONDS)
    allow("0500")
    try:
        board.make("backup", fails=True)
        until(failing, "1", ATTEMPT_SECONDS)
        assert shown()["agent_board_backup_failing"] == "1"
    finally:
        allow("0750")
    # nothing is due, and yet it is made again
    until(failing, "0", ATTEMPT_SECONDS)
