"""`board receipt verify --log` proves offline that a post is in the log."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Run
from tests.client.log_board import SEEN, LogBoard


@pytest.fixture
def environment(log_environment: dict[str, str]) -> dict[str, str]:
    return log_environment


def verified(run: Run, tmp_path: Path, receipt: dict[str, Any], key: object, code: int = 0) -> str:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt))
    return run("receipt", "verify", path, "--log", key, code=code).output


@pytest.mark.parametrize("post_id", [1, 128, 256, 299])
def test_a_receipt_is_verified_without_the_board(run: Run, board: LogBoard, tmp_path: Path, post_id: int) -> None:
    board.publish(SEEN - 1)
    saved = json.loads(run("receipt", "save", post_id).stdout)
    key, board.answers = board.key, {"/effects.json": None}
    assert saved == board.receipt(post_id)
    assert "is valid" in verified(run, tmp_path, saved, key)
    assert "is valid" in run("receipt", "verify", post_id, "--log", key).stdout


def test_a_receipt_after_a_restore_is_verified(run: Run, board: LogBoard, tmp_path: Path) -> None:
    board.publish(9)
    early = board.receipt(4)
    board.restore(8)
    board.publish(3)
    for receipt in (early, board.receipt(4), board.receipt(11)):
        assert "is valid" in verified(run, tmp_path, receipt, board.key)


def test_every_change_in_the_proof_of_a_receipt_is_found(run: Run, board: LogBoard, tmp_path: Path) -> None:
    board.publish(20)
    right = board.receipt(6)
    log = right["log"]
    flipped = [b64encode(bytes(32)).decode(), *log["proof"][1:]]
    changes: list[dict[str, Any]] = [
        {"index": 7}, {"index": -1}, {"size": 20}, {"proof": []}, {"proof": flipped}, {"proof": log["proof"][:-1]},
        {"proof": [*log["proof"], "!"]}, {"proof": log["proof"][::-1]}, {"checkpoint": ""},
        {"checkpoint": log["checkpoint"].replace("\n21\n", "\n22\n")},
    ]  # fmt: skip
    for change in changes:
        assert "Do not rely" in verified(run, tmp_path, right | {"log": log | change}, board.key, code=1), change
    other = board.receipt(7)
    assert "does not join" in verified(run, tmp_path, other | {"log": log}, board.key, code=1)
    stranger = LogBoard().key
    assert "no signature of the verifier key" in verified(run, tmp_path, right, stranger, code=1)
    assert "verifier key" in verified(run, tmp_path, right, "nothing", code=1)


def test_a_receipt_without_a_proof_is_not_verified_with_a_key(run: Run, board: LogBoard, tmp_path: Path) -> None:
    board.publish(3)
    receipt = board.receipt(2)
    for bare in (receipt | {"log": None}, {name: receipt[name] for name in receipt if name != "log"}):
        assert "has no proof of the log" in verified(run, tmp_path, bare, board.key, code=1)
        path = tmp_path / "receipt.json"
        assert "is valid" in run("receipt", "verify", path).stdout
