"""The stack under test: the real compose.yaml on a real engine, unchanged except for local images.

It is started by `make up`, as operators start it, under its own name, port and folders, and removed at the end. With
`-n 2 --dist loadfile`, each of two processes has a stack that its tests share.
"""

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack
from services.local.ports import free_port
from tests.figures import figures  # noqa: F401
from tests.stack.engine import NoEngine, engine, engine_address
from tests.stack.local_images import local_images
from tests.stack.make import Board


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Provide the engine and the images before the processes of this run ask for them, until all have ended."""
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    running = ExitStack()
    session.config.add_cleanup(running.close)
    with suppress(NoEngine):
        running.enter_context(engine())
        local_images()


@pytest.fixture(scope="session")
def images() -> Iterator[dict[str, str]]:
    """An engine, and the images of the stack on it, as variables of compose.yaml."""
    try:
        with engine():
            yield local_images()
    except NoEngine as reason:
        pytest.skip(f"The stack is not tested here: {reason}")


@pytest.fixture(scope="session")
def board(images: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """The stack, started from nothing; tests must leave it healthy."""
    with started(images, tmp_path_factory.mktemp("stack")) as board:
        yield board


@pytest.fixture
def board_image(board: Board) -> str:
    """The name of the image of the shared stack."""
    return board.stack.configuration["BOARD_IMAGE"]


@contextmanager
def started(images: dict[str, str], folder: Path, **more: str) -> Iterator[Board]:
    """A stack of this checkout, started from nothing and removed at the end. `more` are further settings."""
    port, host = free_port(), engine_address()
    # Each process builds images of its own: those of another one would replace the containers of `make up`.
    tag = f"{os.environ.get('PYTEST_XDIST_WORKER', 'gw0')}-{folder.name.lower()}"
    settings = {
        **images,
        "COMPOSE_PROJECT_NAME": f"agent-board-test-{secrets.token_hex(3)}",
        "BOARD_IMAGE": f"agent-board-test/board:{tag}",
        "DATABASE_IMAGE": f"agent-board-test/database:{tag}",
        "ENV_FILE": str(folder / ".env"),
        "SECRETS_DIR": str(folder / "secrets"),
        "METRICS_DIR": str(folder / "metrics"),
        "LOGS_DIR": str(folder / "logs"),
        "ALERTMANAGER_DIR": str(folder / "alertmanager"),
        # There is no package of it.
        "GRAFANA_REPLICAS": "0",
        # An address of this machine that containers can reach, too, and no other machine.
        "BIND": host,
        "PORT": str(port),
        "BASE_URL": f"http://{host}:{port}",
        "EDGE_SUBNET": free_subnet(),
        # For the load of a few agents; other tests show that limits hold.
        "LIMIT_POSTS": "100/60",
        **more,
    }
    board = Board(Stack(Configuration({**os.environ, **settings})), f"http://{host}:{port}")
    try:
        board.started = board.make("up")
        yield board
    finally:
        board.stack.compose("--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "1")


def free_subnet() -> str:
    """Return a subnet that no network of the engine has; tests of another process choose among others."""
    networks = subprocess.run(["docker", "network", "ls", "--quiet"], capture_output=True, text=True, check=True)
    inspect = ["docker", "network", "inspect", "--format", "{{range .IPAM.Config}}{{.Subnet}} {{end}}"]
    # it fails for a network that has been removed meanwhile, but describes the others
    described = subprocess.run([*inspect, *networks.stdout.split()], capture_output=True, text=True, check=False)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    free = {f"10.213.{third}.0/24" for third in range(worker % 8, 256, 8)} - set(described.stdout.split())
    return secrets.choice(sorted(free))


@pytest.fixture(autouse=True)
def well(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test of the shared stack finds it as it was started; if one leaves it otherwise, the others fail."""
    board = request.getfixturevalue("board") if "board" in request.fixturenames else None
    if board and board.left:
        pytest.fail(board.left)
    yield
    if board is None:
        return
    try:
        board.until_well()
    except AssertionError as left:
        board.left = f"{request.node.name} has not left the stack as it was: {left}"
        raise


@pytest.fixture
def folder(board: Board) -> Path:
    """The folder of the stack's settings and secrets."""
    return board.stack.configuration.file.parent
