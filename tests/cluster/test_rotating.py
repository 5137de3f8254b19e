"""Secrets are replaced under load, in the steps that deploy/k8s/README.md gives to operators."""

import json
import secrets

from tests.chaos.lasting import LastingTraffic
from tests.chaos.row import AWAY
from tests.cluster.board import ClusterBoard

# those of overlays/small
PASSWORD, VALKEY = "small-database", "small-valkey"


def test_the_password_of_the_database_is_replaced(board: ClusterBoard, figures: dict[str, str]) -> None:
    load = LastingTraffic(board)
    try:
        with load:
            load.until(10)
            give_password(board, secrets.token_hex(16))
            load.until(10)
    finally:
        give_password(board, PASSWORD)
    figures["password of the database replaced"] = load.figures()
    # a process that has the old password may need a new connection
    load.check(AWAY)


def test_the_password_of_valkey_is_replaced(board: ClusterBoard, figures: dict[str, str]) -> None:
    load, new = LastingTraffic(board), secrets.token_hex(16)
    try:
        with load:
            load.until(10)
            give_valkey_password(board, VALKEY, new)
            load.until(10)
        # the same Valkey should still count, and only for the new password
        assert int(in_valkey(board, new, "DBSIZE")) > 0
        assert "WRONGPASS" in in_valkey(board, VALKEY, "DBSIZE")
    finally:
        give_valkey_password(board, new, VALKEY)
    figures["password of Valkey replaced"] = load.figures()
    load.check()


def give_valkey_password(board: ClusterBoard, old: str, new: str) -> None:
    """Have Valkey accept two passwords until no process uses the old one."""
    in_valkey(board, old, "ACL", "SETUSER", "default", f">{new}")
    replace(board, "valkey", valkey_config=f"requirepass {new}")
    replace(board, "limiter", redis_url=f"redis://:{new}@valkey:6379/0")
    board.roll("limiter")
    in_valkey(board, new, "ACL", "SETUSER", "default", f"<{old}")


def in_valkey(board: ClusterBoard, password: str, *command: str) -> str:
    """Return what valkey-cli prints."""
    told = ("env", f"REDISCLI_AUTH={password}", "sh", "-c", '"$@" 2>&1', "sh", "valkey-cli")
    return board.kubectl("exec", "deployment/valkey", "--", *told, *command).strip()


def give_password(board: ClusterBoard, new: str) -> None:
    """Give the role of the board another password, and then the processes."""
    board.sql(f"ALTER ROLE agent_board PASSWORD '{new}'")
    replace(board, "database", database_url=f"postgresql://agent_board:{new}@postgresql-rw:5432/agent_board")
    for component in ("api", "fanout"):
        board.roll(component)


def replace(board: ClusterBoard, secret: str, **values: str) -> None:
    """Change values of a Secret."""
    board.kubectl("patch", "secret", secret, f"--patch={json.dumps({'stringData': values})}")
