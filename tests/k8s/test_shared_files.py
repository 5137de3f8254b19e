"""Kubernetes runs what the stack in containers runs: the same files, settings, images and rules, from one source."""

import re
from pathlib import Path
from typing import Any

import yaml

from deploy.compose.haproxy_files import FOLDER as HAPROXY
from services.process.settings import Settings
from tests.k8s.compose import compose_services
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import FOLDER, Manifest, containers, environment, named, pod

DEPLOY = FOLDER.parent
SERVICES = compose_services()
SETTINGS_FILE = FOLDER / "base" / "config" / "kustomization.yaml"
SETTINGS = {name.upper() for name in Settings.model_fields}
# The differences on Kubernetes, with their reasons.
DIFFERENT = {
    # The address differs for each installation.
    "BASE_URL",
    # The networks of pods, instead of HAProxy's network.
    "TRUSTED_PROXIES",
    # A Service sends connections to a stopping limiter until the nodes have learned of it, and HAProxy may find the
    # replacement of an API process late.
    ("limiter", "DRAIN_NOTICE_SECONDS"),
    ("api", "DRAIN_NOTICE_SECONDS"),
    # The image listens on all addresses; Compose leaves this one to it.
    ("limiter", "LIMITER_HOST"),
    # It is in a Secret of its own, which a board without a log does not have.
    ("fanout", "LOG_KEY_FILE"),
}
ROLES = ("api", "limiter", "fanout")
LISTENING = {"HOST", "PORT", "OPERATOR_HOST", "OPERATOR_PORT", "LIMITER_HOST", "LIMITER_PORT"}
# Settings that the ConfigMap does not offer, with the reasons.
NOT_FOR_OPERATORS = {
    **dict.fromkeys(LISTENING, "Services, probes and policies name these ports."),
    **dict.fromkeys(("DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "LOG_KEY"), "They are in Secrets."),
    **dict.fromkeys(("LIMITER_URL", "INTERNAL_NAMES"), "They are the name of a Service."),
    "DRAIN_NOTICE_SECONDS": "terminationGracePeriodSeconds depends on it.",
    "REUSE_PORT": "Every pod has an address of its own.",
}
# Prometheus and Alertmanager are the operator's own. The nodes' metrics have other names; README.md has the rules
# that therefore never fire.
OF_THE_CLUSTER = {"prometheus", "alertmanager", "host"}


def test_the_images_are_those_of_the_stack() -> None:
    parts = [loaded(FOLDER / "components" / name / "kustomization.yaml") for name in ("images", "images/others")]
    given = {f"{each['name']}:{each['newTag']}" for part in parts for each in part["images"]}
    assert len(given) == 7
    assert given <= {service["image"] for service in SERVICES.values()}


def test_cloudnative_pg_runs_the_version_and_the_settings_of_the_stack(rendered: Rendered) -> None:
    spec = named(rendered("components/cloudnative-pg"), "Cluster", "postgresql")["spec"]
    version, _, system = SERVICES["postgresql"]["image"].partition(":")[2].partition("-")
    assert spec["imageName"] == f"ghcr.io/cloudnative-pg/postgresql:{version}-standard-{system}"
    given = {f"--{name}={value}" for name, value in spec["postgresql"]["parameters"].items()}
    assert given == {*SERVICES["postgresql"]["command"][1:]}


def test_valkey_has_the_arguments_of_the_stack(rendered: Rendered) -> None:
    (container,) = containers(named(rendered("components/valkey"), "Deployment", "valkey"))
    assert container["args"] == SERVICES["valkey"]["command"]


def test_haproxy_reads_the_files_of_the_stack(rendered: Rendered) -> None:
    manifests = rendered("overlays/small")
    own = {name: (HAPROXY / name).read_bytes().decode() for name in ("haproxy.cfg", "hints.map", "routes.map")}
    assert named(manifests, "ConfigMap", "haproxy")["data"] == own
    pages = {path.name: path.read_bytes().decode() for path in (HAPROXY / "errors").iterdir()}
    assert named(manifests, "ConfigMap", "haproxy-errors")["data"] == pages
    mounts = {each["mountPath"] for each in containers(named(manifests, "Deployment", "haproxy"))[0]["volumeMounts"]}
    assert mounts >= {f"/usr/local/etc/haproxy/{name}" for name in (*own, "errors")}


def test_postgresql_makes_the_same_roles(rendered: Rendered) -> None:
    manifests, roles = rendered("overlays/small"), (DEPLOY / "compose/postgresql/roles.sql").read_text()
    assert named(manifests, "ConfigMap", "postgresql-roles")["data"] == {"roles.sql": roles}
    postgresql = named(manifests, "StatefulSet", "postgresql")
    (container,) = containers(postgresql)
    assert container["args"] == SERVICES["postgresql"]["command"]
    made = {each["name"]: each.get("value") for each in container["env"]}
    assert made["POSTGRES_INITDB_ARGS"] == SERVICES["postgresql"]["environment"]["POSTGRES_INITDB_ARGS"]
    # it should find the passwords where the file looks for them
    (mounted,) = (each["name"] for each in container["volumeMounts"] if each["mountPath"] == "/run/secrets")
    volumes = {each["name"]: each for each in pod(postgresql)["spec"]["volumes"]}
    given = named(manifests, "Secret", volumes[mounted]["secret"]["secretName"])["data"]
    assert set(re.findall(r"/run/secrets/(\w+)", roles)) <= set(given)


def test_the_targets_have_the_jobs_that_the_rules_know(rendered: Rendered) -> None:
    manifests = rendered("components/monitoring")
    jobs: set[str] = set()
    for each in manifests:
        if each["kind"] == "PodMonitor":
            jobs |= jobs_of(each["spec"])
        if each["kind"] == "Probe":
            jobs.add(each["spec"]["jobName"])
    known = yaml.safe_load((DEPLOY / "observability/prometheus/prometheus.yaml").read_text())["scrape_configs"]
    assert jobs == {job["job_name"] for job in known} - OF_THE_CLUSTER
    groups = [group for each in manifests if each["kind"] == "PrometheusRule" for group in each["spec"]["groups"]]
    sources = sorted((DEPLOY / "observability/prometheus/rules").glob("*.yaml"))
    assert by_name(groups) == by_name([group for path in sources for group in loaded(path)["groups"]])


def test_alerts_without_data_are_named() -> None:
    text = (FOLDER / "README.md").read_text()
    groups = loaded(DEPLOY / "observability/prometheus/rules/host.yaml")["groups"]
    assert [each["alert"] for group in groups for each in group["rules"] if f"`{each['alert']}`" not in text] == []


def jobs_of(spec: dict[str, Any]) -> set[str]:
    """Return the jobs of a PodMonitor's targets."""
    relabelings = [each for endpoint in spec["podMetricsEndpoints"] for each in endpoint.get("relabelings", [])]
    if relabelings:
        return {each["replacement"] for each in relabelings if each["targetLabel"] == "job"}
    selector, label = spec["selector"], "app.kubernetes.io/component"
    assert spec["jobLabel"] == label
    given = selector.get("matchLabels", {}).get(label)
    return {given} if given else set(selector["matchExpressions"][0]["values"])


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def by_name(groups: list[dict[str, Any]]) -> dict[str, Any]:
    return {group["name"]: group for group in groups}


def test_operators_find_every_setting_in_the_config_map(rendered: Rendered) -> None:
    manifests = rendered("overlays/small")
    # a commented line has its default
    offered = re.findall(r"^      # - ([A-Z_]+)=$", SETTINGS_FILE.read_text(), re.MULTILINE)
    settings = {*named(manifests, "ConfigMap", "settings")["data"], *offered}
    assert settings == SETTINGS - set(NOT_FOR_OPERATORS)
    # a value in the ConfigMap could not change the decisions of the manifests
    fixed = [each["name"] for role in ROLES for each in containers(by_role(manifests, role))[0]["env"]]
    given = {name.removesuffix("_FILE") for name in fixed}
    assert given == set(NOT_FOR_OPERATORS) - {"REUSE_PORT"}
    compose = {name for role in ROLES for name in SERVICES[role]["environment"]}
    assert {name for name in compose if name in SETTINGS - set(NOT_FOR_OPERATORS)} == settings


def test_operators_find_every_variable_of_haproxy_in_the_config_map(rendered: Rendered) -> None:
    edge = set(named(rendered("overlays/small"), "ConfigMap", "edge")["data"])
    changeable = set(SERVICES["haproxy"]["environment"]) - {"BASE_URL", "TLS_CERTIFICATE"}
    assert edge == changeable | {"CLUSTER_DOMAIN"}


def test_processes_have_the_settings_of_the_stack(rendered: Rendered) -> None:
    manifests = rendered("overlays/small")
    for role in ROLES:
        own = {name: value for name, value in environment(by_role(manifests, role), manifests).items() if value}
        compose = {name: str(value) for name, value in SERVICES[role]["environment"].items() if value}
        assert {name.removesuffix("_FILE") for name in own} <= SETTINGS
        # what Compose sets, Kubernetes sets; a blank value leaves the default in both
        assert set(compose) <= set(own)
        differing = {name for name in own if name in compose and own[name] != compose[name]}
        assert {name for name in differing if name not in DIFFERENT and (role, name) not in DIFFERENT} == set()
        assert set(own) - set(compose) <= LISTENING | {"TRUSTED_PROXIES", "MCP_SERVED"}


def by_role(manifests: list[Manifest], role: str) -> Manifest:
    return named(manifests, "Deployment", role)
