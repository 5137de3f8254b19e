"""A setting with which a part cannot start is refused before anything is replaced."""

import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.stack.make import Board

# By what is wrong: the setting, and the words that name it. {folder} is one of the test, {port} is in use.
WRONG = {
    "BIND=192.0.2.1": "BIND 192.0.2.1 is not an address of this machine.",
    "BIND=localhost": "BIND must be an IP address of this machine",
    "PORT={port}": "it is in use. Set PORT in .env",
    "PORT=http": "PORT must be a whole number from 1 to 65535.",
    "EDGE_SUBNET=10.212.0.0/24": "EDGE_SUBNET is 10.212.0.0/24, but the network has",
    "COMPOSE_FILE=external.yaml": "COMPOSE_FILE must begin with compose.yaml",
    "COMPOSE_PROFILES=observabilty": "COMPOSE_PROFILES names observabilty, which is no profile",
    "API_REPLICAS=15": "set POSTGRES_MAX_CONNECTIONS=363 in .env",
    "FANOUT_REPLICAS=-1": "FANOUT_REPLICAS must be a whole number from 1 to 20.",
    "BACKUP_HOURS=soon": "BACKUP_HOURS must be a whole number from 1 to 9999.",
    "POSTGRES_MAX_CONNECTIONS=20": "set POSTGRES_MAX_CONNECTIONS=90 in .env",
    "POSTGRES_SHARED_BUFFERS=lots": 'invalid value for parameter "shared_buffers": "lots"',
    "POSTGRES_SHARED_BUFFERS=900GB": "Cannot allocate memory",
    "POSTGRES_CPUS=all": "limits.cpus': strconv.ParseFloat: parsing",
    "POSTGRES_MEMORY=10m": "postgresql cannot start; nothing was replaced.",
    "POSTGRES_VOLUME=nowhere": "undefined volume nowhere",
    "POSTGRES_VOLUME={folder}/missing": "postgresql cannot start; nothing was replaced.",
    "POSTGRES_VOLUME={folder}/empty": "POSTGRES_VOLUME has no data of the board that this version of PostgreSQL reads.",
    "BACKUP_REPOSITORY={folder}/nowhere": "BACKUP_REPOSITORY is no directory that belongs to RUN_AS_UID.",
    "REQUESTS_PER_SECOND=fast": "'fast' is neither a number nor a supported operator",
    "CONNECTIONS_MAX=all": "cannot parse 'maxconn' value 'all'",
    "HAPROXY_MEMORY=10m": "haproxy cannot start; nothing was replaced.",
    "TLS_CERTIFICATE={folder}/missing.pem": "bind source path does not exist",
    "TLS_CERTIFICATE=/etc/hostname": "unable to load certificate from file",
    "LIMIT_POSTS=10": "LIMIT_POSTS must be calls/seconds, such as 10/60.",
    "API_MEMORY=10m": "api cannot start; nothing was replaced.",
    "API_MEMORY=few": "invalid size: 'few'",
    "READ_POOL_SIZE=many": "READ_POOL_SIZE must be a number.",
    "LOG_LEVEL=loud": "LOG_LEVEL must be one of 'debug', 'info', 'warning' or 'error'.",
}


@pytest.fixture
def values(board: Board, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The objects that the settings name: a port in use, and a folder."""
    (tmp_path / "empty").mkdir(mode=0o777)
    (tmp_path / "empty").chmod(0o777)
    with socket.create_server((board.stack.configuration["BIND"], 0)) as listening:
        yield {"folder": str(tmp_path), "port": str(listening.getsockname()[1])}


@pytest.mark.slow
@for_each("setting", WRONG)
def test_a_wrong_setting_replaces_nothing(board: Board, values: dict[str, str], setting: str) -> None:
    before = [(each.id, each.started) for each in board.containers()]
    name, _, value = setting.format(**values).partition("=")
    with board.settings(**{name: value}):
        said = board.make("roll", fails=True)
    assert WRONG[setting] in said, said
    assert [(each.id, each.started) for each in board.containers()] == before
    with urllib.request.urlopen(f"{board.url}/api/health", timeout=10) as answer:
        assert answer.status == 200
