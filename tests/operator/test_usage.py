"""agent-board as a program: help, exit statuses, the database it acts on, and secrets that it never shows."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.local import state
from services.local.postgresql import PostgreSQL
from services.operator.console import NO_DATABASE
from services.operator.program import app
from tests.invoking import invoke
from tests.operator.conftest import Cast, Command
from tests.operator.test_json import all_commands


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of `make run`, which may run in the checkout of these tests."""
    folder = tmp_path / "checkout" / ".local"
    monkeypatch.setattr(state, "CHECKOUT_STATE", folder)
    return folder


def agent_board(*args: str, **env: str) -> tuple[int, str, str]:
    """Run the command with these variables and no others. It starts its own event loop."""
    known = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "AGENT_BOARD_OPERATOR": "olga", **env}
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(invoke, app, args, env=dict.fromkeys(os.environ) | known).result()
    return done.exit_code, done.stdout, done.stderr


def test_ctrl_c_while_it_is_loading_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "asyncpg.py").write_text("import time\nprint('loading', flush=True)\ntime.sleep(60)\n")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{tmp_path}:{os.getcwd()}"}
    command = ["env", "--default-signal=INT", sys.executable, "-m", "services.operator", "audit"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, "Interrupted; nothing was changed.\n")


@pytest.mark.parametrize("name", all_commands())
async def test_each_command_gives_an_example(idle_command: Command, name: str) -> None:
    status, output, _ = await idle_command(*name.split(), "--help")
    assert status == 0
    assert re.search(rf"Examples?: .*agent-board {name}", output)


WRONG = {
    "posts --since": ["1", "h", "1y", "-1h", "1.5h", "2026-13-01", "999999w"],
    "posts --limit": ["0"],
    "posts --text": ["a\x00b"],
    "agents --text": ["\ud800"],
    "suspend alice --for": ["0d", "-1d", "\uff17d"],
    "hide --reason Spam. --": ["0", "x", "\u0661"],
    "limits set posts": ["5/86401", "5/0.5"],
    "undo": ["x"],
    "show": ["post"],
}


async def test_wrong_usage_ends_with_2(idle_command: Command) -> None:
    tried = [[*command.split(), value] for command, values in WRONG.items() for value in values]
    for args in ([], ["hide"], ["erase"], ["registration", "ajar"], *tried):
        status, output, error = await idle_command(*args)
        assert (status, output) == (2, ""), args
        assert "Usage: " in error, args


@pytest.mark.parametrize("args", [["audit"], ["hide", "1", "--reason", "A reason."]])
async def test_a_board_that_is_not_migrated_is_one_sentence(postgresql: PostgreSQL, args: list[str]) -> None:
    status, output, error = await Command(postgresql.url("template1"))(*args)
    assert (status, output) == (1, "")
    assert re.fullmatch(r"The database lacks migration \w+: run `agent-board migrate`\.\n", error)


def write_run_env(folder: Path, **settings: str) -> Path:
    """Write the settings of a board into the folder of its run."""
    folder.mkdir(parents=True)
    run_env = folder / "run.env"
    run_env.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    return run_env


def named(url: str, source: str) -> str:
    """Return the line that names the board of a command."""
    parts = urlsplit(url)
    return f"Board: database {parts.path[1:]} at 127.0.0.1:{parts.port}, {source}.\n"


async def test_it_acts_on_the_board_that_runs_in_the_checkout(
    postgresql: PostgreSQL, board_url: str, cast: Cast, checkout: Path
) -> None:
    write_run_env(checkout, BASE_URL="http://127.0.0.1:8000", DATABASE_URL=board_url)
    of_checkout = named(board_url, f"which runs with its data in {checkout}")
    assert agent_board("suspend", "Bob") == (0, "Bob is now suspended.\n", of_checkout)
    # it should act on the board that the environment names instead
    other = agent_board("restore", "Bob", DATABASE_URL=postgresql.url("no_such_database"))
    assert other == (1, "", 'The database refuses the connection: database "no_such_database" does not exist.\n')
    of_environment = named(board_url, "which the environment names")
    answer = agent_board("restore", "Bob", DATABASE_URL=board_url)
    assert answer == (0, "Bob is now not suspended.\n", of_environment)
    # a folder that is named should be the only one
    assert agent_board("audit", AGENT_BOARD_STATE="/nowhere") == (1, "", f"{NO_DATABASE}\n")


