"""overlays/production under test, and its PostgreSQL in another namespace, on a small node.

PostgreSQL speaks TLS through tests/decrypting.py, because not every image of it can.
"""

import secrets
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deploy.k8s.shared_files import FOLDER
from tests.authority import Authority
from tests.cluster.board import ClusterBoard
from tests.cluster.kubectl import kubectl
from tests.cluster.overlays import EDGE, add, deleted, images, of_a_small_node, patch, secret, settings
from tests.k8s.rendering import overlay
from tests.processes import CHECKOUT

DECRYPTING = CHECKOUT / "tests" / "decrypting.py"
PLAIN_PORT = 5433


@dataclass
class Production(ClusterBoard):
    """A board whose database is in another namespace."""

    stores: str = ""
    anchor: str = ""

    def sql(self, statement: str) -> str:
        psql = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", "--dbname=agent_board")
        pod = ("exec", f"--namespace={self.stores}", "statefulset/postgresql", "--")
        return kubectl(*pod, *psql, f"--command={statement}").strip()

    def trusted(self) -> ssl.SSLContext:
        """Return what verifies the board's certificate."""
        return ssl.create_default_context(cadata=self.anchor)

    def certificate(self) -> str:
        """Return the certificate of the edge."""
        address = urlsplit(self.url)
        return ssl.get_server_certificate((address.hostname or "", address.port or 443))


def password() -> str:
    return secrets.token_hex(12)


@dataclass(frozen=True)
class Place:
    """Where a board and its database are: their namespaces, the board's address, and the database's passwords."""

    board: str
    stores: str
    url: str
    database: str = field(default_factory=password)
    reader: str = field(default_factory=password)


def stores(folder: Path, place: Place, authority: Authority) -> Path:
    """Return the overlay of PostgreSQL with TLS, and without policies, which would keep the board out."""
    certificate, key = authority.issue("postgresql", f"DNS:postgresql.{place.stores}.svc")
    passwords = {"postgres_password": password(), "database_password": place.database, "monitor_password": password()}
    return overlay(
        folder,
        resources=[],
        components=[FOLDER / "components" / name for name in ("postgresql", "images")],
        namespace=place.stores,
        images=images(),
        configMapGenerator=[{"name": "decrypting", "literals": [f"decrypting.py={DECRYPTING.read_text()}"]}],
        secretGenerator=[secret("postgresql", passwords | {"tls.crt": certificate, "tls.key": key})],
        patches=[
            of_a_small_node(),
            patch("StatefulSet", "postgresql", *decrypted()),
            deleted("NetworkPolicy", "networking.k8s.io/v1"),
        ],
    )


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


def production(folder: Path, place: Place, authority: Authority) -> Path:
    """Return overlays/production as it is, with its Secrets and its address. A node port is its load balancer's."""
    address, valkey = urlsplit(place.url), password()
    certificate, key = authority.issue("edge", f"IP:{address.hostname}")
    limiter = {"redis_url": f"redis://:{valkey}@valkey:6379/0"}
    return overlay(
        folder,
        resources=[FOLDER / "overlays" / "production"],
        namespace=place.board,
        images=images(),
        configMapGenerator=[
            settings("settings", f"BASE_URL={place.url}", "LIMIT_POSTS=100/60", namespace="agent-board"),
            settings("edge", "CONNECTIONS_MAX=400", *EDGE, namespace="agent-board"),
        ],
        secretGenerator=[
            secret("board-tls", {"tls.crt": certificate, "tls.key": key}),
            secret("database", addresses(place) | {"ca.crt": authority.anchor}),
            secret("limiter", limiter),
            secret("valkey", {"valkey_config": f"requirepass {valkey}"}),
        ],
        patches=[of_a_small_node(), patch("Service", "haproxy", add("/spec/ports/0/nodePort", address.port))],
    )


def addresses(place: Place) -> dict[str, str]:
    """Return the addresses of the database, whose certificate and name are verified."""
    options = "sslmode=verify-full&sslrootcert=/run/secrets/ca.crt"
    host = f"postgresql.{place.stores}.svc:5432/agent_board?{options}"
    return {
        "database_url": f"postgresql://agent_board:{place.database}@{host}",
        "read_database_url": f"postgresql://agent_board_reader:{place.reader}@{host}",
    }
