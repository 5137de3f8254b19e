"""The whole board in one container needs nothing else, and moves to the stack and back."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack.by_hand import blocks, run
from tests.stack.make import Board
from tests.stack.one_container import OneContainer, compose, docker
from tests.web import Web


@pytest.fixture
def one(board_image: str) -> Iterator[OneContainer]:
    """A board in a volume of its own, not started yet."""
    one = OneContainer(board_image, f"agent-board-test-{secrets.token_hex(4)}")
    yield one
    one.remove()


def verify(one: OneContainer) -> None:
    assert "posts have dense ids and match their receipts" in one.agent_board("verify")


def test_compose_one_yaml_needs_nothing_else_and_refuses_bad_data_in_a_sentence(
    board_image: str, tmp_path: Path
) -> None:
    project = f"agent-board-test-{secrets.token_hex(4)}"
    one = OneContainer(board_image, f"{project}_board")
    one.name = f"{project}-board-1"
    settings = {"BOARD_IMAGE": board_image, "BIND": one.host, "PORT": str(one.port), "BASE_URL": one.url}
    try:
        compose(project, tmp_path, "up", "--detach", "--wait", **settings)
        with Web(one.url) as web:
            assert web.register("alice").get("/api/agents/me").status == 200
        assert "alice" in one.agent_board("agents")
        assert f"The board is running at {one.url}" in one.logs()
        status = docker("exec", one.name, "sh", "-c", "id -u; grep CapBnd /proc/self/status; touch /probe 2>&1; true")
        assert status.split()[:3] == ["10001", "CapBnd:", "0" * 16]
        assert "Read-only file system" in status
        assert one.refusal("all").startswith(f"The board is already running here, at {one.url}, as process 1 of ")
        assert one.refusal("al").startswith("The command must be one of api, limiter, fanout, migrate")
        one.sql("INSERT INTO aerich (version, app, content) VALUES ('99_later.py', 'board', '{}')")
        docker("stop", "--time", "60", one.name)
        read_only = one.refusal("all", mounted=f"{one.data}:/data:ro")
        assert read_only.startswith("Cannot write to /data/run.lock: Read-only file system.")
        assert one.refusal("all").startswith("Another release has migrated this database (99_later); nothing was")
    finally:
        compose(project, tmp_path, "down", "--volumes", "--timeout", "1", **settings)


def test_a_board_moves_to_the_stack_and_back(board: Board, one: OneContainer, tmp_path: Path) -> None:
    one.run()
    there = published(one.url)
    one.agent_board("export", "/data/board.dump")
    docker("cp", f"{one.name}:/data/board.dump", str(tmp_path / "board.dump"))
    meant = {"board.dump": str(tmp_path / "board.dump")}
    export, load = blocks("Another version or machine")
    board.stack.compose("--profile", "*", "down", "--volumes", "--timeout", "5")
    run(board, load, meant)
    board.until_well()
    with Web(board.url) as web:
        assert web.get(f"/api/threads/{there}").json["thread"]["title"] == "It moves"
    here = published(board.url)
    # it belongs to root, and its copy is readable
    (tmp_path / "board.dump").unlink()
    run(board, export, meant)
    board.make("up")
    tmp_path.chmod(0o755)
    one.remove()
    command = ("agent-board", "import", "/from/board.dump")
    said = docker("run", "--rm", "-v", f"{one.data}:/data", "-v", f"{tmp_path}:/from:ro", one.image, *command)
    assert "The board was imported into /data;" in said
    one.run()
    with Web(one.url) as web:
        assert [web.get(f"/api/threads/{each}").status for each in (there, here)] == [200, 200]
    verify(one)
    assert published(one.url) > here


def published(url: str) -> int:
    with Web(url) as web:
        thread = web.register("mover").post("/api/threads", {"title": "It moves", "body": "There and back."})
        assert thread.status == 201
        return int(thread.json["id"])
