"""The embedded servers: their data, their user, and how they stop."""

import asyncio
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import psutil
import pytest
import redis

from deploy.environment import CHECKOUT
from services.local.errors import LocalError
from services.local.postgresql import PostgreSQL
from services.local.server import Server
from services.local.valkey import Valkey
from tests.databases import CopyServer
from tests.k8s.compose import compose_services
from tests.local.launcher import alive, listeners

OF_THE_MACHINE = {"max_connections", "shared_buffers"}
STARTED_ELSEWHERE = """
import pathlib, sys, time
from services.local.postgresql import PostgreSQL
server = PostgreSQL(pathlib.Path(sys.argv[1]), throwaway=True)
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


def ask(server: PostgreSQL, question: str, *, after: str = "select 1") -> object:
    async def asked() -> object:
        connection = await asyncpg.connect(server.url())
        await connection.execute(after)
        answer = await connection.fetchval(question)
        await connection.close()
        return answer

    return asyncio.run(asked())


def processes(server: Server) -> list[psutil.Process]:
    main = psutil.Process(server.pid)
    return [main, *main.children(recursive=True)]


def test_data_survives_a_kill_and_a_later_server_takes_them_over(tmp_path: Path) -> None:
    with PostgreSQL(tmp_path, throwaway=True) as server:
        assert ask(server, "show fsync", after="create table kept as select 42 as answer") == "on"
        address, before = server.url(), processes(server)
        server.kill()
        assert alive(before, 5) == []
        server.start()
        assert ask(server, "select answer from kept") == 42
        assert server.url() == address
    with PostgreSQL(tmp_path, settings={"max_connections": "17"}) as later:
        assert ask(later, "select answer from kept") == 42
        assert ask(later, "show max_connections") == "17"


def test_what_does_not_depend_on_the_machine_is_set_as_in_the_stack() -> None:
    stack = dict(part[2:].split("=", 1) for part in compose_services()["postgresql"]["command"][1:])
    shared = {name: PostgreSQL.defaults[name] for name in stack.keys() & PostgreSQL.defaults.keys() - OF_THE_MACHINE}
    assert shared == {name: stack[name] for name in shared}
    assert {"checkpoint_timeout", "wal_compression"} <= set(shared)


def test_no_other_password_is_taken(postgresql: PostgreSQL) -> None:
    assert (postgresql.data_dir / "password").stat().st_mode & 0o777 == 0o600
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(asyncpg.connect(f"postgresql://postgres:guess@127.0.0.1:{postgresql.port}/postgres"))


def test_the_servers_never_run_as_root_and_listen_on_the_loopback_only(postgresql: PostgreSQL, tmp_path: Path) -> None:
    with Valkey(tmp_path) as valkey:
        for server in (postgresql, valkey):
            assert all(0 not in process.uids() for process in processes(server))
            assert listeners(server.port) == ["127.0.0.1"]


def test_valkey_has_a_password_that_no_other_user_can_read(tmp_path: Path) -> None:
    with Valkey(tmp_path) as server:
        with redis.Redis(port=server.port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        with redis.Redis.from_url(server.url()) as owner:
            assert owner.ping()
        password = urlsplit(server.url()).password
        assert password
        assert not [process for process in processes(server) if password in " ".join(process.cmdline())]
        assert password not in server.log.read_text()
        assert (tmp_path / "password.conf").stat().st_mode & 0o777 == 0o600


def test_a_server_dies_with_its_starter_and_can_be_started_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTED_ELSEWHERE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT) as starter:
        assert starter.stdout
        old = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    with PostgreSQL(tmp_path):
        assert alive([old]) == []


def test_a_pid_file_that_names_a_stranger_does_not_keep_it_from_starting(
    own_server: CopyServer, tmp_path: Path
) -> None:
    server = own_server(tmp_path)
    server.start()
    server.kill()
    stranger = subprocess.Popen(["sleep", "600"], user=(tmp_path / "cluster").stat().st_uid)
    pid_file = tmp_path / "cluster" / "postmaster.pid"
    lines = pid_file.read_text().splitlines(keepends=True)
    pid_file.write_text("".join([f"{stranger.pid}\n", *lines[1:]]))
    try:
        with server:
            assert server.child.exit_code is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_directory_in_use_is_refused(own_server: CopyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.local.server.LEFTOVER_SECONDS", 0.2)
    with own_server(tmp_path) as first:
        with pytest.raises(LocalError, match="Another postgresql uses"):
            PostgreSQL(tmp_path).start()
        assert first.child.exit_code is None


def test_data_of_another_version_are_refused_and_left_as_they_are(own_server: CopyServer, tmp_path: Path) -> None:
    server = own_server(tmp_path)
    with server:
        pass
    (server.cluster / "PG_VERSION").write_text("9\n")
    files = {path: path.stat().st_mtime_ns for path in server.cluster.rglob("*")}
    with pytest.raises(
        LocalError, match=r"(?s)did not start .* initialized by PostgreSQL version 9, which is not compat"
    ):
        server.start()
    assert {path: path.stat().st_mtime_ns for path in server.cluster.rglob("*")} == files
