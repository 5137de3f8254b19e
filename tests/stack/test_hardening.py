"""The limits and the hardening of compose.yaml, as the engine has actually applied them to running containers."""

import json
import subprocess
from typing import Any

import pytest

from deploy.compose.secret_files import owner
from services.process.lifecycle import DRAIN_SECONDS, STEP_SECONDS
from tests.stack.make import SERVICES, Board

GIB, MIB = 2**30, 2**20
MEMORY = {"haproxy": 1536 * MIB, "api": 512 * MIB, "limiter": 256 * MIB, "fanout": 256 * MIB, "postgresql": GIB,
          "valkey": 192 * MIB}  # fmt: skip
NETWORKS = {
    "haproxy": {"edge", "observability"},
    "api": {"edge", "data", "observability"},
    "limiter": {"data", "observability"},
    "fanout": {"data", "observability"},
    "postgresql": {"data"},
    "valkey": {"data"},
}
# From inside a container: whether it may write to its own file system, and which capabilities it has.
PROBE = "touch /probe 2>&1; touch /usr/probe 2>&1; id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status"


@pytest.fixture(scope="module")
def inspected(board: Board) -> list[dict[str, Any]]:
    found = [each.id for each in board.stack.containers() if each.service in SERVICES]
    return list(json.loads(board.stack.docker("inspect", *found)))


def service(container: dict[str, Any]) -> str:
    return str(container["Config"]["Labels"]["com.docker.compose.service"])


def test_every_container_is_bounded(inspected: list[dict[str, Any]]) -> None:
    assert {service(each) for each in inspected} == set(SERVICES)
    for each in inspected:
        host = each["HostConfig"]
        assert host["Memory"] == MEMORY[service(each)]
        assert 0 < host["NanoCpus"] <= 1_000_000_000
        assert 0 < host["PidsLimit"] <= 400
        assert host["LogConfig"] == {"Type": "json-file", "Config": {"max-size": "10m", "max-file": "3"}}
        assert host["RestartPolicy"]["Name"] == "unless-stopped"


def test_a_process_in_a_container_is_nobody_and_can_write_nowhere(board: Board) -> None:
    user, _ = owner(board.stack.configuration)
    for name in SERVICES:
        container = board.containers(name)[0]
        said = subprocess.run(["docker", "exec", container.id, "sh", "-c", PROBE], capture_output=True, text=True)
        lines = said.stdout.split("\n")
        assert [line for line in lines if "Read-only file system" in line] == lines[:2], name
        fields = dict(line.split(":\t") for line in lines[3:] if line)
        assert lines[2] == str(user)
        assert fields == {"CapEff": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1"}


def test_only_the_load_balancer_publishes_a_port(inspected: list[dict[str, Any]]) -> None:
    published = {service(each): list(each["HostConfig"]["PortBindings"] or {}) for each in inspected}
    assert {name: ports for name, ports in published.items() if ports} == {"haproxy": ["8000/tcp"]}


def test_each_part_is_only_in_the_networks_that_it_needs(board: Board, inspected: list[dict[str, Any]]) -> None:
    project = board.stack.configuration["COMPOSE_PROJECT_NAME"]
    for each in inspected:
        networks = {name.removeprefix(f"{project}_") for name in each["NetworkSettings"]["Networks"]}
        assert networks == NETWORKS[service(each)]
    internal = {name: is_internal(board, f"{project}_{name}") for name in ("edge", "data", "observability")}
    assert internal == {"edge": False, "data": True, "observability": True}


def is_internal(board: Board, network: str) -> bool:
    return board.stack.docker("network", "inspect", "--format", "{{.Internal}}", network).strip() == "true"


def test_the_image_has_no_compiler_and_says_what_it_is(board: Board) -> None:
    image = board.stack.configuration["BOARD_IMAGE"]
    [found] = json.loads(board.stack.docker("image", "inspect", image))
    labels = found["Config"]["Labels"]
    assert labels["org.opencontainers.image.title"] == "agent-board"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert found["Config"]["User"] == "10001:10001"
    assert found["Config"]["Healthcheck"]["Test"][0] == "CMD"
    search = "command -v cc gcc g++ clang make tcc; cd /opt/agent-board/bin && ls agent-board pip 2>/dev/null; true"
    said = board.stack.docker("run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", search)
    assert said.split() == ["agent-board"]


def test_stopping_leaves_time_to_finish(inspected: list[dict[str, Any]]) -> None:
    for each in inspected:
        if service(each) in ("api", "limiter", "fanout"):
            set_to = dict(variable.partition("=")[::2] for variable in each["Config"]["Env"])
            needed = float(set_to["DRAIN_NOTICE_SECONDS"]) + DRAIN_SECONDS
            assert each["Config"]["StopTimeout"] >= needed + STEP_SECONDS


# Sends requests like a web page in this network, then like Prometheus and an API process; prints each status.
ASK = """
import urllib.error, urllib.request
def ask(url, data=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10).status
    except urllib.error.HTTPError as refused:
        return refused.code
metrics, check, kind = "http://limiter:9000/metrics", "http://limiter:8100/check", {"Content_Type": "application/json"}
print(ask(metrics, Host="rebound.example"), ask(check, b"[]", Host="rebound.example", **kind), ask(metrics),
      ask(check, b"[]", **kind))
"""


def test_the_limiter_answers_only_to_its_name(board: Board) -> None:
    python = ["docker", "exec", board.containers("api")[0].id, "/opt/agent-board/bin/python", "-c", ASK]
    said = subprocess.run(python, capture_output=True, text=True, check=False)
    assert said.stdout.split() == ["421", "421", "200", "200"], said.stderr
