"""One sentence reports why the stack cannot start: no engine, an old Compose, a taken port, a full disk."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import machine, running
from deploy.compose.__main__ import COMMANDS
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack
from services.local.ports import free_port

Say = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def say(folder: Path) -> Say:
    """Runs a stack command with a script of the test as `docker`; returns the sentence that reports the failure."""
    (folder / ".env").touch()

    def run(*command: str, docker: str | None) -> str:
        programs = folder / "bin"
        programs.mkdir(exist_ok=True)
        if docker is not None:
            (programs / "docker").write_text(f"#!/bin/sh\n{docker}\n")
            (programs / "docker").chmod(0o755)
        env = {"PATH": str(programs), "ENV_FILE": str(folder / ".env")}
        done = subprocess.run(
            [sys.executable, "-m", "deploy.compose", *command], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done
        return done.stderr.strip()

    return run


def test_no_engine_is_one_sentence(say: Say) -> None:
    assert say("up", docker=None) == (
        "make up: No container engine is available: the command docker is missing; install Docker Engine and Docker "
        "Compose."
    )
    said = say("up", docker="echo 'Cannot connect to the Docker daemon at unix:///x.' >&2; exit 1")
    assert said == (
        "make up: No container engine is available: docker version failed: Cannot connect to the Docker daemon at unix:///x."
    )


@pytest.mark.parametrize("version", ["2.25.0", "v2.3.4", "1.29.2"])
def test_an_old_compose_is_one_sentence(say: Say, version: str) -> None:
    said = say("doctor", docker=f'[ "$1" = compose ] && echo {version} || echo 20.10')
    least = ".".join(version.removeprefix("v").split(".")[:2])
    assert said == f"make doctor: Docker Compose 2.26 or newer is needed; the installed one is {least}."


def test_a_missing_compose_is_one_sentence(say: Say) -> None:
    said = say("roll", docker='[ "$1" = compose ] && exit 1 || echo 20.10')
    assert said == (
        "make roll: Docker Compose is missing: `docker compose version` failed. Install Docker's package "
        "docker-compose-plugin, or Debian's docker-compose."
    )


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"secrets", "up"}))
def test_missing_settings_are_one_sentence(say: Say, folder: Path, command: str) -> None:
    (folder / ".env").unlink()
    file = os.path.relpath(folder / ".env")
    assert say(command, docker="echo 2.26.1") == (
        f"make {command}: {file} is missing: put your copy back, or run make secrets for a new one."
    )


def running_container(service: str) -> dict[str, Any]:
    """A container as the engine describes it."""
    state = {"Status": "running", "ExitCode": 0, "OOMKilled": False, "StartedAt": "2026-11-28T14:00:00Z"}
    labels = {"Labels": {"com.docker.compose.service": service}}
    about = {"Id": "1", "Name": f"/{service}", "Created": "1", "RestartCount": 0, "Image": "there"}
    return {**about, "State": state, "Config": labels}


@pytest.mark.parametrize("command", [["backup"], ["roll"]])
def test_a_database_that_does_not_run_is_one_sentence(say: Say, command: list[str]) -> None:
    found = json.dumps([running_container("haproxy" if command == ["roll"] else "backup")])
    answers = f"""case "$*" in
        *config*) echo '{{"name": "board", "services": {{"backup": {{}}, "postgresql": {{}}}}}}' ;;
        "compose "*version*) echo 2.26.1 ;;
        *"ps --all"*) echo 1 ;;
        *inspect*) echo '{found}' ;;
    esac"""
    said = say(*command, docker=answers)
    assert said == f"make {command[0]}: PostgreSQL does not run; make up starts it."


@pytest.mark.parametrize("command", [["restore"], ["backup"]])
def test_a_database_elsewhere_is_one_sentence(say: Say, command: list[str]) -> None:
    answers = """case "$*" in
        *config*) echo '{"name": "board", "services": {"api": {}}}' ;;
        "compose "*version*) echo 2.26.1 ;;
    esac"""
    said = say(*command, docker=answers)
    assert said == f"make {command[0]}: PostgreSQL runs elsewhere; do this there, with its own tools."


@pytest.mark.parametrize("words", [[], ["0"], ["21"], ["03"], ["N=three"], ["N=-1"]])
def test_a_wrong_number_of_apis_is_one_sentence(say: Say, words: list[str]) -> None:
    assert say("scale", *words, docker=None) == "make scale: Give the number of API processes, 1 to 20: make scale N=3"


def test_logs_without_an_engine_are_one_sentence(say: Say) -> None:
    assert say("logs", docker=None).startswith("make logs: No container engine is available: the command docker")


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("PORT=abc", "PORT must be a whole number from 1 to 65535."),
        ("PORT=65536", "PORT must be a whole number from 1 to 65535."),
        ("BIND=foo", "BIND must be an IP address of this machine, such as 127.0.0.1."),
        ("API_REPLICAS=two", "API_REPLICAS must be a whole number from 1 to 20."),
        ("API_REPLICAS=0", "API_REPLICAS must be a whole number from 1 to 20."),
        ("API_REPLICAS=21", "API_REPLICAS must be a whole number from 1 to 20."),
    ],
)
def test_a_setting_that_compose_accepts_or_does_not_name_is_one_sentence(
    say: Say, folder: Path, setting: str, sentence: str
) -> None:
    (folder / ".env").write_text(f"{setting}\n")
    assert say("up", docker="exit 1") == f"make up: {sentence}"


@pytest.mark.parametrize("command", [["logs"], ["roll"], ["scale", "3"]])
def test_a_stack_that_does_not_run_is_one_sentence(say: Say, command: list[str]) -> None:
    answers = """case "$*" in *config*) echo '{"name": "board"}' ;; *version*) echo 2.26.1 ;; esac"""
    said = say(*command, docker=answers)
    assert said == f"make {command[0]}: The stack is not running; start it with make up."


def stack(folder: Path, **environment: str) -> Stack:
    """A stack on an engine that reports no containers."""
    docker = folder / "docker"
    described = '{"name": "board", "services": {}}'
    docker.write_text(f"#!/bin/sh\ncase $1 in info) echo {folder} ;; compose) echo '{described}' ;; esac\n")
    docker.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    return Stack(Configuration({"PATH": path, "ENV_FILE": str(folder / ".env"), "BIND": "127.0.0.1", **environment}))


@pytest.fixture
def found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that contains `docker`."""
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_a_service_that_does_not_start_leads_to_the_doctor(found: Path) -> None:
    engine = stack(found)
    (found / "docker").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(StackError, match=r"failed \(exit code 1\); its message is above\. make doctor reports why"):
        running.start_services(engine, ["api"], 1)


