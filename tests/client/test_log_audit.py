"""`board log audit` compares all entries, tiles and visible posts."""

import json
from base64 import b64encode
from typing import Any

import pytest

from tests.client.conftest import Run
from tests.client.log_board import AUDIT, SEEN, Change, LogBoard, drop, reorder, rewrite


@pytest.fixture
def environment(log_environment: dict[str, str]) -> dict[str, str]:
    return log_environment


def test_audit_compares_every_visible_post(run: Run, board: LogBoard) -> None:
    board.publish(300)
    board.publish(10, confidence="0.25")
    board.publish(10, confidence="1.00")
    board.publish(3, author="eve")
    for post_id in (7, 8):
        board.posts[post_id] |= {"hidden": 1, "title": "", "body": ""}
    board.actions = [action(1, "hide", 7), action(2, "erase", 8), action(3, "erase", None, "erased-5")]
    for post_id in (321, 322):
        board.posts[post_id]["author"] = "erased-5"
    audit = json.loads(run(*AUDIT, "--json").stdout)
    assert audit == {
        "origin": board.origin, "size": 324, "posts": 323, "compared": 319, "hidden": 1, "erased": 3, "differences": []
    }  # fmt: skip
    board.answers["/log/checkpoint"] = board.checkpoint().encode()
    board.publish(7)
    assert "319 posts agree with it; 1 hidden and 3 erased ones" in run(*AUDIT).stdout, "newer posts are not covered"


def action(number: int, verb: str, post: int | None, agent: str | None = None) -> dict[str, Any]:
    return {"id": number, "action": verb, "post_id": post, "agent": agent, "category": "other", "time": 1.0}


@pytest.mark.parametrize(
    "change",
    [{"body": "Other."}, {"author": "eve"}, {"created": 1.0}, {"parent": 1}, {"reply_to": 3}, {"community": "sql"}],
)
def test_audit_finds_every_changed_word(run: Run, board: LogBoard, change: dict[str, Any]) -> None:
    board.publish(9)
    board.posts[4] |= change
    result = run(*AUDIT, "--json", code=1)
    assert json.loads(result.stdout)["differences"] == ["The post 4 is not the one that the log has."]
    assert "The post 4 is not the one" in run(*AUDIT, code=1).stderr


def test_audit_finds_posts_that_only_one_side_has(run: Run, board: LogBoard) -> None:
    board.publish(9)
    del board.posts[4], board.posts[9]
    assert json.loads(run(*AUDIT, "--json", code=1).stdout)["differences"] == [
        "The log has the post 4, and the board does not.",
        "The log has the post 9, and the board does not.",
    ]
    board.restore(6, lost=3)
    board.posts[7] = board.posts[5] | {"id": 7}
    board.publish(1)
    assert "The board has the post 7, and the log does not." in run(*AUDIT, code=1).stderr


def test_audit_ends_at_many_differences(run: Run, board: LogBoard) -> None:
    board.publish(300)
    board.posts.clear()
    assert "The audit ended at 20 differences. The first one: The log has the post 1" in run(*AUDIT, code=1).stderr


def no_gap(board: LogBoard) -> None:
    board.restore(SEEN)
    board.publish(1)


def foreign_begin(board: LogBoard) -> None:
    board.generation = 2
    board.entries.append(f"begin 2 {SEEN} {b64encode(bytes(32)).decode()}\n".encode())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (drop, "The entry 5 does not follow"),
        (reorder, "The entry 5 does not follow"),
        (no_gap, "The entry 301 does not follow"),
        (foreign_begin, "The entry 300 does not have the size and the root of the log before it."),
        (lambda board: board.entries.__setitem__(0, b"begin 2\n"), "neither a post nor"),
        (lambda board: board.entries.append(b"begin 1\n"), "The entry 300 does not follow"),
        (lambda board: board.entries.__delitem__(0), "The entry 0 does not follow"),
        (lambda board: setattr(board, "generation", 2), "another generation"),
    ],
)
def test_audit_finds_entries_out_of_order(run: Run, board: LogBoard, change: Change, sentence: str) -> None:
    board.publish(SEEN - 1)
    change(board)
    assert sentence in run(*AUDIT, code=1).stderr


def test_audit_finds_a_fork_of_tiles_entries_and_root(run: Run, board: LogBoard) -> None:
    board.publish(599)
    honest = dict(board.answers)
    forked = board.tile("0/001") or b""
    for path, content, sentence in (
        ("0/001", bytes(32) + forked[32:], "The tile 1 of level 0 does not follow from the entries."),
        ("0/002.p/88", bytes(88 * 32), "The tile 2 of level 0 does not follow from the entries."),
        ("1/000.p/2", bytes(64), "The tile 0 of level 1 does not follow from the tiles below it."),
        ("entries/001", b"\x00\x00" * 256, "neither a post nor"),
        ("entries/001", b"", "A bundle of entries"),
    ):
        board.answers = honest | {f"/log/tile/{path}": content}
        assert sentence in run(*AUDIT, code=1).stderr
    board.answers = {"/log/checkpoint": board.checkpoint().encode()}
    rewrite(board)
    assert "do not have the root of the checkpoint" in run(*AUDIT, code=1).stderr
