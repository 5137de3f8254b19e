"""The overlays of a board in production, and of a PostgreSQL and a Valkey in another namespace.

The board is overlays/production with components/external-valkey in place of components/valkey. It fits on a small node.
"""

import json
import os
import secrets
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deploy.k8s.overlay import DIRECTORY
from deploy.k8s.shared_files import FOLDER
from tests.cluster.authority import Authority
from tests.cluster.board import ClusterBoard
from tests.cluster.conftest import IMAGES
from tests.k8s.rendering import overlay

VARIANTS = ("external-database", "external-valkey", "tls", "autoscaling", "images")
Patch = dict[str, Any]


@dataclass
class Production(ClusterBoard):
    """A board whose database is in another namespace."""

    stores: str = ""
    anchor: str = ""

    def sql(self, statement: str) -> str:
        psql = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", "--dbname=agent_board")
        pod = ("exec", f"--namespace={self.stores}", "statefulset/postgresql", "--")
        return self.overlay.cluster.ask(*pod, *psql, f"--command={statement}", seconds=60).strip()

    def counted(self) -> int:
        """Return how many windows Valkey holds."""
        said = self.overlay.cluster.ask(
            "exec", f"--namespace={self.stores}", "deployment/valkey", "--",
            "sh", "-c", 'REDISCLI_AUTH=$(sed -n "s/^requirepass //p" /run/secrets/valkey_config) valkey-cli DBSIZE',
        )  # fmt: skip
        return int(said)

    def trusted(self) -> ssl.SSLContext:
        """Return what verifies the board's certificate."""
        return ssl.create_default_context(cadata=self.anchor)

    def certificate(self) -> str:
        """Return the certificate of the edge."""
        address = urlsplit(self.url)
        return ssl.get_server_certificate((address.hostname or "", address.port or 443))


@dataclass(frozen=True)
class Passwords:
    """Those of the stores, made again."""

    postgres: str
    database: str
    reader: str
    monitor: str
    valkey: str

    @classmethod
    def new(cls) -> "Passwords":
        return cls(*(secrets.token_hex(12) for _ in range(5)))


def stores(folder: Path, namespace: str, authority: Authority, passwords: Passwords) -> Path:
    """Return the overlay of the stores. Valkey speaks TLS; not every image of PostgreSQL can."""
    certificate, key = authority.issue("valkey", f"DNS:valkey.{namespace}.svc")
    tls = {"tls.crt": certificate, "tls.key": key}
    files = {"cert-file": "tls.crt", "key-file": "tls.key", "ca-cert-file": "tls.crt"}
    config = [f"requirepass {passwords.valkey}", "tls-port 6380", "tls-auth-clients no"]
    config += [f"tls-{name} /run/secrets/{file}" for name, file in files.items()]
    postgresql = {"postgres_password": passwords.postgres, "database_password": passwords.database,
                  "monitor_password": passwords.monitor}  # fmt: skip
    return overlay(
        folder,
        resources=[],
        components=[FOLDER / "components" / name for name in ("postgresql", "valkey", "images")],
        namespace=namespace,
        images=images(),
        secretGenerator=[
            secret("postgresql", postgresql),
            secret("valkey", {"valkey_config": "\n".join(config)} | tls),
        ],
        patches=[
            small(),
            patch("Service", "valkey", add("/spec/ports/-", {"name": "tls", "port": 6380, "targetPort": 6380})),
        ],
    )


def production(folder: Path, board: str, behind: str, url: str, authority: Authority, passwords: Passwords) -> Path:
    """Return the overlay of the board in one namespace, for the stores in another one."""
    address = urlsplit(url)
    certificate, key = authority.issue("edge", f"IP:{address.hostname}")
    folder.mkdir()
    # Kustomize reads patches only below an overlay's own folder.
    (folder / "service.yaml").write_text((DIRECTORY / "production" / "service.yaml").read_text())
    return overlay(
        folder,
        resources=[FOLDER / "base"],
        components=[FOLDER / "components" / name for name in VARIANTS],
        namespace=board,
        images=images(),
        configMapGenerator=[
            settings("settings", f"BASE_URL={url}", "LIMIT_POSTS=100/60"),
            # the load comes from one address
            settings("edge", "CONNECTIONS_MAX=400", "REQUESTS_PER_SECOND=200"),
        ],
        secretGenerator=[
            *of_stores(behind, passwords, {"ca.crt": authority.anchor}),
            secret("board-tls", {"tls.crt": certificate, "tls.key": key}),
        ],
        patches=[
            small(),
            {"path": "service.yaml"},
            patch("Service", "haproxy", add("/spec/ports/0/nodePort", address.port)),
        ],
    )


def of_stores(behind: str, passwords: Passwords, anchor: dict[str, str]) -> list[dict[str, Any]]:
    """Return the generators of the Secrets with the addresses of the stores. The limiter verifies Valkey's name."""
    host = f"postgresql.{behind}.svc:5432/agent_board"
    database = {
        "database_url": f"postgresql://agent_board:{passwords.database}@{host}",
        "read_database_url": f"postgresql://agent_board_reader:{passwords.reader}@{host}",
    }
    valkey = f"rediss://:{passwords.valkey}@valkey.{behind}.svc:6380/0?ssl_ca_certs=/run/secrets/ca.crt"
    limiter = {"redis_url": valkey, "operator_secret": secrets.token_hex(16)}
    return [secret("database", database | anchor), secret("limiter", limiter | anchor)]


def images() -> list[dict[str, str]]:
    """Return the images that the environment names."""
    given = {name: os.environ[variable].rpartition(":") for name, variable in IMAGES.items() if variable in os.environ}
    return [{"name": name, "newName": image[0], "newTag": image[2]} for name, image in given.items()]


def small() -> Patch:
    """Return the resources with which every pod fits on a small node."""
    resources = {"requests": {"cpu": "25m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}}
    step = {"op": "replace", "path": "/spec/template/spec/containers/0/resources", "value": resources}
    return {"target": {"kind": "Deployment|StatefulSet|Job"}, "patch": json.dumps([step])}


def settings(name: str, *literals: str) -> dict[str, Any]:
    return {"name": name, "behavior": "merge", "literals": list(literals)}


def secret(name: str, values: dict[str, str]) -> dict[str, Any]:
    literals = [f"{key}={value}" for key, value in values.items()]
    return {"name": name, "options": {"disableNameSuffixHash": True}, "literals": literals}


def add(path: str, value: object) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def patch(kind: str, name: str, *steps: dict[str, Any]) -> Patch:
    return {"target": {"kind": kind, "name": name}, "patch": json.dumps(steps)}
