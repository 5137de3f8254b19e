"""`board log follow` accepts an honest log, and reports every dishonest one in a sentence."""

import json
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.client.conftest import Run
from tests.client.log_board import AUDIT, FOLLOW, SEEN, Change, LogBoard, drop, kept, reorder, rewrite


@pytest.fixture
def environment(log_environment: dict[str, str]) -> dict[str, str]:
    return log_environment


def test_follow_proves_each_growth(run: Run, board: LogBoard, home: Path) -> None:
    first = json.loads(run(*FOLLOW, "--json").stdout)
    assert first == {"event": "first", "origin": board.origin, "size": 1, "seen": 0, "lost": 0}
    for size in (2, 3, 255, 256, 257, 300, 512, 600):
        before = len(board.entries)
        board.publish(size - before)
        assert run(*FOLLOW).stdout == f"The log went on from {before} to {size} entries.\n"
    assert run(*FOLLOW, "--key", board.key).stdout == "The log still has 600 entries.\n"
    assert kept(home) == board.checkpoint()
    for path in home.rglob("log.*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("more", [0, 1, 300])
@pytest.mark.parametrize("change", [rewrite, reorder, lambda board: rewrite(board, SEEN - 1)])
def test_follow_finds_a_history_that_changed(run: Run, seen: LogBoard, home: Path, change: Change, more: int) -> None:
    last = kept(home)
    change(seen)
    seen.publish(more)
    for _ in range(2):
        result = run(*FOLLOW, code=1)
        assert ("The log was rewritten" if more else "The log was forked") in result.stderr
    assert kept(home) == last
    assert next(home.rglob("log.refused")).read_text() == seen.checkpoint()


def test_follow_finds_a_dropped_entry(run: Run, seen: LogBoard) -> None:
    drop(seen)
    assert "The log was rolled back: it had 300 entries, and now has 299." in run(*FOLLOW, code=1).stderr
    seen.publish(2)
    assert "The log was rewritten" in run(*FOLLOW, code=1).stderr


def test_follow_finds_tiles_that_differ_from_the_checkpoint(run: Run, seen: LogBoard) -> None:
    seen.publish(1)
    seen.answers["/log/tile/0/001.p/45"] = bytes(45 * 32)
    assert "The log was rewritten" in run(*FOLLOW, code=1).stderr
    seen.answers["/log/tile/0/001.p/45"] = bytes(7)
    assert "length" in run(*FOLLOW, code=1).stderr
    seen.answers["/log/tile/0/001.p/45"] = None
    assert "does not serve tile/0/001.p/45" in run(*FOLLOW, code=1).stderr


def test_the_first_checkpoint_must_have_the_root_of_its_tiles(run: Run, board: LogBoard) -> None:
    board.answers["/log/tile/0/000.p/1"] = bytes(32)
    assert "do not have the root" in run(*FOLLOW, code=1).stderr


def test_a_part_of_a_tile_can_be_replaced_by_the_whole(run: Run, seen: LogBoard) -> None:
    seen.publish(100)
    seen.answers = {"/log/checkpoint": seen.checkpoint().encode()}
    posts = dict(seen.posts)
    seen.publish(200)
    seen.posts = posts
    for path in ("0/001.p/144", "entries/001.p/144", "1/000.p/1"):
        seen.answers[f"/log/tile/{path}"] = None
    seen.answers["/log/tile/1/000"] = seen.complete(8, 0) + bytes(255 * 32)
    assert "went on from 300 to 400" in run(*FOLLOW).stdout
    assert "399 posts agree" in run(*AUDIT).stdout


@pytest.mark.parametrize("command", [FOLLOW, AUDIT])
def test_another_key_or_signature_is_refused(run: Run, seen: LogBoard, command: tuple[str, ...]) -> None:
    honest = seen.checkpoint()
    seen.answers["/log/checkpoint"] = honest.replace("\n300\n", "\n301\n").encode()
    assert "The signature of the checkpoint is wrong." in run(*command, code=1).stderr
    seen.answers["/log/checkpoint"] = b"\xff"
    assert "not a signed note" in run(*command, code=1).stderr
    seen.answers = {}
    key, seen.private = str(seen.key), Ed25519PrivateKey.generate()
    assert "another verifier key than on first use" in run(*command, code=1).stderr
    assert "another verifier key than on first use" in run(*command, "--key", seen.key, code=1).stderr
    assert "no signature of the verifier key" in run(*command, "--key", key, code=1).stderr


@pytest.mark.parametrize("command", [FOLLOW, AUDIT])
def test_a_board_without_a_log_has_nothing_to_verify(run: Run, board: LogBoard, command: tuple[str, ...]) -> None:
    for effects in ({"log": None}, {}):
        board.answers = {"/effects.json": json.dumps(effects).encode()}
        assert "no verifiable log" in run(*command, code=1).stderr
    board.answers = {"/log/checkpoint": None}
    assert "does not serve checkpoint" in run(*command, code=1).stderr
    assert "not one of Ed25519" in run(*command, "--key", "board.example/log", code=1).stderr
