"""The fixtures of every test: a real PostgreSQL, databases cloned from a migrated template, and real API processes.

The tests of one worker share a board: one database and one API process. A test must never expect an empty board, or
change the board in a way that affects others. A test that needs an empty board uses `empty_board`.
A test that needs its own settings, or breaks things, has its own board (`database`, `start_api`) or that of its file
(`module_database`, `module_api`, `module_operator`).

The cast of each test is new: alice publishes, bob follows, and carol must see nothing of theirs.
"""

import gc
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.local.postgresql import PostgreSQL
from tests.boards import EmptyBoard
from tests.databases import (
    QUICK,
    CopyServer,
    administered,
    copy_server,
    create_database,
    keep_files_in_memory,
    migrated_server,
    temporary_database,
)
from tests.figures import FIGURES
from tests.forked import SERVER
from tests.operations.hand import Operator
from tests.processes import ApiProcess, Started
from tests.shares import share, today
from tests.surroundings import hide
from tests.web import Agent, Web

hide(os.environ)
keep_files_in_memory()
# Programs in Go that end soon collect little garbage: kubectl and promtool take a fifth less CPU.
os.environ["GOGC"] = "400"
# Without bytecode, every process that a test starts would compile all of its modules, which takes a second.
sys.dont_write_bytecode = False

# Packages that only `make check` installs, and the tests that import them.
OF_CHECK = {
    "kubernetes_validate": ["k8s/test_schemas.py"],
    "locust": ["loadtests"],
    "playwright": ["pages/test_hostile_posts.py", "pages/test_in_a_browser.py"],
    "requests": ["interface/test_description_holds.py"],
    "schemathesis": ["interface/test_description_holds.py"],
}
collect_ignore = sorted({each for package, tests in OF_CHECK.items() if find_spec(package) is None for each in tests})
Reading = Callable[[str], str]
numbers = itertools.count(1)
STACK = "tests/stack/"


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def own_server(shared_folder: Path) -> CopyServer:
    """Prepares a server for tests that stop or kill it: its database `postgres` is an empty board."""
    return partial(copy_server, migrated_server(shared_folder))


