"""From nothing to a healthy stack with one command, and again without harm."""

import json
from pathlib import Path

from tests.stack.make import Board


def test_one_command_makes_everything_healthy(board: Board) -> None:
    # it should print the board's address and a first call
    assert f"The board is running at {board.url}" in board.started
    assert f"curl -sS -X POST {board.url}/api/agents/register" in board.started
    # every container should be healthy
    board.until_well(1)
    assert board.make("doctor").strip().endswith("All is well.")


def test_starting_again_replaces_no_container(board: Board) -> None:
    before = {each.id for each in board.stack.containers() if each.service != "migrate"}
    board.make("up")
    assert {each.id for each in board.stack.containers() if each.service != "migrate"} == before


def test_no_environment_shows_a_secret(board: Board, folder: Path) -> None:
    shown = board.stack.docker("inspect", *(each.id for each in board.stack.containers()))
    files = [path for kind in ("password", "secret") for path in (folder / "secrets").glob(f"*_{kind}")]
    passwords = [path.read_text().strip() for path in files]
    assert len(passwords) == 6
    assert not [password for password in passwords if password in shown]
    assert json.loads(shown)
