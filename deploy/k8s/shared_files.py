"""Generates the manifests that repeat what deploy/compose/compose.yaml already says.

`python -m deploy.k8s.shared_files` writes them. They are committed because
`kubectl apply -k` runs no program; a test fails if they differ from their sources.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

FOLDER: Final = Path(__file__).parent
DEPLOY: Final = FOLDER.parent
COMPOSE: Final = DEPLOY / "compose" / "compose.yaml"
DEFAULT: Final = re.compile(r"\$\{[A-Z_]+:-([^}]*)\}")
# The services that run here, too. Components may be added to a board whose images are named already, so they bring the
# tags of only these images: those of others.
BOARD: Final = ("api", "haproxy")
OTHERS: Final = ("postgresql", "valkey", "postgres-exporter", "valkey-exporter", "blackbox-exporter")
NOTE: Final = "# python -m deploy.k8s.shared_files wrote this from {source}.\n"


def files() -> dict[str, str]:
    """Return every generated file by its path below FOLDER."""
    services = compose_services()
    postgresql = services["postgresql"]
    source = "deploy/compose/compose.yaml"
    return {
        "components/cloudnative-pg/parameters.yaml": document(source, cluster(postgresql)),
        "components/images/kustomization.yaml": document(source, images(services, BOARD, "others")),
        "components/images/others/kustomization.yaml": document(source, images(services, OTHERS)),
        "components/postgresql/arguments.yaml": document(source, postgresql_arguments(postgresql)),
        "components/valkey/arguments.yaml": document(source, arguments("Deployment", "valkey", services["valkey"])),
    }


def compose_services() -> dict[str, Any]:
    """Return the services of compose.yaml, with the default of every variable that has one.

    PostgreSQL is the official image here and does not archive: on a cluster, components of their own make the backups.
    """
    text = DEFAULT.sub(r"\1", COMPOSE.read_text(encoding="utf-8"))
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    postgresql = services["postgresql"]
    postgresql["image"] = postgresql["build"]["args"]["BASE_IMAGE"]
    postgresql["command"] = [part for part in postgresql["command"] if not part.startswith("--archive_")]
    return services


def images(services: dict[str, Any], names: Sequence[str], *components: str) -> dict[str, Any]:
    """Return the component that gives the images of these services the tags that compose.yaml gives them."""
    named = [services[name]["image"] for name in names]
    tags = [dict(zip(("name", "newTag"), image.rsplit(":", 1), strict=True)) for image in named]
    parts = {"components": list(components)} if components else {}
    return {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", **parts, "images": tags}


def postgresql_arguments(service: dict[str, Any]) -> dict[str, Any]:
    """Return the patch with PostgreSQL's arguments and the locale of its databases."""
    patch = arguments("StatefulSet", "postgresql", service)
    (container,) = patch["spec"]["template"]["spec"]["containers"]
    name = "POSTGRES_INITDB_ARGS"
    container["env"] = [{"name": name, "value": service["environment"][name]}]
    return patch


def arguments(kind: str, name: str, service: dict[str, Any]) -> dict[str, Any]:
    """Return the patch that gives a workload's container the arguments of a service."""
    container: dict[str, Any] = {"name": name, "args": service["command"]}
    pod = {"spec": {"containers": [container]}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": {"template": pod}}


def cluster(service: dict[str, Any]) -> dict[str, Any]:
    """Return the patch that gives CloudNativePG's cluster the version and the settings of PostgreSQL."""
    version, _, system = service["image"].partition(":")[2].partition("-")
    settings = dict(argument.removeprefix("--").split("=", 1) for argument in service["command"][1:])
    return {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "metadata": {"name": "postgresql"},
        "spec": {
            "imageName": f"ghcr.io/cloudnative-pg/postgresql:{version}-standard-{system}",
            "postgresql": {"parameters": settings},
        },
    }


def document(source: str, *contents: dict[str, Any]) -> str:
    text: str = yaml.safe_dump_all(contents, sort_keys=False, width=120)
    return NOTE.format(source=source) + text


if __name__ == "__main__":
    for path, content in files().items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(content, encoding="utf-8")