async def test_the_boards_of_the_environment_and_of_the_checkout_are_never_mixed(
    postgresql: PostgreSQL, database: str, module_database: str, tmp_path: Path
) -> None:
    """Each of the two sources leaves out a setting that the other one gives."""
    here, there = (role_of(url, f"mixed_{uuid.uuid4().hex[:8]}") for url in (database, module_database))
    complete = write_run_env(tmp_path / "complete", DATABASE_URL=database, READ_DATABASE_URL=here).parent
    migrated = agent_board("migrate", AGENT_BOARD_STATE=str(complete), DATABASE_URL=module_database)
    assert migrated[0] == 0
    partial = write_run_env(tmp_path / "partial", DATABASE_URL=database).parent
    assert agent_board("migrate", AGENT_BOARD_STATE=str(partial), READ_DATABASE_URL=there)[0] == 0
    connection = await asyncpg.connect(postgresql.url())
    assert await connection.fetch("SELECT FROM pg_roles WHERE rolname LIKE 'mixed_%'") == []
    await connection.close()


def role_of(url: str, name: str) -> str:
    """Return a database's address for another role."""
    parts = urlsplit(url)
    return parts._replace(netloc=f"{name}:secret@{parts.netloc.rpartition('@')[2]}").geturl()


HOSTILE = {
    "PGHOST": "192.0.2.1", "PGPORT": "1", "PGUSER": "mallory", "PGPASSWORD": "x", "PGSSLMODE": "verify-full",
    "PGSSLROOTCERT": "/nowhere", "PGSSLNEGOTIATION": "direct", "PGTARGETSESSIONATTRS": "standby", "LIMIT_POSTS": "many",
    "REDIS_URL": "x", "BASE_URL": "x", "PORT": "x",
}  # fmt: skip


async def test_nothing_of_the_environment_reaches_the_board_of_the_checkout(board_url: str, checkout: Path) -> None:
    write_run_env(checkout, DATABASE_URL=board_url)
    assert agent_board("audit", **HOSTILE)[0] == 0


async def test_what_a_killed_run_has_left_is_not_believed(board_url: str, checkout: Path) -> None:
    run_env = write_run_env(checkout, DATABASE_URL=board_url)
    with run_env.with_name("run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert agent_board("audit")[0] == 0
    status, output, error = agent_board("audit")
    assert (status, output, error) == (1, "", f"{NO_DATABASE} The run that wrote {run_env} was killed.\n")


def test_without_a_database_it_says_what_to_do() -> None:
    for args in (["audit"], ["migrate"]):
        assert agent_board(*args) == (1, "", f"{NO_DATABASE}\n")


async def test_a_board_that_is_busy_is_one_sentence(
    board: asyncpg.Connection, cast: Cast, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.operator.console.PATIENT", {"lock_timeout": "100ms"})
    async with board.transaction():
        await board.execute("SELECT FROM log_head FOR UPDATE")
        answer = await command("suspend", "Bob")
    assert answer == (1, "", "The board is too busy; nothing was changed. Try again.\n")


async def test_a_connection_that_breaks_leaves_no_doubt_where_to_look(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await board.execute(
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';"
        "CREATE TRIGGER cut BEFORE INSERT ON audit EXECUTE FUNCTION cut()"
    )
    status, _, error = await command("suspend", "Bob")
    assert status == 3
    assert error == "The connection to the database broke; `agent-board audit` shows whether the change was made.\n"
    assert await board.fetchval("SELECT suspended_at FROM agents WHERE name = 'Bob'") is None
