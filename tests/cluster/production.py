"""The overlays of a board in production, and of a PostgreSQL and a Valkey in another namespace, on a small node.

PostgreSQL speaks TLS through tests/decrypting.py, because not every image of it can.
"""

import json
import os
import secrets
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deploy.k8s.overlay import DIRECTORY
from deploy.k8s.shared_files import FOLDER
from tests.authority import Authority
from tests.cluster.board import ClusterBoard
from tests.cluster.conftest import IMAGES
from tests.k8s.rendering import overlay
from tests.processes import CHECKOUT

VARIANT = ("external-database", "external-valkey", "tls", "autoscaling", "images")
DECRYPTING = CHECKOUT / "tests" / "decrypting.py"
PLAIN_PORT = 5433
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
        """Return how many windows the Valkey in use holds."""
        namespace = self.stores if "rediss:" in self.limiter_url() else self.overlay.namespace
        said = self.overlay.cluster.ask(
            "exec", f"--namespace={namespace}", "deployment/valkey", "--",
            "sh", "-c", 'REDISCLI_AUTH=$(sed -n "s/^requirepass //p" /run/secrets/valkey_config) valkey-cli DBSIZE',
        )  # fmt: skip
        return int(said)

    def limiter_url(self) -> str:
        return self.kubectl("exec", "deployment/limiter", "--", "cat", "/run/secrets/redis_url")

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


@dataclass(frozen=True)
class Place:
    """Where a board and its stores are: their namespaces and the board's address."""

    board: str
    stores: str
    url: str


def stores(folder: Path, place: Place, authority: Authority, passwords: Passwords) -> Path:
    """Return the overlay of the stores, both with TLS, and without policies, which would keep the board out."""
    namespace = place.stores
    names = {name: authority.issue(name, f"DNS:{name}.{namespace}.svc") for name in ("postgresql", "valkey")}
    tls = {name: {"tls.crt": certificate, "tls.key": key} for name, (certificate, key) in names.items()}
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
        configMapGenerator=[{"name": "decrypting", "literals": [f"decrypting.py={DECRYPTING.read_text()}"]}],
        secretGenerator=[
            secret("postgresql", postgresql | tls["postgresql"]),
            secret("valkey", {"valkey_config": "\n".join(config)} | tls["valkey"]),
        ],
        patches=[
            small(),
            patch("StatefulSet", "postgresql", *decrypted()),
            patch("Service", "valkey", add("/spec/ports/-", {"name": "tls", "port": 6380, "targetPort": 6380})),
            deleted("NetworkPolicy", "networking.k8s.io/v1"),
        ],
    )


def deleted(kind: str, version: str) -> Patch:
    """Return the patch that leaves out every object of a kind."""
    gone = {"apiVersion": version, "kind": kind, "metadata": {"name": "any"}, "$patch": "delete"}
    return {"target": {"kind": kind}, "patch": json.dumps(gone)}


def decrypted() -> list[dict[str, Any]]:
    """Return the steps that put TLS in front of PostgreSQL, in its pod and at its port."""
    certificate, key = ("/run/secrets/tls.crt", "/run/secrets/tls.key")
    mounts = {"secrets": "/run/secrets", "decrypting": "/decrypting"}
    container = {
        "name": "tls",
        "image": "agent-board",
        "command": ["python", "/decrypting/decrypting.py", "5432", str(PLAIN_PORT), certificate, key],
        "volumeMounts": [{"name": name, "mountPath": path, "readOnly": True} for name, path in mounts.items()],
        "resources": {"requests": {"cpu": "25m", "memory": "64Mi"}},
    }
    template = "/spec/template/spec"
    return [
        add(f"{template}/containers/0/env/-", {"name": "PGPORT", "value": str(PLAIN_PORT)}),
        add(f"{template}/containers/-", container),
        add(f"{template}/volumes/-", {"name": "decrypting", "configMap": {"name": "decrypting"}}),
    ]


def production(folder: Path, place: Place, authority: Authority, passwords: Passwords) -> Path:
    """Return an overlay of overlays/production as it is, with the Secrets that it needs and the board's address."""
    settled = tailored(place, authority)
    host = {"redis_url": f"redis://:{passwords.valkey}@valkey:6379/0", "operator_secret": secrets.token_hex(16)}
    given = [*database(place, authority, passwords), secret("limiter", host)]
    given.append(secret("valkey", {"valkey_config": f"requirepass {passwords.valkey}"}))
    settled["secretGenerator"] += given
    settled["configMapGenerator"] = [each | {"namespace": "agent-board"} for each in settled["configMapGenerator"]]
    return overlay(folder, resources=[DIRECTORY / "production"], **settled)


def with_another_valkey(folder: Path, place: Place, authority: Authority, passwords: Passwords) -> Path:
    """Return an overlay like overlays/production, with components/external-valkey in place of components/valkey."""
    settled = tailored(place, authority)
    # the limiter verifies Valkey's name
    valkey = f"rediss://:{passwords.valkey}@valkey.{place.stores}.svc:6380/0?ssl_ca_certs=/run/secrets/ca.crt"
    limiter = {"redis_url": valkey, "operator_secret": secrets.token_hex(16), "ca.crt": authority.anchor}
    settled["secretGenerator"] += [*database(place, authority, passwords), secret("limiter", limiter)]
    folder.mkdir()
    # Kustomize reads patches only below an overlay's own folder.
    (folder / "service.yaml").write_text((DIRECTORY / "production" / "service.yaml").read_text())
    settled["patches"].insert(0, {"path": "service.yaml"})
    components = [FOLDER / "components" / name for name in VARIANT]
    return overlay(folder, resources=[FOLDER / "base"], components=components, **settled)


VARIANTS: dict[str, Callable[[Path, Place, Authority, Passwords], Path]] = {
    "overlays/production": production,
    "a Valkey elsewhere": with_another_valkey,
}


def tailored(place: Place, authority: Authority) -> dict[str, Any]:
    """Return what an overlay of any variant says about its address. A node port stands in for the load balancer."""
    address = urlsplit(place.url)
    certificate, key = authority.issue("edge", f"IP:{address.hostname}")
    return {
        "namespace": place.board,
        "images": images(),
        "configMapGenerator": [
            settings("settings", f"BASE_URL={place.url}", "LIMIT_POSTS=100/60"),
            # the load comes from one address
            settings("edge", "CONNECTIONS_MAX=400", "REQUESTS_PER_SECOND=200"),
        ],
        "secretGenerator": [secret("board-tls", {"tls.crt": certificate, "tls.key": key})],
        "patches": [small(), patch("Service", "haproxy", add("/spec/ports/0/nodePort", address.port))],
    }


def database(place: Place, authority: Authority, passwords: Passwords) -> list[dict[str, Any]]:
    """Return the generator of the Secret of the database, whose certificate and name are verified."""
    options = "sslmode=verify-full&sslrootcert=/run/secrets/ca.crt"
    host = f"postgresql.{place.stores}.svc:5432/agent_board?{options}"
    addresses = {
        "database_url": f"postgresql://agent_board:{passwords.database}@{host}",
        "read_database_url": f"postgresql://agent_board_reader:{passwords.reader}@{host}",
    }
    return [secret("database", addresses | {"ca.crt": authority.anchor})]


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
