"""How many replicas the settings want: a file in METRICS_DIR, which the exporter for hosts reads."""

from collections.abc import Mapping
from typing import Any

from deploy.compose.stack import Stack

WANTED = """\
# HELP agent_board_replicas_wanted How many replicas of a service the settings want.
# TYPE agent_board_replicas_wanted gauge
"""
REPLICATED = ("api", "fanout", "haproxy", "limiter")


def write(stack: Stack) -> None:
    """Report the wanted replicas, so that an alert fires if some are missing. Raises StackError."""
    file = stack.configuration.path("METRICS_DIR") / "replicas.prom"
    unfinished = file.with_name(".replicas.unfinished")
    unfinished.write_text(wanted(stack.described()["services"]), encoding="utf-8")
    unfinished.chmod(0o644)
    unfinished.replace(file)


def wanted(services: Mapping[str, Any]) -> str:
    """Return the page with the number of replicas that each service should have, as Compose describes them."""
    lines = [
        f'agent_board_replicas_wanted{{service="{name}"}} {services[name].get("deploy", {}).get("replicas", 1)}\n'
        for name in REPLICATED
        if name in services
    ]
    return WANTED + "".join(lines)
