"""Tells Prometheus what to scrape in the Compose stack, without access to the engine (Prometheus: http_sd_configs).

`/api`, `/limiter` and `/fanout` list the replicas of a service under the names of their containers: an
address says little to a reader, and another replica may get it later. `/postgresql` and `/valkey` list the exporters of
these stores, each under the name of its server. `/probe` is the address at which clients reach the board. Runs in the
board's image and imports only the standard library.
"""

import json
import os
import socket
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import urlsplit

PORT = 9101
PORTS = {"api": 9000, "limiter": 9000, "fanout": 9000}
"""Where the replicas of each service show their metrics."""
EXPORTERS = {"postgresql": "postgres-exporter:9187", "valkey": "valkey-exporter:9121"}
PROBED = "/api/health"
Group = dict[str, list[str] | dict[str, str]]


def replicas(service: str) -> list[Group]:
    """Return one group of targets for each replica; none while the service's name is unknown."""
    try:
        addresses = sorted(socket.gethostbyname_ex(service)[2])
    except OSError:
        return []
    return [
        {"targets": [f"{address}:{PORTS[service]}"], "labels": {"instance": container(address)}}
        for address in addresses
    ]


def exporters(store: str, settings: Mapping[str, str]) -> list[Group]:
    """Return the exporter of a store that STORES lists, also while it does not run, so that it is missed."""
    listed = store in settings["STORES"].split()
    return [{"targets": [EXPORTERS[store]], "labels": {"instance": store}}] if listed else []


def container(address: str) -> str:
    """Return the name of the container that has an address in this network; the address if nothing knows its name."""
    try:
        return socket.gethostbyaddr(address)[0].partition(".")[0]
    except OSError:
        return address


def probe(settings: Mapping[str, str]) -> list[Group]:
    """Return the address to probe: PROBE_URL, or the published port as far as containers can reach it."""
    url = settings.get("PROBE_URL") or published(settings)
    return [{"targets": [url], "labels": {}}] if url else []


def published(settings: Mapping[str, str]) -> str:
    """Return the address of the published port; an empty text if only this machine itself can reach it."""
    address, _, port = settings["PUBLISHED"].rpartition(":")
    bound = ip_address(address)
    # A certificate is valid only for the name that agents use.
    if settings.get("TLS_CERTIFICATE") or bound.is_loopback:
        return "" if is_loopback(settings["BASE_URL"]) else settings["BASE_URL"].rstrip("/") + PROBED
    host = "host.docker.internal" if bound.is_unspecified else f"[{bound}]" if bound.version == 6 else str(bound)
    return f"http://{host}:{port}{PROBED}"


def is_loopback(url: str) -> bool:
    """Return whether a URL leads to the machine that uses it."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def groups(kind: str, settings: Mapping[str, str]) -> list[Group] | None:
    """Return the targets of one kind; None if there is no such kind."""
    if kind in PORTS:
        return replicas(kind)
    if kind in EXPORTERS:
        return exporters(kind, settings)
    return probe(settings) if kind == "probe" else None


class Targets(BaseHTTPRequestHandler):
    """Answers with the targets of one kind, as JSON."""

    def do_GET(self) -> None:
        """Answer a list of groups; 404 for an unknown kind."""
        found = groups(self.path.removeprefix("/"), os.environ)
        if found is None:
            return self.send_error(404)
        content = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: Prometheus asks every few seconds."""


if __name__ == "__main__":
    ThreadingHTTPServer(("0.0.0.0", PORT), Targets).serve_forever()  # noqa: S104 - in an internal network
