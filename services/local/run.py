"""Runs the whole board on this machine until it is asked to stop: `agent-board run`.

It must never leave a process behind or show a password.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import NoReturn

from services.board.verifiable_log.signing import make_key
from services.local.child import Child, Pause, stop_together
from services.local.errors import LocalError
from services.local.in_use import in_use
from services.local.interruption import Interruption, StopRequested
from services.local.options import Options, read_options
from services.local.ports import free_port, is_taken
from services.local.postgresql import PostgreSQL
from services.local.programs import PROGRAMS, Program, Replica
from services.local.server import Server
from services.local.state import VARIABLE, State, state_folder
from services.local.stores import DATABASE, check_redis, ensure_database, migrate_database
from services.local.terminal import say, shown, welcome
from services.local.valkey import Valkey
from services.process.setting_sources import SettingsError, misspelt

READY_SECONDS = 240
KILLED_RUN_SECONDS = 60


def run_board(directory: Path | None) -> int:
    """Run the board until asked to stop. Return the exit code: 0 after such a request, 1 after a failure.

    Without a directory, its data are in that of state_folder().
    """
    for sentence in misspelt(os.environ, ["API_REPLICAS"]):
        say(sentence, sys.stderr)
    try:
        with Interruption() as interruption:
            state = State(directory or state_folder(os.environ))
            Run(state, read_options(os.environ), interruption.pause).until_stopped()
    except StopRequested:
        say("The board has stopped; its data is kept.")
        return 0
    except (LocalError, SettingsError) as error:
        say(str(error), sys.stderr)
    except OSError as error:
        say(f"{error.strerror}: {error.filename}." if error.filename else f"{error}.", sys.stderr)
    return 1


class Run:
    """One run. Everything that it starts stops with it, in reverse order."""

    def __init__(self, state: State, options: Options, pause: Pause) -> None:
        self.state = state
        self.options = options
        self.settings = options.settings
        self.pause = pause
        self.children: list[Child] = []
        self.operator_urls: dict[str, str] = {}

    def until_stopped(self) -> NoReturn:
        """Start everything and monitor it. Stops everything before raising StopRequested or LocalError."""
        environment = Path(sys.prefix) / "pyvenv.cfg"
        with self.state.held(self.settings.base_url) as killed_before, in_use(environment), ExitStack() as running:
            self.take_port(killed_before)
            stores = {**self.database(running), "REDIS_URL": self.redis(running)}
            say("Applying migrations")
            migrate_database(stores["DATABASE_URL"], stores["READ_DATABASE_URL"], self.pause)
            self.take_port(False)
            env = self.process_environment(stores)
            # All at once: most of their start is work of one processor.
            begun = [running.enter_context(self.started(each, {**env, **self.log_key(each)})) for each in PROGRAMS]
            for replica in chain.from_iterable(begun):
                replica.wait_until_ready(READY_SECONDS, self.pause)
                self.operator_urls[replica.child.name] = replica.operator_url
            running.enter_context(self.state.addresses({**stores, "BASE_URL": self.settings.base_url}))
            running.enter_context(self.state.ports(self.settings.base_url, self.operator_urls))
            say(welcome(self.settings.base_url, self.operator_urls, self.state.logs, operator_command(self.state)))
            self.watch()

    def take_port(self, killed_before: bool) -> None:
        deadline = time.monotonic() + (KILLED_RUN_SECONDS if killed_before else 0)
        host, port = self.settings.host, self.settings.port
        if killed_before and is_taken(host, port):
            say("The last run was killed; waiting for its processes to exit")
        while is_taken(host, port):
            if time.monotonic() >= deadline:
                raise LocalError(f"Cannot listen on {host}:{port}: it is in use; set another PORT.")
            self.pause(0.1)

    def database(self, running: ExitStack) -> dict[str, str]:
        url = self.options.database_url
        if url is not None:
            ensure_database(url)
            return {"DATABASE_URL": url, "READ_DATABASE_URL": self.settings.read_database_url.get_secret_value()}
        server = PostgreSQL(self.state.directory / "postgresql", log=self.state.log("postgresql"), pause=self.pause)
        running.enter_context(self.serving(server))
        # Neither certificates in the home nor variables such as PGSSLMODE concern this server.
        for name in [name for name in os.environ if name.startswith("PG")]:
            del os.environ[name]
        url, read_url = (f"{each}?sslmode=disable" for each in (server.url(DATABASE), server.reading_url(DATABASE)))
        ensure_database(url)
        return {"DATABASE_URL": url, "READ_DATABASE_URL": read_url}

    def redis(self, running: ExitStack) -> str:
        url = self.options.redis_url
        if url is None:
            server = Valkey(self.state.directory / "valkey", log=self.state.log("valkey"), pause=self.pause)
            running.enter_context(self.serving(server))
            return server.url()
        check_redis(url)
        return url

    @contextmanager
    def serving(self, server: Server) -> Iterator[None]:
        say(f"Starting {server.name} (data in {shown(server.data_dir)})")
        with server:
            self.children.append(server.child)
            try:
                yield
            finally:
                say(f"Stopping {server.name}")

    def process_environment(self, stores: Mapping[str, str]) -> dict[str, str]:
        settings = self.settings
        limiter_port = free_port()
        known = {
            **stores,
            "HOST": settings.host,
            "PORT": str(settings.port),
            "BASE_URL": settings.base_url,
            "LIMITER_HOST": "127.0.0.1",
            "LIMITER_PORT": str(limiter_port),
            "LIMITER_URL": f"http://127.0.0.1:{limiter_port}",
        }
        apart = {*known, "LOG_KEY"}
        outside = {name: value for name, value in os.environ.items() if name.removesuffix("_FILE") not in apart}
        return {**outside, **known, **self.secret_setting()}

    def secret_setting(self) -> dict[str, str]:
        return {} if self.settings.operator_secret else {"OPERATOR_SECRET_FILE": str(self.state.secret())}

    def log_key(self, program: Program) -> dict[str, str]:
        if not program.signs:
            return {}
        if self.settings.log_key:
            return {"LOG_KEY": self.settings.log_key.get_secret_value()}
        return {"LOG_KEY_FILE": str(log_key(self.state, self.settings.base_url))}

    @contextmanager
    def started(self, program: Program, env: Mapping[str, str]) -> Iterator[list[Replica]]:
        replicas: list[Replica] = []
        count = program.replicas(self.options)
        say(f"Starting {program.name} ({count} {'process' if count == 1 else 'processes'})")
        try:
            for number in range(1, count + 1):
                name = f"{program.name}-{number}"
                port = self.options.operator_port if name == "api-1" else None
                replicas.append(
                    Replica(
                        name,
                        program.module,
                        log=self.state.log(name),
                        env=env,
                        address=(self.settings.operator_host, port or free_port()),
                    )
                )
            self.children.extend(replica.child for replica in replicas)
            yield replicas
        finally:
            say(f"Stopping {program.name}")
            stop_together([replica.child for replica in replicas], self.drain_limit())

    def drain_limit(self) -> float:
        return self.settings.drain_notice_seconds + self.settings.drain_seconds + 5

    def watch(self) -> NoReturn:
        while True:
            for child in self.children:
                if child.exit_code is not None:
                    raise child.failure()
                self.state.bound(child.log)
            self.pause(0.2)


def log_key(state: State, base_url: str) -> Path:
    """Return the file with the key of the verifiable log. It is created once, for the address of that run."""
    return state.kept("log_key", lambda: make_key(f"{base_url.partition('://')[2]}/log"))


def operator_command(state: State) -> list[str]:
    """Return the words with which the operator's command is called here, for the run of a folder."""
    named = [] if state.is_found(Path.cwd(), os.environ) else [f"{VARIABLE}={quote(str(state.directory))}"]
    return [*named, *program()]


def program() -> list[str]:
    script = Path(sys.executable).with_name("agent-board")
    # uvx and `uv run` have put it on the path of this process only.
    if "UV" not in os.environ and shutil.which(script.name) == str(script):
        return [script.name]
    return [shown(script)] if script.exists() else [shown(Path(sys.executable)), "-m", "services.operator"]
