"""The stack's own measurements: files in METRICS_DIR, which the exporter for hosts reads."""

from collections.abc import Mapping
from typing import Any

from deploy.compose.configuration import Configuration
from deploy.compose.stack import Stack

FILES = {"backup": "backup", "backup_failing": "backup", "backup_service": "backup"}
"""The service without which a measurement would only grow old."""
NOT_YET = """\
# HELP agent_board_{what}_timestamp_seconds {explanation}
# TYPE agent_board_{what}_timestamp_seconds gauge
agent_board_{what}_timestamp_seconds 0
"""
AWAITED = {"backup": "When the last verified backup was made.", "backup_service": "When the service backup ran."}
"""Measurements of the service `backup`. Without a first one, nothing would miss them."""

WANTED = """\
# HELP agent_board_replicas_wanted How many replicas of a service the settings want.
# TYPE agent_board_replicas_wanted gauge
"""
REPLICATED = ("api", "fanout", "haproxy", "limiter")


def write(configuration: Configuration, what: str, page: str) -> None:
    """Replace the measurements of a backup at once."""
    file = configuration.path("METRICS_DIR") / f"{what}.prom"
    unfinished = file.with_name(f".{what}.unfinished")
    unfinished.write_text(page, encoding="utf-8")
    unfinished.chmod(0o644)
    unfinished.replace(file)


def prepare(stack: Stack) -> None:
    """Report the wanted replicas, and that no backup was made yet, so that alerts fire if either is missing.

    Measurements of services that the stack no longer has are removed. Raises StackError.
    """
    services, folder = stack.described()["services"], stack.configuration.path("METRICS_DIR")
    for what, service in FILES.items():
        if service not in services:
            (folder / f"{what}.prom").unlink(missing_ok=True)
    for what, explanation in AWAITED.items():
        if "backup" in services and not (folder / f"{what}.prom").exists():
            write(stack.configuration, what, NOT_YET.format(what=what, explanation=explanation))
    write(stack.configuration, "replicas", wanted(services))


def wanted(services: Mapping[str, Any]) -> str:
    """Return the page with the number of replicas that each service should have, as Compose describes them."""
    lines = [
        f'agent_board_replicas_wanted{{service="{name}"}} {services[name].get("deploy", {}).get("replicas", 1)}\n'
        for name in REPLICATED
        if name in services
    ]
    return WANTED + "".join(lines)
