"""After a restore, the log says what it lost, and no rewriting passes for a restore."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.client.conftest import Run
from tests.client.log_board import AUDIT, FOLLOW, SEEN, Change, LogBoard, kept, rewrite


@pytest.fixture
def environment(log_environment: dict[str, str]) -> dict[str, str]:
    return log_environment


@pytest.mark.parametrize("left", [SEEN, SEEN + 1, 450])
def test_a_restore_that_lost_nothing_seen_is_reported(run: Run, seen: LogBoard, left: int) -> None:
    seen.publish(200)
    seen.restore(left, known=SEEN)
    seen.publish(20)
    assert "A restore left ids out, and no entry that you had seen was lost." in run(*FOLLOW).stdout
    assert run(*FOLLOW).stdout == f"The log still has {left + 21} entries.\n"
    assert "is right" in run(*AUDIT).stdout


@pytest.mark.parametrize("more", [0, 10, 300])
@pytest.mark.parametrize("left", [2, 200, SEEN - 1])
def test_a_restore_that_lost_entries_is_a_fault_once(run: Run, seen: LogBoard, left: int, more: int) -> None:
    seen.restore(left, known=2)
    seen.publish(more)
    result = run(*FOLLOW, "--json", code=1)
    assert json.loads(result.stdout)["lost"] == SEEN - left
    assert f"A restore lost {SEEN - left} entries that you had seen." in result.stderr
    seen.publish(1)
    assert f"went on from {left + 1 + more} to {left + 2 + more}" in run(*FOLLOW).stdout
    assert "is right" in run(*AUDIT).stdout


def test_two_restores_between_two_looks(run: Run, seen: LogBoard) -> None:
    seen.restore(290, known=280)
    seen.publish(30)
    seen.restore(310, known=300)
    seen.publish(5)
    assert "A restore lost 10 entries that you had seen." in run(*FOLLOW, code=1).stderr
    assert "still has 316 entries" in run(*FOLLOW).stdout
    assert "is right" in run(*AUDIT).stdout


def without_begin(board: LogBoard) -> None:
    board.generation += 1
    board.publish(5)


def rewritten_before_begin(board: LogBoard) -> None:
    board.publish(10)
    board.restore(SEEN + 5, known=SEEN)
    rewrite(board)


def false_commitment(board: LogBoard) -> None:
    board.publish(10)
    root = b64encode(board.root(SEEN)).decode()
    board.restore(SEEN + 5, known=SEEN)
    board.entries[-1] = f"begin 2 {SEEN - 1} {root}\n".encode()


def disordered_generations(board: LogBoard) -> None:
    for generation in (5, 3):
        board.publish(1)
        board.generation = generation - 1
        board.restore(len(board.entries), known=SEEN)


def skipped_generation(board: LogBoard) -> None:
    board.generation = 2
    board.restore(SEEN - 5, known=SEEN - 9)


@pytest.mark.parametrize(
    ("change", "sentence", "sentence_of_audit"),
    [
        (without_begin, "no entry that begins its generation 2", "another generation"),
        (rewritten_before_begin, "no restore explains its change", "not of this log"),
        (false_commitment, "names a checkpoint that is not of this log", "not of this log"),
        (disordered_generations, "no entry that begins its generation 2", "The entry 301 does not follow"),
        (skipped_generation, "no restore explains its change", "The entry 295 does not follow"),
    ],
)
def test_a_false_restore_is_found(
    run: Run, seen: LogBoard, home: Path, change: Change, sentence: str, sentence_of_audit: str
) -> None:
    last = kept(home)
    change(seen)
    assert sentence in run(*FOLLOW, code=1).stderr
    assert kept(home) == last
    assert sentence_of_audit in run(*AUDIT, code=1).stderr


def test_an_older_generation_is_a_rollback(run: Run, seen: LogBoard) -> None:
    early = seen.checkpoint()
    seen.restore(SEEN, known=SEEN)
    run(*FOLLOW)
    seen.answers["/log/checkpoint"] = early.encode()
    assert "rolled back" in run(*FOLLOW, code=1).stderr
    seen.answers, seen.generation = {}, 1
    seen.publish(9)
    assert "rolled back" in run(*FOLLOW, code=1).stderr


def test_an_entry_that_the_tree_does_not_hold_proves_no_restore(run: Run, seen: LogBoard) -> None:
    seen.publish(1)
    seen.restore(SEEN, known=SEEN)
    begin = seen.entries[-1]
    rewrite(seen, SEEN)
    bundle = b"".join(len(entry).to_bytes(2, "big") + entry for entry in [*seen.entries[256:-1], begin])
    seen.answers["/log/tile/entries/001.p/45"] = bundle
    assert "The entry 300 is not in the tree" in run(*FOLLOW, code=1).stderr
