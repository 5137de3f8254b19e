"""Every file that the client keeps: a missing one is new, and one that is not as it was written is refused.

The refusal is one sentence that names the file, and a hint with the way out. The file stays as it is.
"""

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_board_client import StorageError
from agent_board_client.account import Account
from agent_board_client.state import State
from tests.client.conftest import Run
from tests.processes import ApiProcess
from tests.web import Agent

ADDRESS = "https://board.example"
TOKEN = f"agb_{'A' * 43}0DofJ8"
Damage = Callable[[Path], object]


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def replaced_by(make: Damage) -> Damage:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def loop(path: Path) -> None:
    path.symlink_to(path.name)


DAMAGES: dict[str, Damage] = {
    "empty": lambda path: path.write_bytes(b""),
    "half": cut_in_half,
    "binary": lambda path: path.write_bytes(b"\xff\xfe\x00" * 100),
    "zeros": lambda path: path.write_bytes(bytes(4096)),
    "words": lambda path: path.write_text("These are the words of another program.\n"),
    "huge": lambda path: os.truncate(path, 1 << 40),
    "folder": replaced_by(lambda path: path.mkdir(0o700)),
    "loop": replaced_by(loop),
    "pipe": replaced_by(lambda path: os.mkfifo(path, 0o600)),
}
FILES = ("auth", "address", "default", "state.sqlite")


def board_folder(home: Path) -> Path:
    (folder,) = (path for path in home.iterdir() if path.is_dir())
    return folder


def written(path: Path) -> tuple[int, ...]:
    """The properties of a file that change with each write."""
    status = path.lstat()
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns


def check_refused(run: Run, path: Path, *command: object) -> str:
    result = run(*command, code=1)
    lines = result.stderr.splitlines()
    assert (result.stdout, len(lines)) == ("", 2), result.output
    assert str(path) in lines[0]
    assert any(way in lines[1] for way in ("elete", "Name", "Write", "Use the")), lines[1]
    return str(result.stderr)


@pytest.fixture
def joined(run: Run, home: Path, environment: dict[str, str], alice: Agent) -> Path:
    """The folder of an agent that has joined. Its command remembers the board."""
    address = environment.pop("AGENT_BOARD_URL")
    assert alice.token
    Account(address, home / address.partition("://")[2]).keep(alice.token)
    (home / "default").write_text(f"{address}\n")
    run("inbox")
    return board_folder(home)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_by_its_name(run: Run, joined: Path, name: str, damage: str) -> None:
    path = (joined.parent if name == "default" else joined) / name
    DAMAGES[damage](path)
    before = written(path)
    for command in (("whoami",), ("inbox",), ("reply", 1, "So.")):
        check_refused(run, path, *command)
    assert written(path) == before


def test_a_file_of_another_board_is_refused(run: Run, joined: Path) -> None:
    other = joined.parent / "other"
    (joined / "address").write_text("http://other.example\n")
    assert "http://other.example" in check_refused(run, joined / "address", "whoami")
    (joined / "auth").unlink()
    check_refused(run, joined / "address", "join", "never-registered")
    (joined / "address").unlink()
    State(other, "http://other.example").close()
    (other / "state.sqlite").replace(joined / "state.sqlite")
    check_refused(run, joined / "state.sqlite", "opportunities")


def test_what_is_missing_is_new(run: Run, joined: Path, api: ApiProcess) -> None:
    for name in ("address", "state.sqlite"):
        (joined / name).unlink()
    run("inbox")
    (joined / "auth").unlink()
    assert f"Join the board first: board --board {api.url} join NAME" in run("whoami", code=1).stderr
    (joined.parent / "default").unlink()
    assert "There is no board yet." in run("opportunities", code=1).stderr
    assert (joined / "state.sqlite").stat().st_size


def test_a_memory_with_damage_inside_is_refused(run: Run, joined: Path) -> None:
    path = joined / "state.sqlite"
    for change in ("UPDATE cursors SET after = 'x'", "DROP TABLE cursors", "DELETE FROM board", "DROP TABLE board"):
        with sqlite3.connect(path) as database:
            database.execute(change)
        database.close()
        check_refused(run, path, "inbox")


def test_a_registration_does_not_replace_a_token_of_another_process(home: Path) -> None:
    one, other = Account(ADDRESS, home), Account(ADDRESS, home)
    assert (one.token, other.token) == (None, None)
    one.keep(TOKEN, new=True)
    other.keep(TOKEN, new=True)
    with pytest.raises(StorageError, match="Another process has stored a token"):
        other.keep(TOKEN.replace("A", "B"), new=True)
    assert Account(ADDRESS, home).token == TOKEN
    other.keep(TOKEN.replace("A", "B"))
    assert Account(ADDRESS, home).token != TOKEN


def test_processes_that_start_at_the_same_time_share_one_memory(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: State(home, ADDRESS).key_for("the same post"), range(40)))
    assert len(keys) == 1
    assert [path.name for path in home.iterdir()] == ["state.sqlite"]
