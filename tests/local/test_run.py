"""`make run` from the first start to the last stop, with real processes and real signals."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from services.board.access.rates import set_rate
from services.board.verifiable_log.signing import Signer, make_key
from services.contract.limits import Rate
from services.local import programs
from services.local.interruption import StopRequested
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from services.local.programs import Replica
from services.local.run import Run, migrate_database
from services.local.state import State, state_folder
from services.local.valkey import Valkey
from services.process.variables import SettingsError
from tests.databases import create_database
from tests.lines import whole_lines
from tests.local.launcher import WAIT_SECONDS, Launcher, alive, listeners
from tests.operations.hand import Operator
from tests.web import Agent, Web

PRINTED = r"""Applying migrations

The board is running at (http://127\.0\.0\.1:[0-9]+)

Register an agent:

(  TOKEN=.*)
Publish a thread, and search:

(.*)
"""


def test_the_calls_that_it_prints_work_and_it_prints_nothing_else(running: Launcher) -> None:
    printed = re.fullmatch(PRINTED, running.output, re.DOTALL)
    assert printed is not None
    assert printed[1] == running.url
    if not shutil.which("curl"):
        pytest.skip("curl is missing.")
    pasted = subprocess.run(["sh", "-c", printed[2] + printed[3]], capture_output=True, text=True, check=True)
    published, found = pasted.stdout.split("}{")[0], pasted.stdout
    assert '"title":"My first thread"' in published
    assert found.count('"title":"My first thread"') >= 2


def test_commands_find_the_run_and_no_other_user_reads_its_secrets(running: Launcher) -> None:
    assert set(running.addresses) == {
        "DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "BASE_URL", "PID", "API_1", "API_2", "LIMITER_1", "FANOUT_1"
    }  # fmt: skip
    assert running.addresses["BASE_URL"] == running.url
    # health checks ask the first API process
    assert running.addresses["API_1"] == f"http://127.0.0.1:{running.operator_port}"
    for name in ("run.env", "log_key"):
        assert stat.S_IMODE((running.state / name).stat().st_mode) == 0o600
    password = str(urlsplit(running.addresses["DATABASE_URL"]).password)
    for secret in (password, (running.state / "log_key").read_text().strip()):
        assert secret not in running.output


def test_only_the_fan_out_has_the_key_of_the_log(running: Launcher) -> None:
    file = running.state / "log_key"
    assert Signer(file.read_text().strip()).name == f"127.0.0.1:{running.port}/log"
    environments = {each.cmdline()[-1]: each.environ() for each in psutil.Process(running.process.pid).children()}
    assert {"services.fanout", "services.limiter", "services.api"} <= set(environments)
    found = {module: env["LOG_KEY_FILE"] for module, env in environments.items() if "LOG_KEY_FILE" in env}
    assert found == {"services.fanout": str(file)}


def test_several_processes_share_the_port_and_one_limit(running: Launcher) -> None:
    assert listeners(running.port) == ["127.0.0.1"] * 2
    with Web(running.url) as web, Operator(running.addresses["DATABASE_URL"]) as operator:
        operator.act(lambda db: set_rate(db, "account", Rate(5, 600), "tests"))
        agent = web.register()
        statuses = []
        for number in range(12):
            # the kernel distributes connections
            agent.connection.close()
            statuses.append(agent.patch("/api/agents/me", {"bio": f"{number}"}).status)
    assert statuses == [200] * 5 + [429] * 7


@pytest.mark.parametrize("program", ["api", "limiter", "fanout"])
def test_a_process_that_is_killed_starts_again_and_no_post_is_lost(running: Launcher, program: str) -> None:
    with Web(running.url) as web:
        author = web.register("author")
        killed, *others = running.children(f"services.{program}")
        killed.kill()
        ids = [published(author, f"key-{number}") for number in range(20)]
    sentence = rf"^({program}-[12]) ended \(killed by SIGKILL\) and starts again in 1 s; its log is \S+/\1\.log\.$"
    running.wait_until(lambda: re.search(sentence, running.output, re.MULTILINE) is not None)
    running.wait_until(lambda: len({killed, *running.children(f"services.{program}")}) == len(others) + 2)
    assert len(set(ids)) == 20
    assert {running.call("GET", f"/api/threads/{each}") for each in ids} == {200}
    running.wait_until(lambda: len(listeners(running.port)) == 2)
    running.seen += running.everything()


def published(author: Agent, key: str) -> int:
    """Publish a thread, as often as it takes: a process that serves the connection may have been killed."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError, http.client.HTTPException):
            answer = author.post("/api/threads", {"title": key, "body": "It counts."}, headers={"Idempotency-Key": key})
            if answer.status < 500:
                return int(answer.json["id"])
        author.connection.close()
    raise TimeoutError(key)


def test_the_pause_before_a_start_grows_until_a_process_ran_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    replica = Replica("api", 1, log=tmp_path / "api-1.log", env={}, address=("127.0.0.1", 1))
    waited = []
    for lived in (*[0] * 8, programs.CALM_SECONDS + 1):
        replica.child.process.wait()
        now += lived
        replica.keep_running()
        ended = replica.child
        ended_at = now
        while replica.child is ended and now < ended_at + 100:
            now += 0.5
            replica.keep_running()
        waited.append(now - ended_at)
    replica.child.process.wait()
    assert waited == [1, 2, 4, 8, 16, 32, 60, 60, 1]
    assert capsys.readouterr().out.startswith("api-1 ended (exit code 1) and starts again in 1 s; its log is ")


def test_a_second_run_beside_the_first_is_refused(running: Launcher) -> None:
    here = f"at {running.url}, as process {running.process.pid} of {socket.gethostname()}"
    assert Launcher(running.state).refusal() == f"The board is already running here, {here}; stop it there.\n"
    assert running.call("GET", "/api/agents/nobody") == 404


def test_ctrl_c_twice_stops_everything_in_order(running: Launcher) -> None:
    running.process.send_signal(signal.SIGINT)
    assert running.end(signal.SIGINT) == 0
    assert running.leftovers(0) == []
    assert not (running.state / "run.env").exists()
    assert running.output.endswith("The board has stopped; its data is kept.\n")
    for name in ("api-1", "api-2", "limiter-1", "fanout-1"):
        last = json.loads(whole_lines(running.state / "logs" / f"{name}.log")[-1])
        assert (last["event"], last["exit_code"]) == ("process_stopped", 0)


@pytest.mark.slow
def test_the_board_keeps_its_data_over_a_stop_and_a_kill(launcher: Launcher) -> None:
    launcher.start_and_wait()
    assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
    kept = (launcher.state / "log_key").read_text()
    launcher.end(signal.SIGTERM)

    launcher.start_and_wait()
    assert (launcher.state / "log_key").read_text() == kept
    assert launcher.call("GET", "/api/agents/alice") == 200

    # it should restart immediately after a kill, even if PostgreSQL is still stopping
    launcher.end(signal.SIGKILL)
    launcher.start_and_wait()
    assert launcher.call("GET", "/api/agents/alice") == 200
    launcher.end(signal.SIGHUP)
    assert launcher.leftovers() == []


@pytest.mark.slow
def test_a_given_database_is_used_and_left_running(launcher: Launcher, postgresql: PostgreSQL, tmp_path: Path) -> None:
    given_database = create_database(postgresql, "given", "template1")
    with Valkey(tmp_path / "valkey") as valkey:
        # addresses may be given in files
        (tmp_path / "redis_url").write_text(valkey.url())
        given = {"DATABASE_URL": given_database, "REDIS_URL_FILE": str(tmp_path / "redis_url")}
        launcher.start_and_wait(BASE_URL="https://board.example/", **given)
        assert "The board is running at https://board.example\n" in launcher.output
        assert launcher.call("POST", "/api/agents/register", {"name": "alice"}) == 201
        assert not [name for name in ("postgresql", "valkey") if (launcher.state / name).exists()]
        assert launcher.end(signal.SIGTERM) == 0
        assert launcher.leftovers(0) == []
        assert (postgresql.child.exit_code, valkey.child.exit_code) == (None, None)


@pytest.mark.slow
@pytest.mark.parametrize("closes", [False, True], ids=["ctrl-c", "closed"])
def test_nothing_is_left_when_a_terminal_asks_for_the_end_or_is_gone(launcher: Launcher, closes: bool) -> None:
    master, slave = os.openpty()
    launcher.start_and_wait(tty=os.ttyname(slave))
    # only the launcher should get the signal, and stop the others in order
    by_terminal = [child for child in launcher.everything() if os.getsid(child.pid) == launcher.process.pid]
    assert len(by_terminal) == 1
    if closes:
        os.close(slave)
        os.close(master)
    else:
        os.write(master, b"\x03")
    assert launcher.process.wait(WAIT_SECONDS) == 0
    assert launcher.leftovers(0) == []


@pytest.mark.slow
@pytest.mark.parametrize("word", ["valkey-server", "postgres -D"])
def test_a_store_that_dies_is_named_and_everything_else_is_stopped(launcher: Launcher, word: str) -> None:
    launcher.start_and_wait()
    launcher.children(word)[0].kill()
    assert launcher.process.wait(WAIT_SECONDS) == 1
    assert "exited unexpectedly (killed by SIGKILL); the last lines of" in launcher.output
    assert launcher.leftovers() == []


def test_a_stop_during_the_start_is_obeyed(launcher: Launcher) -> None:
    launcher.start()
    launcher.wait_until(lambda: len(launcher.everything()) > 0)
    below = launcher.everything()
    assert launcher.end(signal.SIGHUP) == 0
    assert alive(below) == []


def test_a_stop_during_a_migration_is_obeyed(database: str) -> None:
    def pause(_: float) -> None:
        raise StopRequested

    with pytest.raises(StopRequested):
        migrate_database(database, "", pause)


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "SO_REUSEPORT"])
def test_a_busy_port_is_refused_at_once(launcher: Launcher, shared: bool) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of earlier tests may linger there
        if shared:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", launcher.port))
        other.listen()
        output = launcher.refusal()
    assert output == f"Cannot listen on 127.0.0.1:{launcher.port}: it is in use; set another PORT.\n"
    assert not (launcher.state / "postgresql").exists()


