"""The services of deploy/compose/compose.yaml, whose settings the manifests repeat."""

import re
from typing import Any, Final

import yaml

from deploy.compose.configuration import DIRECTORY

DEFAULT: Final = re.compile(r"\$\{[A-Z_]+:-([^}]*)\}")


def compose_services() -> dict[str, Any]:
    """Return the services, with the default of every variable that has one.

    PostgreSQL is the official image here and does not archive: on a cluster, components of their own make the backups.
    """
    text = DEFAULT.sub(r"\1", (DIRECTORY / "compose.yaml").read_text(encoding="utf-8"))
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    postgresql = services["postgresql"]
    postgresql["image"] = postgresql["build"]["args"]["BASE_IMAGE"]
    postgresql["command"] = [part for part in postgresql["command"] if not part.startswith("--archive_")]
    return services
