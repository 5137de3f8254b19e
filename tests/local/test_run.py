"""`make run` from the first start to the last stop, with real processes and real signals."""

import os
import signal
import socket
import stat
from pathlib import Path

import pytest

from deploy.local.ports import free_port
from deploy.local.postgresql import PostgreSQL
from deploy.local.valkey import Valkey
from tests.local.launcher import Launcher, alive, listeners


def test_the_board_runs_says_where_and_keeps_its_data(launcher: Launcher) -> None:
    launcher.start_and_wait()

    # it should print a call that registers an agent when pasted
    assert launcher.curl(launcher.output.partition("Register an agent:")[2]) == 201
    assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201

    # it should say where everything is
    for place in (launcher.url, "/metrics", "logs", f"kill {launcher.process.pid}"):
        assert place in launcher.output
    for document in ("/skill.md", "/openapi.json", "/effects.json"):
        assert f"{launcher.url}{document}\n" in launcher.output
        assert launcher.call("GET", document) == 200

    # it should end in order, with nothing left, when Ctrl-C is pressed
    assert launcher.end(signal.SIGINT) == 0
    assert launcher.leftovers(0) == []
    stopped = [line.split()[1] for line in launcher.output.splitlines() if line.startswith("Stopping")]
    assert stopped == ["api", "limiter", "fanout", "valkey", "postgresql"]

    # it should find the data again
    launcher.start_and_wait()
    assert launcher.call("GET", "/api/agents/alice") == 200


def test_commands_find_the_running_board_and_only_its_owner_may_read_the_passwords(launcher: Launcher) -> None:
    launcher.start_and_wait()
    addresses = launcher.state / "run.env"
    assert stat.S_IMODE(addresses.stat().st_mode) == 0o600
    lines = dict(line.split("=", 1) for line in addresses.read_text().splitlines())
    assert set(lines) == {"DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "BASE_URL", "LIMIT_POSTS"}
    assert lines["BASE_URL"] == launcher.url

    # it should never print them
    assert lines["DATABASE_URL"].split(":")[2].split("@")[0] not in launcher.output

    launcher.end()
    assert not addresses.exists()


def test_several_processes_share_the_port(launcher: Launcher) -> None:
    launcher.start_and_wait(API_REPLICAS="2")
    assert listeners(launcher.port) == ["127.0.0.1"] * 2
    assert "api-2: http://127.0.0.1:" in launcher.output


def test_several_processes_share_one_limit(launcher: Launcher) -> None:
    launcher.start_and_wait(API_REPLICAS="3", LIMIT_REGISTRATIONS="5/60")
    statuses = [launcher.call("POST", "/api/agents/register", {"name": f"agent-{n}"}) for n in range(12)]
    # each call has a connection of its own, and the kernel spreads them
    assert sorted(statuses) == [201] * 5 + [429] * 7


def test_base_url_is_what_the_board_calls_itself(launcher: Launcher) -> None:
    launcher.start_and_wait(BASE_URL="https://board.example/")
    assert "The board runs at https://board.example\n" in launcher.output


def test_a_second_run_beside_the_first_is_refused(launcher: Launcher) -> None:
    launcher.start_and_wait()
    beside = Launcher(launcher.state)
    said = beside.refusal()
    assert said.count("\n") == 1
    assert f"{launcher.url}, as process {launcher.process.pid};" in said
    assert launcher.call("GET", "/api/agents/nobody") == 404


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "SO_REUSEPORT"])
def test_a_busy_port_is_refused_at_once(launcher: Launcher, shared: bool) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of earlier tests may linger there
        if shared:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", launcher.port))
        other.listen()
        said = launcher.refusal()
    assert said.count("\n") == 1
    assert f"Port {launcher.port} of 127.0.0.1 is taken" in said
    assert not (launcher.state / "postgresql").exists()


def test_the_processes_of_a_killed_run_are_waited_for(launcher: Launcher) -> None:
    launcher.state.mkdir()
    (launcher.state / "run.lock").write_text('{"pid": 1, "base_url": ""}')
    with socket.create_server(("127.0.0.1", launcher.port)):
        launcher.start()
        while "waiting for its processes" not in launcher.output:
            assert launcher.process.poll() is None, launcher.output
    launcher.wait_until_up()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://alice:letmein@localhost/board", "DATABASE_URL must be a PostgreSQL address"),
        ("postgresql://alice:letmein@localhost:port/board", "DATABASE_URL is not an address"),
        ("postgresql://alice:letmein@127.0.0.1:{closed}/board", "no PostgreSQL answers at 127.0.0.1:{closed}"),
        ("postgresql://alice:letmein@127.0.0.1:{open}/board", "127.0.0.1:{open} refuses this user and password"),
        ("postgresql://alice:letmein@127.0.0.1:{open}/", "DATABASE_URL names no database"),
    ],
)
def test_a_broken_database_address_is_one_sentence(
    launcher: Launcher, postgresql: PostgreSQL, url: str, expected: str
) -> None:
    ports = {"closed": free_port(), "open": postgresql.port}
    said = launcher.refusal(DATABASE_URL=url.format(**ports), REDIS_URL="redis://127.0.0.1")
    assert expected.format(**ports) in said
    assert said.count("\n") == 1
    assert "letmein" not in said


