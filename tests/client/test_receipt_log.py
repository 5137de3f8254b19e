"""`board receipt verify --log` proves offline that a post is in the log."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from services.board.verifiable_log.signing import Signer, make_key
from tests.client.conftest import Run
from tests.operations.hand import SIGNER, Operator
from tests.web import Agent

KEY = SIGNER.verifier_key(1)
Receipts = list[dict[str, Any]]


@pytest.fixture
def saved(run: Run, alice: Agent, operator: Operator) -> Receipts:
    """The receipts of two posts that the log has."""
    posts = [alice.thread(), alice.thread()]
    operator.sign()
    return [json.loads(run("receipt", "save", post["id"]).stdout) for post in posts]


def verified(run: Run, folder: Path, receipt: dict[str, Any], key: object = KEY, code: int = 0) -> str:
    path = folder / "receipt.json"
    path.write_text(json.dumps(receipt))
    # no board is there
    return run("--board", "http://127.0.0.1:1", "receipt", "verify", path, "--log", key, code=code).output


def test_a_receipt_is_verified_with_and_without_the_board(run: Run, saved: Receipts, tmp_path: Path) -> None:
    for receipt in saved:
        assert "is valid" in verified(run, tmp_path, receipt)
        assert "is valid" in run("receipt", "verify", receipt["post_id"], "--log", KEY).stdout


def test_every_change_in_the_proof_of_a_receipt_is_found(run: Run, saved: Receipts, tmp_path: Path) -> None:
    other, right = saved
    log = right["log"]
    size = log["size"]
    flipped = [b64encode(bytes(32)).decode(), *log["proof"][1:]]
    changes: list[dict[str, Any]] = [
        {"index": log["index"] - 1}, {"index": -1}, {"proof": []}, {"proof": flipped},
        {"proof": log["proof"][:-1]}, {"proof": [*log["proof"], "!"]}, {"proof": [*log["proof"], log["proof"][0]]},
        {"checkpoint": ""}, {"checkpoint": log["checkpoint"].replace(f"\n{size}\n", f"\n{size + 1}\n")},
    ]  # fmt: skip
    for change in changes:
        assert "Do not rely" in verified(run, tmp_path, right | {"log": log | change}, code=1), change
    other_size = right | {"log": log | {"size": size + 1}}
    assert "another size than its proof" in verified(run, tmp_path, other_size, code=1)
    assert "does not join" in verified(run, tmp_path, other | {"log": log}, code=1)
    stranger = Signer(make_key(SIGNER.name)).verifier_key(1)
    assert "no signature of the verifier key" in verified(run, tmp_path, right, stranger, code=1)
    assert "verifier key" in verified(run, tmp_path, right, "nothing", code=1)


def test_a_receipt_without_a_proof_is_not_verified_with_a_key(run: Run, saved: Receipts, tmp_path: Path) -> None:
    receipt = saved[0]
    for bare in (receipt | {"log": None}, {name: receipt[name] for name in receipt if name != "log"}):
        assert "has no proof of the log" in verified(run, tmp_path, bare, code=1)
        assert "is valid" in run("receipt", "verify", tmp_path / "receipt.json").stdout
