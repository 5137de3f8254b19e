"""The stack changes, loses parts and recovers them under load: nothing acknowledged is lost or duplicated."""

import re
from collections.abc import Iterator

import pytest

from deploy.compose.rolling import reload
from deploy.compose.stack import Container
from tests.chaos.row import ANYTHING
from tests.stack.make import SERVICES, Board
from tests.stack.traffic import Traffic

Figures = dict[str, str]


@pytest.fixture
def traffic(board: Board, figures: Figures, request: pytest.FixtureRequest) -> Iterator[Traffic]:
    """Agents that publish and read; the report contains the outcome."""
    traffic = Traffic(board)
    yield traffic
    figures[request.node.name] = traffic.figures()


def test_a_roll_replaces_every_process_without_a_failed_call(board: Board, traffic: Traffic) -> None:
    services = ("api", "limiter", "fanout")
    before = {each.id for service in services for each in board.containers(service)}
    with traffic:
        with board.starts_and_ends() as happened:
            said = board.make("roll")
        traffic.until(20)
    assert said.strip().endswith("All replicas have been replaced.")
    after = {each.id for service in services for each in board.containers(service)}
    assert len(after) == len(before) == 5
    assert not after & before
    # it should have started each new one first, and let each old one finish
    replicas = {"api": 2, "limiter": 1, "fanout": 2}
    assert happened == {service: ["start", "die 0"] * number for service, number in replicas.items()}
    traffic.check()


def test_make_up_on_a_running_board_fails_no_call(board: Board, traffic: Traffic) -> None:
    before = {each.id: each.service for each in board.containers()}
    with traffic:
        traffic.until(10)
        with board.settings(LIMIT_POSTS="101/60", API_REPLICAS="3", BACKUP_DAYS="13", POSTGRES_MAX_CONNECTIONS="199"):
            said = board.make("up")
            assert len(board.containers("api")) == 3
            traffic.until(10)
        # the replicas that are too many should finish their requests
        assert "Replacing these" not in board.make("up")
        assert len(board.containers("api")) == 2
        traffic.until(10)
    traffic.check()
    # services that were left should be named with the command, and only changed ones replaced
    assert "  docker compose up --detach --no-build --force-recreate postgresql    # calls are answered 503" in said
    replaced = {service for id, service in before.items() if id not in {each.id for each in board.containers()}}
    assert replaced == {"api", "backup"}


def test_a_wrong_setting_is_named_and_leaves_the_replicas_as_they_were(board: Board) -> None:
    before = {each.id for each in board.containers("limiter", "api", "fanout")}
    with board.settings(LOG_LEVEL="LOUD"):
        said = board.make("roll", fails=True)
    assert re.search(r"With these settings, \w+ cannot start; nothing was replaced\. Its last log lines:", said)
    assert "LOG_LEVEL" in said
    assert {each.id for each in board.containers("limiter", "api", "fanout")} == before


def reloads(board: Board, haproxy: Container) -> int:
    return board.stack.docker("logs", haproxy.id, errors=True).count("Reloading HAProxy")


def test_the_load_balancer_reads_its_configuration_anew_without_a_failed_call(board: Board, traffic: Traffic) -> None:
    [haproxy] = board.containers("haproxy")
    before = reloads(board, haproxy)
    with traffic:
        for _ in range(3):
            reload(board.stack)
            traffic.until(20)
    assert board.containers("haproxy") == [haproxy]
    # another process should answer
    assert reloads(board, haproxy) == before + 3
    traffic.check()
    # it should still be restarted after a crash
    board.kill(haproxy)
    board.until_restarted(haproxy)


def test_killed_processes_come_back_and_nothing_is_lost_or_twice(board: Board, traffic: Traffic) -> None:
    with traffic:
        for service in SERVICES:
            traffic.until(10)
            victim = board.containers(service)[0]
            board.kill(victim)
            board.until_restarted(victim)
            board.until_well()
        traffic.until(20)
    traffic.check(ANYTHING)