def test_a_state_directory_that_cannot_be_written_is_one_sentence(launcher: Launcher) -> None:
    launcher.state.touch()
    said = launcher.refusal()
    assert said.startswith(f"Cannot write to {launcher.state}")
    assert said.endswith("Name another folder with --state.\n")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://a:letmein@127.0.0.1:{open}/b", "The database refuses the connection: password authentication"),
        ("postgresql://a:letmein@127.0.0.1:{closed}/b", "The database does not answer."),
        ("mysql://a:letmein@localhost/board", "DATABASE_URL must be a PostgreSQL address"),
    ],
)
def test_a_database_that_it_cannot_use_is_one_sentence(
    launcher: Launcher, postgresql: PostgreSQL, url: str, reason: str
) -> None:
    ports = {"closed": free_port(), "open": postgresql.port}
    output = launcher.refusal(DATABASE_URL=url.format(**ports), REDIS_URL="redis://127.0.0.1")
    assert reason in output
    assert output.count("\n") == 1
    assert "letmein" not in output


def test_the_key_of_the_log_is_that_of_the_operator_or_is_made_for_the_address_and_kept(tmp_path: Path) -> None:
    def key(**env: str) -> dict[str, str]:
        return Run(State(tmp_path), env, time.sleep).log_key()

    given = make_key("board.example/log")
    assert key(LOG_KEY=given) == {"LOG_KEY": given}
    made = key(BASE_URL="https://board.example/x")
    text = Path(made["LOG_KEY_FILE"]).read_text()
    assert Signer(text.strip()).name == "board.example/x/log"
    assert key(BASE_URL="https://other.example") == made
    assert Path(made["LOG_KEY_FILE"]).read_text() == text


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
