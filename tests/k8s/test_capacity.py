"""No part may use more than the other grants: connections, memory, replicas, limits per address."""

import inspect
import re

import pytest

from deploy.compose.configuration import DIRECTORY, defaults
from deploy.compose.haproxy_files import FOLDER as HAPROXY
from services.api.request.writes import CONNECTIONS
from services.board.database.pool import write_pool
from services.board.verifiable_log.signing import make_key
from services.fanout.app import Fanout
from services.process.metrics import Registry
from services.process.setting_sources import load_settings
from services.process.settings import Settings
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import CASES, Manifest, containers, environment, named

CONFIGURATION = (HAPROXY / "haproxy.cfg").read_text()
# The committer, the change feed, and a health check.
SINGLE = 3
# The Job migrate, the exporter, an operator's commands, and those that PostgreSQL reserves for superusers.
OTHERS = 2 + 1 + 3 + 3


def connections_of(role: str) -> int:
    """Return the most connections that one process opens."""
    if role == "fanout":
        settings = load_settings({"DATABASE_URL": "postgresql://board@host/board", "LOG_KEY": make_key("board/log")})
        return len(Fanout(settings, Registry()).workers)
    tokens: int = inspect.signature(write_pool).parameters["size"].default
    reads: int = Settings.model_fields["read_pool_size"].default
    return reads + CONNECTIONS + tokens + SINGLE


def most_replicas(manifests: list[Manifest], role: str) -> int:
    """Return the most processes at a time: all replicas, a new one, and one that stops."""
    count: int = named(manifests, "Deployment", role)["spec"]["replicas"]
    return count + 2


def granted(manifests: list[Manifest]) -> int:
    """Return max_connections of the database, wherever it is."""
    for each in manifests:
        noted = each["metadata"].get("annotations", {}).get("agent-board/max-connections")
        if each["kind"] == "Cluster":
            noted = each["spec"]["postgresql"]["parameters"]["max_connections"]
        if each["kind"] == "StatefulSet":
            (noted,) = re.findall(r"--max_connections=(\d+)", " ".join(containers(each)[0]["args"]))
        if noted:
            return int(noted)
    raise AssertionError("no database")


def check_connections(manifests: list[Manifest]) -> None:
    used = sum(most_replicas(manifests, role) * connections_of(role) for role in ("api", "fanout"))
    assert used + OTHERS <= granted(manifests)


@pytest.mark.parametrize("case", [case for case in CASES if "overlays/" in case or "cloudnative-pg" in case])
def test_postgresql_grants_the_connections_of_the_replicas(rendered: Rendered, case: str) -> None:
    check_connections(rendered(case))


def test_the_documents_name_these_figures() -> None:
    api = connections_of("api") - Settings.model_fields["read_pool_size"].default
    sentence = f"An API process uses up to READ_POOL_SIZE + {api}"
    runbook = DIRECTORY.parent / "observability" / "runbooks" / "Connections.md"
    for file in (DIRECTORY / ".env.example", runbook):
        text = file.read_text()
        assert sentence in text
        assert f"a fan-out process {connections_of('fanout')}" in text


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("overlays/")])
def test_all_replicas_of_haproxy_together_have_the_limits_of_one(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    haproxy = named(manifests, "Deployment", "haproxy")
    given, replicas = environment(haproxy, manifests), haproxy["spec"]["replicas"]
    for name in ("REQUESTS_PER_SECOND", "SEARCHES_PER_SECOND", "CONNECTIONS_PER_ADDRESS"):
        assert int(given[name]) * replicas == int(defaults()[name]), name


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("overlays/")])
def test_haproxy_has_memory_for_its_connections(rendered: Rendered, case: str) -> None:
    manifests = rendered(case)
    haproxy = named(manifests, "Deployment", "haproxy")
    (buffer,) = re.findall(r"tune.bufsize (\d+)", CONFIGURATION)
    memory = int(containers(haproxy)[0]["resources"]["limits"]["memory"].removesuffix("Mi")) * 2**20
    # Two buffers for each connection, and what HAProxy itself needs.
    needed = int(environment(haproxy, manifests)["CONNECTIONS_MAX"]) * 2 * int(buffer) + 96 * 2**20
    assert needed <= memory


def test_haproxy_has_room_for_every_api_process(rendered: Rendered) -> None:
    manifests = rendered("overlays/production")
    room = environment(named(manifests, "Deployment", "haproxy"), manifests)["API_REPLICAS_MAX"]
    assert most_replicas(manifests, "api") <= int(room)
