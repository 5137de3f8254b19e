"""Runs the whole board on this machine until it is asked to stop: `agent-board run`.

It must never leave a process behind or show a password.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn, cast

from pydantic import Field, SecretStr

from services.board.database.creation import check_database, create_database
from services.board.database.failures import DATABASE_FAILURES
from services.board.verifiable_log.signing import make_key
from services.local.child import Pause, stop
from services.local.errors import LocalError
from services.local.interruption import Interruption, StopRequested
from services.local.ports import free_port, is_taken
from services.local.postgresql import DATABASE, PostgreSQL, forget_variables
from services.local.programs import PROGRAMS, Replica
from services.local.server import Server
from services.local.state import State, state_folder
from services.local.terminal import say, welcome
from services.local.valkey import Valkey, check_redis
from services.process.lifecycle import DRAIN_SECONDS
from services.process.setting_sources import load_settings
from services.process.setting_types import PostgresUrl
from services.process.settings import Settings

READY_SECONDS = 240
ASKED_SECONDS = 0.05


class RunSettings(Settings):
    """The settings of all processes, with those of the run itself. A store whose address is not given is started."""

    # That of the embedded server is not known yet.
    database_url: PostgresUrl = SecretStr("postgresql://127.0.0.1")
    api_replicas: int = Field(default=1, ge=1, le=64)


def run_board(directory: Path | None) -> None:
    """Run the board until asked to stop. Without a directory, its data are in that of state_folder().

    Raises LocalError, SettingsError, Unavailable and OSError once all has stopped.
    """
    with suppress(StopRequested):
        interruption = Interruption()
        state = State(directory or state_folder(os.environ))
        Run(state, os.environ, interruption.pause).until_stopped()
    say("The board has stopped; its data is kept.")


class Run:
    """One run. Everything that it starts stops with it, in reverse order."""

    def __init__(self, state: State, env: Mapping[str, str], pause: Pause) -> None:
        """Read the settings. Raises SettingsError with one sentence per wrong setting."""
        self.state = state
        self.settings = cast(RunSettings, load_settings(env, RunSettings))
        self.given = self.settings.model_fields_set
        self.pause = pause
        self.servers: list[Server] = []

    def until_stopped(self) -> NoReturn:
        """Start everything and watch it. Stops everything before raising StopRequested or an error."""
        settings = self.settings
        with self.state.held(settings.base_url), ExitStack() as running:
            if is_taken(settings.host, settings.port):
                raise LocalError(f"Cannot listen on {settings.host}:{settings.port}: it is in use; set another PORT.")
            stores = {**self.database(running), "REDIS_URL": self.redis(running)}
            say("Applying migrations")
            migrate_database(stores["DATABASE_URL"], stores["READ_DATABASE_URL"], self.pause)
            # All at once: most of their start is work of one processor.
            replicas = running.enter_context(self.started(self.process_environment(stores)))
            for replica in replicas:
                replica.child.wait_until(replica.is_ready, READY_SECONDS, self.pause)
            ports = {each.name.upper().replace("-", "_"): each.operator_url for each in replicas}
            known = {**stores, "BASE_URL": settings.base_url, "PID": str(os.getpid()), **ports}
            running.enter_context(self.state.addresses(known))
            say(welcome(settings.base_url))
            self.watch(replicas)

    def database(self, running: ExitStack) -> dict[str, str]:
        if "database_url" in self.given:
            given = (self.settings.database_url, self.settings.read_database_url)
            url, read_url = (each.get_secret_value() for each in given)
        else:
            server = PostgreSQL(
                self.state.directory / "postgresql", log=self.state.logs / "postgresql.log", pause=self.pause
            )
            self.servers.append(running.enter_context(server))
            forget_variables()
            addresses = server.url(), server.url(DATABASE), server.reading_url(DATABASE)
            maintenance_url, url, read_url = (f"{each}?sslmode=disable" for each in addresses)
            asyncio.run(create_database(maintenance_url, DATABASE))
        asyncio.run(check_database(url))
        return {"DATABASE_URL": url, "READ_DATABASE_URL": read_url}

    def redis(self, running: ExitStack) -> str:
        if "redis_url" in self.given:
            url = self.settings.redis_url.get_secret_value()
            check_redis(url)
            return url
        server = Valkey(self.state.directory / "valkey", log=self.state.logs / "valkey.log", pause=self.pause)
        self.servers.append(running.enter_context(server))
        return server.url()

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
        return {**outside, **known}

    def log_key(self) -> dict[str, str]:
        """Return the key of the verifiable log: a given one, or one that is made once, for the address of that run."""
        if self.settings.log_key:
            return {"LOG_KEY": self.settings.log_key.get_secret_value()}
        name = f"{self.settings.base_url.partition('://')[2]}/log"
        return {"LOG_KEY_FILE": str(self.state.kept("log_key", lambda: make_key(name)))}

    @contextmanager
    def started(self, env: Mapping[str, str]) -> Iterator[list[Replica]]:
        replicas: list[Replica] = []
        try:
            for program in PROGRAMS:
                count = self.settings.api_replicas if program == "api" else 1
                # Only the fan-out signs the log.
                secret = self.log_key() if program == "fanout" else {}
                for number in range(1, count + 1):
                    replicas.append(self.replica(program, number, {**env, **secret}))
            yield replicas
        finally:
            seconds = self.settings.drain_notice_seconds + DRAIN_SECONDS + 5
            for program in reversed(PROGRAMS):
                stop([each.child for each in replicas if each.program == program], seconds)

    def replica(self, program: str, number: int, env: Mapping[str, str]) -> Replica:
        given = "operator_port" in self.given and (program, number) == ("api", 1)
        address = (self.settings.operator_host, self.settings.operator_port if given else free_port())
        return Replica(program, number, log=self.state.logs / f"{program}-{number}.log", env=env, address=address)

    def watch(self, replicas: Sequence[Replica]) -> NoReturn:
        while True:
            for server in self.servers:
                if server.child.exit_code is not None:
                    raise server.child.failure("exited unexpectedly")
            for replica in replicas:
                replica.keep_running()
            children = [*(each.child for each in self.servers), *(each.child for each in replicas)]
            for child in children:
                self.state.bound(child.log)
            collect_orphans([child.pid for child in children])
            self.pause(0.2)


def migrate_database(url: str, read_url: str, pause: Pause) -> None:
    """Bring the database to this release's schema, and let the role of `read_url` read it.

    In this process: another one would load the same modules again, which takes longer than all migrations of a new
    board. An exception from `pause` cancels the migration. Raises LocalError and Unavailable.
    """
    # Other commands load this module, too, and need no aerich.
    from services.board.database.migrations import migrate

    async def migrated() -> None:
        migration = asyncio.create_task(migrate(url, lambda _: None, read_url))
        while not migration.done():
            pause(0)
            await asyncio.wait([migration], timeout=ASKED_SECONDS)
        await migration

    try:
        asyncio.run(migrated())
    except DATABASE_FAILURES as error:
        raise LocalError(f"The migration failed: {error}.") from None


def collect_orphans(children: Sequence[int]) -> None:
    """Collect the ended processes that this one has inherited, as the first process of a container does."""
    with suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid not in children:
            os.waitpid(ended.si_pid, 0)
