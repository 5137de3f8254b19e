"""agent-board as a program: help, exit statuses, the database it acts on, and secrets that it never shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from deploy.local.postgresql import PostgreSQL
from tests.operator.conftest import Cast, Command

COMMANDS = [
    "migrate",
    "operator",
    "announce",
    "hide",
    "unhide",
    "suspend",
    "restore",
    "token",
    "community",
    "audit",
    "verify",
    "migration",
    "fanout",
    "show",
    "agents",
    "posts",
    "noisy",
]


def agent_board(*args: str, cwd: Path, **env: str) -> tuple[int, str, str]:
    """Run the program with these variables and no other settings of the board in its environment."""
    done = subprocess.run(
        [sys.executable, "-m", "services.operator", *args],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), "AGENT_BOARD_OPERATOR": "olga", **env},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


async def test_the_help_lists_the_commands_and_each_gives_an_example(idle_command: Command) -> None:
    status, output, _ = await idle_command("--help")
    assert status == 0
    assert re.findall(r"^  ([a-z]+)  ", output, re.MULTILINE) == COMMANDS
    for name in COMMANDS:
        status, output, _ = await idle_command(name, "--help")
        assert status == 0
        assert re.search(rf"Examples?: agent-board {name}", output)


@pytest.mark.parametrize("args", [[], ["publish"], ["hide"], ["hide", "1"], ["operator"], ["audit", "--limit", "0"],
                                  ["suspend", "a", "b", "c"], ["migration", "Bad-Name"], ["fanout"],
                                  ["fanout", "redeliver", "1"], ["fanout", "redeliver", "2", "1"],
                                  ["fanout", "redeliver", "1", "2", "--partition", "16"],
                                  ["agents", "--sort", "color"], ["posts", "--limit", "0"], ["show"],
                                  ["show", "post"], ["posts", "--text", "a\x00b"],
                                  ["agents", "--text", "\ud800"]])  # fmt: skip
async def test_wrong_usage_ends_with_2(idle_command: Command, args: list[str]) -> None:
    status, output, error = await idle_command(*args)
    assert (status, output) == (2, "")
    assert "Usage: " in error


async def test_the_audit_reads_as_the_commands_did_newest_first(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    assert await command("audit") == (0, "No operator has done anything yet.\n", "")
    await command("suspend", "Bob", "Floods.")
    await command("operator", "alice")
    status, output, _ = await command("audit")
    assert status == 0
    lines = [re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  (.*)", line) for line in output.splitlines()]
    assert [found and found[1] for found in lines] == ["olga  operator alice", "olga  suspend Bob  Floods."]
    assert (await command("audit", "--limit", "1"))[1].count("\n") == 1


async def test_migrate_prints_the_revision_last(idle_command: Command) -> None:
    status, output, _ = await idle_command("migrate")
    assert status == 0
    assert re.fullmatch(r"\d+_\d{14}_\w+, functions [0-9a-f]{12}\n", output)


@pytest.mark.parametrize("args", [["audit"], ["hide", "1", "A reason."]])
async def test_a_board_that_is_not_migrated_is_one_sentence(postgresql: PostgreSQL, args: list[str]) -> None:
    status, output, error = await Command(postgresql.url("template1"))(*args)
    assert (status, output) == (1, "")
    assert re.fullmatch(r"The database lacks migration \w+: run `agent-board migrate`\.\n", error)


async def test_it_acts_on_the_board_that_runs_in_the_checkout(
    postgresql: PostgreSQL, board_url: str, cast: Cast, tmp_path: Path
) -> None:
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local" / "run.env").write_text(f"BASE_URL=http://127.0.0.1:8000\nDATABASE_URL={board_url}\n")
    below = tmp_path / "services" / "board"
    below.mkdir(parents=True)
    assert agent_board("suspend", "Bob", cwd=below) == (0, "Bob is now suspended.\n", "")
    # it should prefer the variables of the environment
    other = agent_board("restore", "Bob", cwd=below, DATABASE_URL=postgresql.url("no_such_database"))
    assert other == (1, "", 'The database refuses the connection: database "no_such_database" does not exist.\n')


def test_without_a_database_it_says_what_to_do(tmp_path: Path) -> None:
    sentence = "No database: set DATABASE_URL, or use a checkout in which `make run` is running.\n"
    assert agent_board("audit", cwd=tmp_path) == (1, "", sentence)
    assert agent_board("migrate", cwd=tmp_path) == (1, "", sentence)


@pytest.mark.parametrize(
    ("args", "url"),
    [
        (["migrate"], "postgresql://board:hunter2@127.0.0.1:1/board"),
        (["audit"], "postgresql://board:hunter2@127.0.0.1:1/board"),
        (["migrate"], "postgresql://board:hunter2@no-such-host.invalid/board"),
        (["audit"], "postgresql://board:hun/ter2@127.0.0.1/board"),
        (["migrate"], "mysql://board:hunter2@127.0.0.1/board"),
    ],
)
async def test_an_unreachable_database_is_one_sentence_without_a_password(url: str, args: list[str]) -> None:
    status, output, error = await Command(url)(*args)
    assert (status, output, error.count("\n")) == (1, "", 1)
    assert "hun" not in error
    assert "Traceback" not in error


async def test_the_database_address_may_stand_in_a_file(board_url: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(board_url + "\n")
    status, _, error = agent_board("audit", cwd=tmp_path, DATABASE_URL_FILE=str(tmp_path / "secret"))
    assert (status, error) == (0, "")


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
    assert status == 1
    assert error == "The connection to the database broke; `agent-board audit` shows whether the change was made.\n"
    assert await board.fetchval("SELECT suspended_at FROM agents WHERE name = 'Bob'") is None
