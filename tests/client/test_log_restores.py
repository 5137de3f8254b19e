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
    seen.restore(left)
    seen.publish(20)
    assert "A restore left ids out, and no entry that you had seen was lost." in run(*FOLLOW).stdout
    assert run(*FOLLOW).stdout == f"The log still has {left + 21} entries.\n"
    assert "is right" in run(*AUDIT).stdout


@pytest.mark.parametrize("more", [0, 10, 300])
@pytest.mark.parametrize("left", [2, 200, SEEN - 1])
def test_a_restore_that_lost_entries_is_a_fault_once(run: Run, seen: LogBoard, left: int, more: int) -> None:
    seen.restore(left)
    seen.publish(more)
    result = run(*FOLLOW, "--json", code=1)
    assert json.loads(result.stdout)["lost"] == SEEN - left
    lost = "entry 299" if left == SEEN - 1 else f"entries {left} to 299"
    assert f"A restore lost {lost}, which you had seen. The log has {left + 1 + more} entries now." in result.stderr
    seen.publish(1)
    assert f"went on from {left + 1 + more} to {left + 2 + more}" in run(*FOLLOW).stdout
    assert "is right" in run(*AUDIT).stdout


@pytest.mark.parametrize("left", [293, 310])
def test_two_restores_between_two_looks(run: Run, seen: LogBoard, left: int) -> None:
    seen.restore(290)
    seen.publish(30)
    seen.restore(left)
    seen.publish(5)
    assert "A restore lost entries 290 to 299, which you had seen." in run(*FOLLOW, code=1).stderr
    assert f"still has {left + 6} entries" in run(*FOLLOW).stdout
    assert "is right" in run(*AUDIT).stdout


@pytest.mark.parametrize("looks", [True, False])
def test_a_restore_that_lost_an_earlier_one(run: Run, seen: LogBoard, looks: bool) -> None:
    seen.restore(290)
    seen.publish(30)
    if looks:
        assert "A restore lost entries 290 to 299," in run(*FOLLOW, code=1).stderr
    seen.restore(280)
    seen.publish(5)
    lost = f"A restore lost entries 280 to {320 if looks else 299}, which you had seen."
    assert lost in run(*FOLLOW, code=1).stderr
    assert "is right" in run(*AUDIT).stdout


def without_begin(board: LogBoard) -> None:
    board.generation += 1
    board.publish(5)


def rewritten_before_begin(board: LogBoard) -> None:
    board.publish(10)
    board.restore(SEEN + 5)
    rewrite(board)


def false_root(board: LogBoard) -> None:
    board.publish(10)
    board.restore(SEEN + 5)
    board.entries[-1] = f"begin 2 {SEEN + 5} {b64encode(board.root(SEEN)).decode()}\n".encode()


def false_size(board: LogBoard) -> None:
    board.publish(10)
    board.restore(SEEN + 5)
    board.entries[-1] = board.entries[-1].replace(b" 305 ", b" 300 ")


def lost_and_rewritten(board: LogBoard) -> None:
    board.restore(200)
    rewrite(board)


def disordered_generations(board: LogBoard) -> None:
    for generation in (5, 3):
        board.publish(1)
        board.generation = generation - 1
        board.restore(len(board.entries))


def later_generation(board: LogBoard) -> None:
    board.restore(SEEN - 5)
    board.generation += 1


@pytest.mark.parametrize(
    ("change", "sentence", "sentence_of_audit"),
    [
        (without_begin, "no entry that begins its generation 2", "another generation"),
        (rewritten_before_begin, "no restore explains its change", "The entry 305 does not have the size and the root"),
        (false_root, "The entry 305 does not have the size and the root", "The entry 305 does not have the size"),
        (false_size, "The entry 305 does not have the size", "The entry 305 does not have the size"),
        (lost_and_rewritten, "The entry 200 does not have the size and the root", "The entry 200 does not have the"),
        (disordered_generations, "no entry that begins its generation 3", "The entry 302 does not follow"),
        (later_generation, "no entry that begins its generation 3", "another generation"),
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
    seen.restore(SEEN)
    run(*FOLLOW)
    seen.answers["/log/checkpoint"] = early.encode()
    assert "rolled back" in run(*FOLLOW, code=1).stderr
    seen.answers, seen.generation = {}, 1
    seen.publish(9)
    assert "rolled back" in run(*FOLLOW, code=1).stderr


def test_an_entry_that_the_tree_does_not_hold_proves_no_restore(run: Run, seen: LogBoard) -> None:
    seen.publish(1)
    seen.restore(SEEN)
    begin = seen.entries[-1]
    rewrite(seen, SEEN)
    bundle = b"".join(len(entry).to_bytes(2, "big") + entry for entry in [*seen.entries[256:-1], begin])
    seen.answers["/log/tile/entries/001.p/45"] = bundle
    assert "The entry 300 is not in the tree" in run(*FOLLOW, code=1).stderr
