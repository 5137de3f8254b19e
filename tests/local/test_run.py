"""`make run` from the first start to the last stop, with real processes and real signals."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from services.board.verifiable_log.signing import Signer, make_key
from services.local.errors import LocalError
from services.local.in_use import is_in_use
from services.local.options import read_options
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from services.local.programs import PROGRAMS
from services.local.run import Run, log_key, operator_command, program
from services.local.state import State, state_folder
from services.local.stores import ensure_database
from services.local.valkey import Valkey
from services.process.setting_sources import SettingsError
from tests.local.launcher import WAIT_SECONDS, Launcher, alive, listeners
from tests.waiting import wait_until


def test_the_board_runs_where_it_says(running: Launcher) -> None:
    for place in (running.url, "/metrics", "logs", f"kill {running.process.pid}"):
        assert place in running.output
    for document in ("/skill.md", "/openapi.json", "/effects.json"):
        assert f"{running.url}{document}\n" in running.output
        assert running.call("GET", document) == 200


@pytest.mark.slow
def test_the_board_keeps_its_data_over_a_stop_and_a_kill(launcher: Launcher) -> None:
    launcher.start_and_wait()
    assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
    secret, key = ((launcher.state / name).read_text() for name in ("operator_secret", "log_key"))
    launcher.end(signal.SIGINT)

    # it should find the data again, and keep its secret and its key
    launcher.start_and_wait()
    assert (launcher.state / "operator_secret").read_text() == secret
    assert (launcher.state / "log_key").read_text() == key
    assert launcher.call("GET", "/api/agents/alice") == 200
    assert launcher.call("POST", "/api/agents/register", {"name": "bob"}) == 201

    # it should restart immediately after a kill, even if the last run is still stopping
    launcher.end(signal.SIGKILL)
    launcher.start_and_wait()
    assert launcher.call("GET", "/api/agents/bob") == 200
    launcher.end()
    assert launcher.leftovers() == []


def test_commands_find_the_running_board_and_only_its_owner_can_read_the_passwords(running: Launcher) -> None:
    addresses = running.state / "run.env"
    assert stat.S_IMODE(addresses.stat().st_mode) == 0o600
    lines = dict(line.split("=", 1) for line in addresses.read_text().splitlines())
    assert set(lines) == {"DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "BASE_URL"}
    assert lines["BASE_URL"] == running.url

    # it should never print them
    assert lines["DATABASE_URL"].split(":")[2].split("@")[0] not in running.output


def test_commands_find_all_addresses_of_a_run_or_none(tmp_path: Path) -> None:
    state = State(tmp_path)

    class Addresses(dict[str, str]):
        def items(self) -> Any:
            assert not state.addresses_file.exists()
            return super().items()

    with state.addresses(Addresses(BASE_URL="http://x")):
        assert state.addresses_file.read_text() == "BASE_URL=http://x\n"
    assert [*tmp_path.iterdir()] == []


def test_a_limit_is_changed_as_the_run_prints_it_and_windows_with_its_secret_only(running: Launcher) -> None:
    file = running.state / "operator_secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().strip() not in running.output

    # it should print a call that changes a limit when pasted
    example = running.output.partition("Change a limit, for the next call:")[2].partition("\n\nRegister")[0]
    assert "The limit votes is now 60/60.\n" in running.shell(f"unset DATABASE_URL; {example.strip()}")
    address = next(line.split()[1] for line in running.output.splitlines() if line.strip().startswith("limiter-1:"))
    windows = address.removesuffix("/metrics") + "/windows/agent/nobody"
    assert "Changes need the operator's secret" in running.shell(f"curl -sS -X DELETE '{windows}'")


def test_the_printed_command_names_a_folder_that_it_would_not_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGENT_BOARD_STATE", raising=False)
    (checkout := State(tmp_path / ".local")).directory.mkdir()
    (other := State(tmp_path / "an other")).directory.mkdir()
    with checkout.addresses({}), other.addresses({}):
        assert not operator_command(checkout)[0].startswith("AGENT_BOARD_STATE")
        assert operator_command(other)[0] == f"AGENT_BOARD_STATE='{other.directory}'"
        monkeypatch.setenv("AGENT_BOARD_STATE", str(other.directory))
        assert not operator_command(other)[0].startswith("AGENT_BOARD_STATE")
        monkeypatch.setenv("AGENT_BOARD_STATE", "")
        assert operator_command(other)[0].startswith("AGENT_BOARD_STATE")


def test_the_printed_command_has_a_path_where_a_shell_would_not_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "agent-board"
    script.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.delenv("UV", raising=False)
    assert program() == [str(script)]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == ["agent-board"]
    # uvx changes the path only for its own process
    monkeypatch.setenv("UV", "/usr/bin/uv")
    assert program() == [str(script)]


def test_the_key_of_the_log_is_private_and_only_the_fan_out_has_it(running: Launcher) -> None:
    file = running.state / "log_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Signer(file.read_text().strip()).name == f"127.0.0.1:{running.port}/log"
    assert file.read_text().strip() not in running.output
    environments = {each.cmdline()[-1]: each.environ() for each in psutil.Process(running.process.pid).children()}
    assert {"services.fanout", "services.limiter", "services.api"} <= set(environments)
    found = {module: env["LOG_KEY_FILE"] for module, env in environments.items() if "LOG_KEY_FILE" in env}
    assert found == {"services.fanout": str(file)}


@pytest.mark.parametrize("given", ["LOG_KEY", "LOG_KEY_FILE"])
def test_a_key_of_the_operator_is_used_instead_of_a_generated_one(tmp_path: Path, given: str) -> None:
    key = make_key("board.example/log")
    (tmp_path / "key").write_text(key)
    options = read_options({given: key if given == "LOG_KEY" else str(tmp_path / "key")})
    run = Run(State(tmp_path / "state"), options, time.sleep)
    assert [run.log_key(program) for program in PROGRAMS] == [{"LOG_KEY": key}, {}, {}]


def test_a_generated_key_has_the_name_of_the_board_and_is_kept_under_another(tmp_path: Path) -> None:
    state = State(tmp_path)
    made = log_key(state, "https://board.example/x")
    text = made.read_text()
    assert Signer(text.strip()).name == "board.example/x/log"
    assert log_key(state, "https://other.example").read_text() == text


def test_a_run_keeps_make_clean_from_its_environment(running: Launcher) -> None:
    environment = Path(sys.prefix) / "pyvenv.cfg"
    assert is_in_use(environment)
    assert str(environment) in [file.path for file in psutil.Process(running.process.pid).open_files()]


def test_the_folder_of_a_run_is_a_given_one_or_that_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    of_user = tmp_path / ".local" / "state" / "agent-board"
    assert state_folder({}) == state_folder({"XDG_STATE_HOME": ""}) == of_user
    # the specification ignores a relative one
    assert state_folder({"XDG_STATE_HOME": "state"}) == of_user
    assert state_folder({"XDG_STATE_HOME": "/srv/state"}) == Path("/srv/state/agent-board")
    assert state_folder({"XDG_STATE_HOME": "/srv/state", "AGENT_BOARD_STATE": "/data"}) == Path("/data")
    with pytest.raises(SettingsError, match=r"^AGENT_BOARD_STATE is empty; leave it out\.$"):
        state_folder({"AGENT_BOARD_STATE": " "})


def test_a_run_of_another_container_is_named_and_not_by_a_process_of_this_one(tmp_path: Path) -> None:
    state = State(tmp_path)
    with state.held("http://x"):
        noted = json.loads(state.lock.read_text())
        state.lock.write_text(json.dumps(noted | {"host": "f00f00", "pid": 1}))
        with pytest.raises(
            LocalError, match=r"^The board is already running here, at http://x, on f00f00; stop it there"
        ):
            State(tmp_path).held("http://y").__enter__()


def has_length(file: Path, length: int) -> bool:
    return file.stat().st_size == length


def test_a_long_log_is_emptied_while_its_process_writes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.local.state.LOG_BYTES", 1000)
    state, log = State(tmp_path), tmp_path / "api-1.log"
    writing = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    with log.open("ab") as output:
        process = subprocess.Popen([sys.executable, "-c", writing], stdin=subprocess.PIPE, stdout=output, text=True)
    assert process.stdin
    with process:
        for line, before, after in (("a" * 999, 1000, 1000), ("b" * 99, 1100, 0), ("c", 2, 2)):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            wait_until(partial(has_length, log, before))
            state.bound(log)
            assert log.stat().st_size == after
        process.stdin.close()
    assert log.read_text() == "c\n"
    assert log.with_suffix(".log.1").stat().st_size == 1100


def test_a_log_that_is_removed_or_cannot_be_kept_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.local.state.LOG_BYTES", 1)
    log = tmp_path / "api-1.log"
    State(tmp_path).bound(log)
    log.write_text("long")
    log.with_suffix(".log.1").mkdir()
    State(tmp_path).bound(log)
    assert log.stat().st_size == 0


def test_a_state_directory_that_cannot_be_written_is_one_sentence(launcher: Launcher) -> None:
    launcher.state.touch()
    said = launcher.refusal()
    assert said.startswith(f"Cannot write to {launcher.state}")
    assert said.endswith("Name another folder with --state.\n")


def test_several_processes_share_the_port(running: Launcher) -> None:
    assert listeners(running.port) == ["127.0.0.1"] * 2
    (other,) = re.findall(r"api-2: http://127.0.0.1:([0-9]+)/", running.output)
    # health checks ask the first one
    assert f"api-1: http://127.0.0.1:{running.operator_port}/metrics" in running.output
    assert other != str(running.operator_port)


def test_an_agent_is_registered_by_the_printed_call_and_several_processes_share_one_limit(running: Launcher) -> None:
    assert running.curl(running.output.partition("Register an agent:")[2]) == 201
    statuses = [running.call("POST", "/api/agents/register", {"name": f"agent-{n}"}) for n in range(11)]
    # each call has its own connection, and the kernel distributes them
    assert sorted(statuses) == [201] * 4 + [429] * 7


def test_a_second_run_beside_the_first_is_refused(running: Launcher) -> None:
    output = Launcher(running.state).refusal()
    assert output.count("\n") == 1
    assert f"{running.url}, as process {running.process.pid};" in output
    assert running.call("GET", "/api/agents/nobody") == 404


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "SO_REUSEPORT"])
def test_a_busy_port_is_refused_at_once(launcher: Launcher, shared: bool) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of earlier tests may linger there
        if shared:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", launcher.port))
        other.listen()
        output = launcher.refusal()
    assert output.count("\n") == 1
    assert f"Cannot listen on 127.0.0.1:{launcher.port}: it is in use; set another PORT.\n" in output
    assert not (launcher.state / "postgresql").exists()


def test_the_processes_of_a_killed_run_are_waited_for(launcher: Launcher) -> None:
    launcher.state.mkdir()
    (launcher.state / "run.lock").write_text('{"pid": 1, "base_url": ""}')
    with socket.create_server(("127.0.0.1", launcher.port)):
        launcher.start()
        launcher.wait_for_output("waiting for its processes")
        assert "Starting" not in launcher.output
    launcher.wait_for_output("Starting")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://alice:letmein@localhost/board", "DATABASE_URL must be a PostgreSQL address"),
        ("postgresql://alice:letmein@localhost:port/board", "DATABASE_URL is not an address"),
        ("postgresql://alice:letmein@127.0.0.1:{closed}/board", "no PostgreSQL answers at 127.0.0.1:{closed}"),
        (
            "postgresql://a:letmein@127.0.0.1:{closed},localhost/board",
            "no PostgreSQL answers at 127.0.0.1:{closed},local",
        ),
        ("postgresql://alice:letmein@127.0.0.1:{open}/", "DATABASE_URL names no database"),
    ],
)
def test_a_broken_database_address_is_explained_in_one_sentence(
    postgresql: PostgreSQL, url: str, expected: str
) -> None:
    ports = {"closed": free_port(), "open": postgresql.port}
    with pytest.raises(LocalError) as refused:
        ensure_database(str(read_options({"DATABASE_URL": url.format(**ports)}).database_url))
    assert expected.format(**ports) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "letmein" not in str(refused.value)


def test_a_run_shows_why_it_cannot_use_a_database(launcher: Launcher, postgresql: PostgreSQL) -> None:
    url = f"postgresql://alice:letmein@127.0.0.1:{postgresql.port}/board"
    output = launcher.refusal(DATABASE_URL=url, REDIS_URL="redis://127.0.0.1")
    assert f"127.0.0.1:{postgresql.port} refuses this user and password" in output
    assert output.count("\n") == 1
    assert "letmein" not in output


@pytest.mark.slow
def test_a_given_database_is_created_if_missing_and_left_running(
    launcher: Launcher, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    with Valkey(tmp_path / "valkey") as valkey:
        # addresses may be given in files
        (tmp_path / "redis_url").write_text(valkey.url())
        given = {"DATABASE_URL": postgresql.url("given"), "REDIS_URL_FILE": str(tmp_path / "redis_url")}
        launcher.start_and_wait(BASE_URL="https://board.example/", OPERATOR_SECRET="a-secret-of-my-own", **given)
        assert "The board is running at https://board.example\n" in launcher.output
        assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
        assert not (launcher.state / "postgresql").exists()
        assert not (launcher.state / "valkey").exists()
        # a secret of the operator is used instead of a generated one
        assert " limits set votes 60/60\n" in launcher.output
        assert not (launcher.state / "operator_secret").exists()
        assert launcher.end(signal.SIGTERM) == 0
        assert launcher.leftovers(0) == []
        assert postgresql.child.exit_code is None
        assert valkey.child.exit_code is None


def test_a_database_address_is_read_from_a_file(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "database_url").write_text(f"postgresql://alice:letmein@127.0.0.1:{(closed := free_port())}/board")
    output = launcher.refusal(DATABASE_URL_FILE=str(tmp_path / "database_url"), REDIS_URL="redis://127.0.0.1")
    assert f"no PostgreSQL answers at 127.0.0.1:{closed}" in output


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("API_REPLICAS", "0"),
        ("API_REPLICAS", "many"),
        ("BASE_URL", "board.example"),
        ("REDIS_URL", "http://127.0.0.1"),
    ],
)
def test_a_wrong_option_is_explained_in_one_sentence(name: str, value: str) -> None:
    with pytest.raises(LocalError, match=rf"^{name} [^\n]+\.$"):
        read_options({name: value})


@pytest.mark.parametrize("wrong", [{"API_REPLICAS": "0"}, {"HOST": "203.0.113.1"}], ids=str)
def test_a_run_shows_what_is_wrong_with_its_options(launcher: Launcher, wrong: dict[str, str]) -> None:
    output = launcher.refusal(**wrong)
    assert "Traceback" not in output
    ((name, value),) = wrong.items()
    assert name in output or value in output


def test_a_misspelt_option_is_named_with_the_right_one(launcher: Launcher) -> None:
    said = launcher.refusal(LIMIT_POST="5/60", API_REPLICA="2", PORT="eighty")
    assert "LIMIT_POST is not a setting and has no effect; did you mean LIMIT_POSTS?\n" in said
    assert "API_REPLICA is not a setting and has no effect; did you mean API_REPLICAS?\n" in said


def test_a_stop_during_the_start_is_obeyed(launcher: Launcher) -> None:
    launcher.start()
    launcher.wait_for_output("postgresql")
    below = launcher.everything()
    assert launcher.end(signal.SIGHUP) == 0
    assert alive(below) == []


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_everything(launcher: Launcher) -> None:
    master, slave = os.openpty()
    launcher.start_and_wait(tty=os.ttyname(slave))
    # only the launcher should get the signal, and stop the others in order
    by_terminal = [child for child in launcher.everything() if os.getsid(child.pid) == launcher.process.pid]
    assert len(by_terminal) == 1
    os.write(master, b"\x03")
    assert launcher.process.wait(WAIT_SECONDS) == 0
    assert launcher.leftovers(0) == []
    os.close(master)
    os.close(slave)


@pytest.mark.slow
def test_nothing_is_left_when_the_terminal_goes_away(launcher: Launcher) -> None:
    master, slave = os.openpty()
    launcher.start_and_wait(tty=os.ttyname(slave))
    os.close(slave)
    os.close(master)
    assert launcher.process.wait(WAIT_SECONDS) == 0
    assert launcher.leftovers(0) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "word", ["services.api", "services.fanout", "services.limiter", "valkey-server", "postgres -D"]
)
def test_a_child_that_dies_is_named_and_everything_else_is_stopped(launcher: Launcher, word: str) -> None:
    launcher.start_and_wait()
    launcher.child(word).kill()
    assert launcher.process.wait(WAIT_SECONDS) == 1
    assert "exited unexpectedly (killed by SIGKILL); the last lines of" in launcher.output
    assert launcher.leftovers() == []


@pytest.mark.slow
def test_a_process_that_cannot_start_is_shown_with_its_log(launcher: Launcher) -> None:
    output = launcher.refusal(OPERATOR_HOST="203.0.113.1")
    assert "-1 did not start (exit code" in output
    assert "the last lines of" in output
    assert launcher.leftovers(0) == []


def test_ctrl_c_stops_everything_in_order(running: Launcher) -> None:
    assert running.end(signal.SIGINT) == 0
    assert running.leftovers(0) == []
    assert not (running.state / "run.env").exists()
    stopped = [line.split()[1] for line in running.output.splitlines() if line.startswith("Stopping")]
    assert stopped == ["api", "limiter", "fanout", "valkey", "postgresql"]