def test_a_container_that_is_removed_meanwhile_is_left_out(folder: Path) -> None:
    docker = folder / "docker"
    names = f"ps) echo gone ;; inspect) mkdir {folder}/seen 2>/dev/null && exit 1; echo '[]' ;;"
    docker.write_text(f'#!/bin/sh\ncase $1 in compose) echo \'{{"name": "board"}}\' ;; {names} esac\n')
    docker.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    assert Stack(Configuration({"PATH": path, "ENV_FILE": str(folder / ".env")})).containers() == []
    assert (folder / "seen").is_dir()


def test_an_engine_in_rootless_mode_is_one_sentence(found: Path) -> None:
    engine = stack(found)
    machine.check_engine(engine)
    (found / "docker").write_text("#!/bin/sh\necho '[name=seccomp name=rootless]'\n")
    with pytest.raises(StackError, match=r"^The engine runs in rootless mode, in which RUN_AS_UID cannot read its"):
        machine.check_engine(engine)


def test_a_taken_port_is_one_sentence(found: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            StackError,
            match=f"^Cannot listen on 127.0.0.1:{port}: it is in use. Set PORT in .env, and BASE_URL with it.$",
        ):
            machine.check_port(stack(found, PORT=str(port)))
        # The load balancer that runs has this port, or another one.
        machine.check_port(balanced(found, port, port))
        with pytest.raises(StackError, match="it is in use"):
            machine.check_port(balanced(found, port, 8000))
    machine.check_port(stack(found, PORT=str(free_port())))


def balanced(folder: Path, wanted: int, published: int) -> Stack:
    """A stack whose load balancer listens on a port."""
    engine = stack(folder, PORT=str(wanted))
    containers = json.dumps([running_container("haproxy")])
    more = f"ps) echo 1 ;; inspect) echo '{containers}' ;; port) echo '8000/tcp -> 0.0.0.0:{published}' ;; esac"
    docker = folder / "docker"
    docker.write_text(docker.read_text().replace("esac", more))
    return engine


def test_a_file_that_is_missing_is_one_sentence(found: Path) -> None:
    machine.check_files(stack(found, TLS_CERTIFICATE=str(found / "docker")))
    machine.check_files(stack(found, TLS_CERTIFICATE="", STORES_CA="/dev/null"))
    for path in (found / "board.pem", found):
        with pytest.raises(StackError, match=f"^TLS_CERTIFICATE is {path}, and there is no such file.$"):
            machine.check_files(stack(found, TLS_CERTIFICATE=str(path)))


def test_every_secret_that_a_setting_names_is_looked_for() -> None:
    described = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert set(re.findall(r'{ file: "\$\{([A-Z_]+):-/dev/null\}" }', described)) == set(machine.FILES)


def test_a_port_that_is_none_is_one_sentence(found: Path) -> None:
    with pytest.raises(StackError, match=r"^PORT must be a whole number from 1 to 65535.$"):
        machine.check_port(stack(found, PORT="http"))


def test_an_address_that_is_none_is_one_sentence(found: Path) -> None:
    named = stack(found, BIND="localhost")
    for uses in (machine.check_port, lambda _: running.local_url(named.configuration)):
        with pytest.raises(StackError, match=r"^BIND must be an IP address of this machine, such as 127.0.0.1.$"):
            uses(named)


def test_a_full_disk_is_one_sentence(found: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.check_disk(stack(found))
    monkeypatch.setattr(machine, "LEAST_DISK", 2**60)
    with pytest.raises(StackError, match=r"^The disk with .+ has [0-9.]+ GiB free; 3 GiB are needed.$"):
        machine.check_disk(stack(found))