@pytest.fixture(scope="session")
def postgresql(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """One server for the tests of this worker. A test that stops or kills a server uses its own."""
    with own_server(tmp_path_factory.mktemp("postgresql"), QUICK) as server, administered(server):
        yield server


@pytest.fixture(scope="session")
def reading(postgresql: PostgreSQL) -> Reading:
    """Turns a database's address into that of the read-only role."""
    return lambda url: postgresql.reading_url(urlsplit(url).path[1:])


@pytest.fixture(scope="session")
def shared_database(postgresql: PostgreSQL) -> str:
    """The address of the database of the shared board."""
    return create_database(postgresql, "board")


@pytest.fixture(scope="session")
def api(shared_database: str, reading: Reading, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """The API process of the shared board."""
    folder = tmp_path_factory.mktemp("api")
    with ApiProcess(shared_database, folder, READ_DATABASE_URL=reading(shared_database)) as process:
        yield process


@pytest.fixture(scope="session")
def operator(shared_database: str) -> Iterator[Operator]:
    """The operator of the shared board."""
    with Operator(shared_database) as operator:
        yield operator


@pytest.fixture(scope="module")
def module_database(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of a database for the tests of one file."""
    with temporary_database(postgresql, f"board_{next(numbers)}") as url:
        yield url


@pytest.fixture(scope="module")
def module_api(
    module_database: str, reading: Reading, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiProcess]:
    """An API process for the tests of one file."""
    folder = tmp_path_factory.mktemp("api")
    with ApiProcess(module_database, folder, READ_DATABASE_URL=reading(module_database)) as process:
        yield process


@pytest.fixture(scope="module")
def module_operator(module_database: str) -> Iterator[Operator]:
    """The operator of the board for the tests of one file."""
    with Operator(module_database) as operator:
        yield operator


@pytest.fixture(scope="session")
def board_to_empty(
    postgresql: PostgreSQL, reading: Reading, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmptyBoard]:
    url = create_database(postgresql, "board_to_empty")
    folder = tmp_path_factory.mktemp("api")
    with Operator(url) as operator, ApiProcess(url, folder, READ_DATABASE_URL=reading(url)) as process:
        yield EmptyBoard(process, operator)


@pytest.fixture
def empty_board(board_to_empty: EmptyBoard) -> EmptyBoard:
    """A board without agents and posts."""
    board_to_empty.clear()
    return board_to_empty


@pytest.fixture
def database(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of a database for one test."""
    with temporary_database(postgresql, f"board_{next(numbers)}") as url:
        yield url


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to this test's database that can write; times are Unix seconds."""
    connection = await writing_connection(database)
    yield connection
    await connection.close()


@pytest.fixture
async def shared_db(shared_database: str) -> AsyncIterator[asyncpg.Connection]:
    """Such a connection to the database of the shared board."""
    connection = await writing_connection(shared_database)
    yield connection
    await connection.close()


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts processes, and stops them after the test."""
    with Started() as processes:
        yield processes


@pytest.fixture
def start_api(database: str, reading: Reading, tmp_path: Path, started: Started) -> Callable[..., ApiProcess]:
    """Starts API processes on this test's database. Their settings are passed by name."""

    def start(**settings: str) -> ApiProcess:
        if "DATABASE_URL" not in settings:
            settings.setdefault("READ_DATABASE_URL", reading(database))
        url = settings.pop("DATABASE_URL", database)
        return started.start(ApiProcess(url, tmp_path / f"api{next(numbers)}", **settings))

    return start


@pytest.fixture
def web(api: ApiProcess) -> Iterator[Web]:
    """A client without a token."""
    assert api.running.poll() is None, (
        f"The API process has ended: {api.running.returncode}. {api.log.read_text()[-3000:]}"
    )
    with Web(api.url) as client:
        yield client


@pytest.fixture
def empty_web(empty_board: EmptyBoard) -> Iterator[Web]:
    """A client, without a token, of a board without agents and posts."""
    with Web(empty_board.api.url) as client:
        yield client


@pytest.fixture
def alice(web: Web) -> Agent:
    return web.register("alice")


@pytest.fixture
def bob(web: Web) -> Agent:
    return web.register("bob")


@pytest.fixture
def carol(web: Web) -> Agent:
    return web.register("carol")


def pytest_addoption(parser: pytest.Parser) -> None:
    of = "run one of this many shares of the slow tests, and of the files of the stack, the next one each day (1)"
    parser.addoption("--of", type=int, default=1, help=of)
    # The workers of a run have the day on which it began.
    parser.addoption("--day", type=int, default=today(), help="the number of the day for --of (today)")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let a worker fork its processes from the server of all workers: each server imports our code for two seconds."""
    node.workerinput["forkserver"] = str(SERVER.started())


def pytest_configure(config: pytest.Config) -> None:
    if workerinput := getattr(config, "workerinput", None):
        SERVER.share(workerinput["forkserver"])


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector start only now, and pass over the tests: they live until the end."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is in the shares of other days."""
    parts = {item.nodeid: part_of(item) for item in items}
    others = sorted({part for part in parts.values() if part})
    todays = {"", *share(others, config.getoption("of"), config.getoption("day"))}
    left_out = [item for item in items if parts[item.nodeid] not in todays]
    items[:] = [item for item in items if parts[item.nodeid] in todays]
    config.hook.pytest_deselected(items=left_out)


def part_of(item: pytest.Item) -> str:
    """Return what a test runs with: the tests of a file of the stack share containers, a slow test is by itself."""
    file, _, _ = item.nodeid.partition("::")
    if file.startswith(STACK):
        return file
    return item.nodeid if item.get_closest_marker("slow") else ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Show the figures that tests have recorded, and in the end what was not run."""
    # "" has the ends of tests.
    reports = [each for outcome in ("passed", "failed", "") for each in terminalreporter.getreports(outcome)]
    shown = [(name, line) for each in reports for name, line in getattr(each, "user_properties", ())]
    for line in dict.fromkeys(line for name, line in shown if name == FIGURES):
        terminalreporter.write_line(line)
    yield
    if left_out := not_run(terminalreporter):
        terminalreporter.write_line(left_out)


def not_run(terminalreporter: pytest.TerminalReporter) -> str:
    """Return what was left out, and how to run it; nothing if that is nothing."""
    skipped = len(terminalreporter.getreports("skipped"))
    left_out = ["slow tests"] if "not slow" in terminalreporter.config.option.markexpr else []
    left_out += [f"{skipped} tests that need another program"] if skipped else []
    left_out += [f"the tests in {', '.join(collect_ignore)}"] if collect_ignore else []
    how = "`make check` runs them; .ci/run, as root on Debian, installs their programs first."
    return f"Not run: {', '.join(left_out)}. {how}" if left_out else ""
