"""A stack that goes from one server to three, or back, goes on with the newest data or does not start."""

from pathlib import Path

import pytest

from deploy.compose import succession
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.servers import SERVERS
from deploy.compose.stack import Stack

ONE, THREE = "compose.yaml", "compose.yaml:patroni.yaml"


def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, first: str, others: str = "") -> str:
    """Return why a stack does not start with data that were left like this; nothing if it does."""
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env"), "COMPOSE_FILE": form}))
    monkeypatch.setattr(Stack, "project", "board")
    monkeypatch.setattr(stack, "runs", lambda _: True)
    monkeypatch.setattr(stack, "containers", lambda *_: [])

    def ask(*command: str, seconds: float = 60) -> str:
        # no container runs, so another one looks at the data
        if command[0] == "exec":
            raise StackError("It does not run.")
        [server] = [each for each in SERVERS if each in command]
        return first if server == "postgresql" else others

    monkeypatch.setattr(stack, "ask", ask)
    try:
        succession.check(stack)
    except StackError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("state", ["shut down", "in production"])
def test_older_data_of_the_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    said = refused(tmp_path, monkeypatch, THREE, f"alone\n{state}\n", "yes\n")
    assert "`docker volume rm board_postgresql2 board_postgresql3 board_etcd1 board_etcd2 board_etcd3`" in said
    assert refused(tmp_path, monkeypatch, THREE, f"alone\n{state}\n") == ""
    assert refused(tmp_path, monkeypatch, THREE, f"under Patroni\n{state}\n", "yes\n") == ""


@pytest.mark.parametrize(
    ("state", "starts"), [("shut down", True), ("shut down in recovery", False), ("in production", False)]
)
def test_only_the_primary_of_three_goes_on_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, starts: bool
) -> None:
    said = refused(tmp_path, monkeypatch, ONE, f"under Patroni\n{state}\n")
    assert (said == "") is starts
    assert starts or "let the first server be the primary" in said
    assert refused(tmp_path, monkeypatch, ONE, f"alone\n{state}\n") == ""


@pytest.mark.parametrize("form", [ONE, THREE])
def test_a_server_without_data_is_no_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    assert refused(tmp_path, monkeypatch, form, "", "yes\n") == ""
