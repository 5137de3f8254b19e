"""The choice of the cluster: the context that CONTEXT names, or the current one if it is on this machine."""

import json
import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from deploy.k8s.errors import ClusterError

# Names of contexts that tools for local clusters choose. A loopback address does not prove that a cluster is local: it
# can be a tunnel to a production cluster.
LOCAL = re.compile(r"(kind|k3d)-.+|minikube|docker-desktop|rancher-desktop|orbstack|colima(-.+)?")


def choose(configuration: str, named: str | None) -> str:
    """Return the context to use, given the output of `kubectl config view -o json`. Raises ClusterError."""
    found = json.loads(configuration)
    servers = server_addresses(found)
    if named:
        if named not in servers:
            raise ClusterError(f"The kubeconfig has no context {named}; it has {', '.join(servers) or 'none'}.")
        return named
    current = str(found.get("current-context") or "")
    if current not in servers:
        raise ClusterError("The kubeconfig has no current context. Name one: CONTEXT=...")
    if not is_local(current, servers[current]):
        raise ClusterError(
            f"The current context, {current}, may not be a cluster on this machine. To use it, name it: "
            f"CONTEXT={current}"
        )
    return current


def server_addresses(configuration: dict[str, Any]) -> dict[str, str]:
    clusters = {each["name"]: each["cluster"].get("server", "") for each in configuration.get("clusters") or ()}
    contexts = configuration.get("contexts") or ()
    return {each["name"]: clusters.get(each["context"].get("cluster"), "") for each in contexts}


def is_local(context: str, server: str) -> bool:
    host = urlsplit(server).hostname or ""
    if not LOCAL.fullmatch(context):
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
