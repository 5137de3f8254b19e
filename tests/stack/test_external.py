"""The stack with external.yaml and mcp.yaml: PostgreSQL and Valkey outside of it, with certificates that are verified.

The PostgreSQL of the tests' image has no TLS, so a server in front of it decrypts.
"""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from deploy.compose.configuration import DIRECTORY
from deploy.compose.errors import StackError
from services.local.ports import free_port
from tests import decrypting
from tests.authority import Authority
from tests.client.test_mcp import PUBLIC_READS
from tests.programs import spawn
from tests.stack.conftest import started
from tests.stack.engine import engine_address
from tests.stack.make import Board
from tests.stack.one_container import docker
from tests.web import Web

USER = 10001
START_SECONDS = 120
VERIFIED = "sslmode=verify-full&sslrootcert=/run/secrets/stores_ca"
LOCALE = "--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8"
PASSWORD = secrets.token_hex(16)
OUTSIDE = {
    "postgres_password": PASSWORD,
    "database_password": PASSWORD,
    "monitor_password": PASSWORD,
}


@contextmanager
def container(address: str, port: int, *arguments: str) -> Iterator[str]:
    """Run a container outside of the stack with a port on an address of this machine; yield its id."""
    user = ("--user", f"{USER}:{USER}", "--publish", f"{address}::{port}")
    name = docker("run", "--detach", "--init", *user, *arguments)
    try:
        yield name
    finally:
        docker("rm", "--force", "--volumes", name)


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files that only the containers' user can read."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text + "\n")
        (folder / name).chmod(0o600)
        os.chown(folder / name, USER, USER)
    return folder


class Stores:
    """PostgreSQL and Valkey, with a certificate for an address that containers reach."""

    def __init__(self, images: dict[str, str], folder: Path, running: ExitStack) -> None:
        certificate, key = Authority(folder).issue("stores", f"IP:{engine_address()}")
        files = write(folder / "stores", {**OUTSIDE, "crt": certificate, "key": key})
        postgresql = (
            "--volume", f"{files}:/run/secrets:ro", "--env", "POSTGRES_PASSWORD_FILE=/run/secrets/postgres_password",
            "--volume", f"{DIRECTORY}/postgresql:/docker-entrypoint-initdb.d:ro",
            "--tmpfs", f"/var/run/postgresql:uid={USER},gid={USER}", "--env", f"POSTGRES_INITDB_ARGS={LOCALE}",
            images["POSTGRES_IMAGE"], "postgres",
        )  # fmt: skip
        valkey = (
            "--volume", f"{files}:/run/secrets:ro", images["VALKEY_IMAGE"], "valkey-server", "--port", "0",
            "--tls-port", "6379", "--tls-cert-file", "/run/secrets/crt", "--tls-key-file", "/run/secrets/key",
            "--tls-auth-clients", "no", "--requirepass", PASSWORD,
        )  # fmt: skip
        self.postgresql = running.enter_context(container("127.0.0.1", 5432, *postgresql))
        self.valkey = running.enter_context(container(engine_address(), 6379, *valkey))
        self.port = free_port()
        plain = docker("port", self.postgresql, "5432").rpartition(":")[2]
        pair = (str(folder / "stores.crt"), str(folder / "stores.key"))
        front = spawn([sys.executable, decrypting.__file__, str(self.port), plain, *pair], env=os.environ)
        running.callback(front.wait)
        running.callback(front.kill)
        wait_for(self.postgresql)

    def secrets(self) -> dict[str, str]:
        """The addresses, as the README describes them."""
        database, cache = f"{engine_address()}:{self.port}", docker("port", self.valkey, "6379")
        return {
            "database_url": f"postgresql://agent_board:{PASSWORD}@{database}/agent_board?{VERIFIED}",
            "read_database_url": f"postgresql://agent_board_reader:{PASSWORD}@{database}/agent_board?{VERIFIED}",
            "redis_url": f"rediss://:{PASSWORD}@{cache}/0?ssl_ca_certs=/run/secrets/stores_ca",
        }


def wait_for(postgresql: str) -> None:
    """Wait until PostgreSQL listens; the temporary server that initializes the database has only a Unix socket."""
    ready = ("pg_isready", "--quiet", "--host=127.0.0.1", "--dbname=agent_board", "--username=postgres")
    deadline = time.monotonic() + START_SECONDS
    while subprocess.run(["docker", "exec", postgresql, *ready], check=False).returncode:
        assert time.monotonic() < deadline, docker("logs", postgresql)
        time.sleep(0.5)


def tools(address: str) -> set[str]:
    """Return the names of the tools that an MCP server offers, in one call as its clients make it."""
    headers = {"Accept": "application/json, text/event-stream"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = httpx2.post(address, json=call, headers=headers).json()
    return {tool["name"] for tool in answer["result"]["tools"]}


@pytest.fixture
def stores(images: dict[str, str], tmp_path: Path) -> Iterator[Stores]:
    with ExitStack() as running:
        yield Stores(images, tmp_path, running)


@pytest.fixture
def external(images: dict[str, str], stores: Stores, tmp_path: Path) -> Iterator[Board]:
    """The stack, which uses these stores."""
    folder = tmp_path / "board"
    folder.mkdir()
    write(folder / "secrets", stores.secrets())
    more = {"COMPOSE_FILE": "compose.yaml:external.yaml:mcp.yaml", "STORES_CA": str(tmp_path / "ca.crt")}
    with started(images, folder, **more) as board:
        yield board


def test_the_stack_serves_from_stores_elsewhere_and_only_from_those(external: Board, tmp_path: Path) -> None:
    services = {"haproxy", "api", "limiter", "fanout", "migrate", "mcp"}
    assert {each.service for each in external.stack.containers()} == services
    assert external.make("doctor").strip().endswith("All is well.")
    with Web(external.url) as web:
        alice = web.register("alice")
        assert alice.post("/api/threads", {"title": "A question", "body": "Who knows?"}).status == 201
        assert len(web.get("/api/threads").json["items"]) == 1
        assert web.get("/api/health").json["status"] == "ok"
        assert tools(web.get("/.well-known/agent-card.json").json["mcp"]) == PUBLIC_READS
    assert "PostgreSQL runs elsewhere" in external.make("backup", fails=True)
    # it should not trust a certificate of another authority
    (tmp_path / "another").mkdir()
    Authority(tmp_path / "another")
    external.stack.configuration.environment["STORES_CA"] = str(tmp_path / "another" / "ca.crt")
    with pytest.raises(StackError, match="The certificate of the database is refused"):
        external.stack.ask("run", "--rm", "--no-deps", "-T", "migrate", seconds=120)