def test_a_given_database_is_made_if_missing_and_left_running(launcher: Launcher, postgresql: PostgreSQL) -> None:
    launcher.start_and_wait(DATABASE_URL=postgresql.url("given"))
    assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
    assert not (launcher.state / "postgresql").exists()
    assert launcher.end() == 0
    assert postgresql.child.exit_code is None


def test_addresses_may_be_given_by_files(launcher: Launcher, postgresql: PostgreSQL, tmp_path: Path) -> None:
    with Valkey(tmp_path / "valkey") as valkey:
        given = {"DATABASE_URL_FILE": postgresql.url("by_file"), "REDIS_URL_FILE": valkey.url()}
        for name, url in given.items():
            (tmp_path / name).write_text(url)
        launcher.start_and_wait(**{name: str(tmp_path / name) for name in given})
        assert not (launcher.state / "postgresql").exists()
        assert not (launcher.state / "valkey").exists()
        assert launcher.end() == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"PORT": "eighty"},
        {"PORT": "70000"},
        {"API_REPLICAS": "0"},
        {"API_REPLICAS": "many"},
        {"BASE_URL": "board.example"},
        {"REDIS_URL": "http://127.0.0.1"},
        {"HOST": "203.0.113.1"},
    ],
    ids=str,
)
def test_a_wrong_option_is_one_sentence(launcher: Launcher, wrong: dict[str, str]) -> None:
    said = launcher.refusal(**wrong)
    name = next(iter(wrong))
    assert said.splitlines()[-1].startswith("make run: ")
    assert "Traceback" not in said
    assert name in said or wrong[name] in said


@pytest.mark.parametrize("request_", [signal.SIGTERM, signal.SIGHUP])
def test_other_requests_to_stop_are_heard(launcher: Launcher, request_: signal.Signals) -> None:
    launcher.start_and_wait()
    assert launcher.end(request_) == 0
    assert launcher.leftovers(0) == []


def test_a_request_to_stop_during_the_start_is_heard(launcher: Launcher) -> None:
    launcher.start()
    while "postgresql" not in launcher.output:
        assert launcher.process.poll() is None
    below = launcher.everything()
    assert launcher.end() == 0
    assert alive(below) == []


def test_ctrl_c_in_a_terminal_ends_everything(launcher: Launcher) -> None:
    master, slave = os.openpty()
    launcher.start_and_wait(tty=os.ttyname(slave))
    # it should reach the launcher alone, who stops the others in order
    by_terminal = [child for child in launcher.everything() if os.getsid(child.pid) == launcher.process.pid]
    assert len(by_terminal) == 1
    os.write(master, b"\x03")
    assert launcher.process.wait(60) == 0
    assert launcher.leftovers(0) == []
    os.close(master)
    os.close(slave)


def test_nothing_is_left_when_the_terminal_goes_away(launcher: Launcher) -> None:
    master, slave = os.openpty()
    launcher.start_and_wait(tty=os.ttyname(slave))
    os.close(slave)
    os.close(master)
    assert launcher.process.wait(60) == 0
    assert launcher.leftovers(0) == []


def test_nothing_is_left_when_the_launcher_is_killed_and_the_data_is_kept(launcher: Launcher) -> None:
    launcher.start_and_wait()
    launcher.call("POST", "/api/agents/register", {"name": "alice"})
    launcher.end(signal.SIGKILL)

    # it should start again at once, while the last run may still be ending
    launcher.start_and_wait()
    assert launcher.call("GET", "/api/agents/alice") == 200
    launcher.end()
    assert launcher.leftovers() == []


@pytest.mark.parametrize(
    "word", ["services.api", "services.fanout", "services.limiter", "valkey-server", "postgres -D"]
)
def test_a_child_that_dies_is_named_and_everything_else_stopped(launcher: Launcher, word: str) -> None:
    launcher.start_and_wait()
    launcher.child(word).kill()
    assert launcher.process.wait(60) == 1
    assert "ended by itself (killed by SIGKILL); the last lines of" in launcher.output
    assert launcher.leftovers(5) == []


def test_a_process_that_cannot_start_is_shown_with_its_log(launcher: Launcher) -> None:
    said = launcher.refusal(OPERATOR_HOST="203.0.113.1")
    assert "-1 did not start (exit code" in said
    assert "the last lines of" in said
    assert launcher.leftovers(0) == []
