"""The surroundings of tests: programs and package indexes, but no settings, no home and no proxy.

The settings of a board, PG... variables, a proxy or a file in the home would change what the processes of a test do.
"""

import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

# Variables of the machine and of pytest, and those that tests/README.md and tests/programs.py let a developer set.
KEPT = {
    "PATH", "LD_LIBRARY_PATH", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "COLUMNS", "CI", "FAST", "FUZZ_SECONDS",
    "POSTGRESQL_PROGRAMS",
    "KUBECONFIG", "BOARD_IMAGE", "CLOUDNATIVE_PG_IMAGE", "HAPROXY_IMAGE",
    "POSTGRES_IMAGE", "PREVIOUS_BOARD_IMAGE",
    "VALKEY_IMAGE", "ALERTMANAGER", "AMTOOL", "CHROMIUM", "CURL", "HAPROXY", "KUBECTL", "NODE", "OPENSSL",
    "PGBOUNCER", "PROMETHEUS_ALERTMANAGER", "PROMTOOL", "VERSITYGW",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
}  # fmt: skip
KEPT_BEGINNINGS = ("PYTEST_", "PIP_", "UV_", "NPM_CONFIG_", "npm_config_", "GOPROXY", "GOSUMDB", "GOFLAGS",
                   "DOCKER_")  # fmt: skip
# Where package managers and Docker look for their configuration, unless a variable names another place.
CONFIGURATION = {
    "PIP_CONFIG_FILE": ".config/pip/pip.conf", "NPM_CONFIG_USERCONFIG": ".npmrc", "DOCKER_CONFIG": ".docker",
    "UV_CACHE_DIR": ".cache/uv", "GOCACHE": ".cache/go-build", "GOMODCACHE": "go/pkg/mod",
}  # fmt: skip

# An empty folder. It is removed when this process ends.
HOME = tempfile.TemporaryDirectory(prefix="agent-board-home-")


def hide(environment: MutableMapping[str, str]) -> None:
    """Replace an environment by what tests may see of it."""
    seen = visible(environment, Path(HOME.name))
    environment.clear()
    environment.update(seen)


def visible(outside: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return what tests may see of an environment, with an empty home."""
    kept = {name: value for name, value in outside.items() if name in KEPT or name.startswith(KEPT_BEGINNINGS)}
    own = Path(outside.get("HOME") or "/nonexistent")
    known = {name: str(own / path) for name, path in CONFIGURATION.items() if (own / path).exists()}
    return {**known, **proxies(outside), **kept, "HOME": str(home), "LANG": "C.UTF-8"}


def proxies(outside: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that let package managers use the proxy of an environment, but nothing else."""
    names = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    proxy = next((outside[name] for name in names if outside.get(name)), None)
    return {"PIP_PROXY": proxy, "NPM_CONFIG_HTTPS_PROXY": proxy} if proxy else {}
