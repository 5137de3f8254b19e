"""A wrong setting is refused before it replaces anything; the stack's tests try that on an engine."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import trials
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack

SUBNET = "10.213.87.0/24"


class Running(Stack):
    """A stack with a HAProxy on one port, and copies that start or not."""

    def __init__(self, folder: Path, **settings: str) -> None:
        super().__init__(Configuration({"ENV_FILE": str(folder / ".env"), "BIND": "127.0.0.1", **settings}))
        self.port, self.subnet, self.state = 0, SUBNET, "running healthy"
        self.usable = [*trials.NOT_USABLE]
        self.calls: list[str] = []

    def described(self, *_: str) -> dict[str, Any]:
        edge = {"name": "board_edge", "ipam": {"config": [{"subnet": SUBNET}]}}
        postgresql = {"command": ["postgres", "--shared_buffers=1GB"]}
        return {"name": "board", "networks": {"edge": edge}, "services": {"postgresql": postgresql}}

    def containers(self, *_: str) -> list[Container]:
        return [Container("1", "haproxy", "haproxy", "running", "healthy", 0, 0)]

    def ask(self, *arguments: str, seconds: float = 60) -> str:
        self.calls.append(" ".join(arguments))
        return "extra\nobservability\n" if arguments[0] == "config" else " ".join(self.usable)

    def docker(self, *arguments: str, seconds: float = 60, errors: bool = False) -> str:
        self.calls.append(" ".join(arguments))
        answers = {"port": f"8000/tcp -> 127.0.0.1:{self.port}\n", "network": f"{self.subnet}\n", "logs": "FATAL: lots"}
        return answers.get(arguments[0], self.state)


def refusal(check: Callable[[Stack], object], stack: Stack) -> str:
    with pytest.raises(StackError) as refused:
        check(stack)
    return str(refused.value)


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    stack = Running(tmp_path, BIND="192.0.2.1")
    assert refusal(trials.check_address, stack) == "BIND 192.0.2.1 is not an address of this machine."


def test_a_port_of_another_program_is_refused_and_its_own_is_not(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        stack = Running(tmp_path, PORT=str(port))
        said = f"Cannot listen on 127.0.0.1:{port}: it is in use. Set PORT in .env, and BASE_URL with it."
        assert refusal(trials.check_address, stack) == said
        stack.port = port
        trials.check_address(stack)


def test_a_network_that_no_roll_replaces_is_named(tmp_path: Path) -> None:
    stack = Running(tmp_path)
    trials.check_network(stack)
    stack.subnet = "10.213.88.0/24"
    assert refusal(trials.check_network, stack) == (
        "EDGE_SUBNET is 10.213.87.0/24, but the network has 10.213.88.0/24: run make down and make up."
    )


def test_a_misspelt_profile_is_named(tmp_path: Path) -> None:
    trials.check_profiles(Running(tmp_path, COMPOSE_PROFILES="observability,extra"))
    assert refusal(trials.check_profiles, Running(tmp_path, COMPOSE_PROFILES="observabilty")) == (
        "COMPOSE_PROFILES names observabilty, which is no profile; there are extra, observability."
    )


@pytest.mark.parametrize("service", [*trials.ALONE, "api"])
def test_a_copy_that_exits_is_removed_and_its_words_are_shown(tmp_path: Path, service: str) -> None:
    stack = Running(tmp_path)
    trials.check(stack, {service})
    stack.state = "exited unhealthy"
    said = refusal(lambda stack: trials.check(stack, {service}), stack)
    assert (
        said == f"With these settings, {service} cannot start; nothing was replaced. Its last log lines:\n  FATAL: lots"
    )
    assert [call for call in stack.calls if call.startswith("rm ")] == ["rm --force --volumes board-trial"] * 4
    [run, _] = [call for call in stack.calls if call.startswith("run --detach")]
    assert run.startswith("run --detach --no-deps --name board-trial")


def test_postgresql_is_tried_with_its_settings_but_neither_the_data_nor_the_archive_of_the_board(
    tmp_path: Path,
) -> None:
    stack = Running(tmp_path)
    trials.check(stack, {"postgresql"})
    assert stack.calls[1] == (
        f"run --detach --no-deps --name board-trial --env PGDATA={trials.FOLDER} --env POSTGRES_INITDB_ARGS=--no-sync "
        "postgresql postgres --shared_buffers=1GB --archive_mode=off --fsync=off"
    )
    assert f"rm -rf {trials.FOLDER}" in stack.calls[-1]
    for name in trials.NOT_USABLE:
        stack.usable = [each for each in trials.NOT_USABLE if each != name]
        said = refusal(lambda stack: trials.check(stack, {"postgresql"}), stack)
        assert said == f"{trials.NOT_USABLE[name]} Nothing was replaced."
