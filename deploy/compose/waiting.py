"""Waiting until containers are healthy, and until the load balancer sends them requests."""

import re
import time
from collections.abc import Callable, Collection

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

RESTARTS_MAX = 1
UP = re.compile(r'haproxy_server_status\{proxy="([^"]+)",server="[^"]+",state="UP"\} 1')


def until_well(stack: Stack, service: str, ids: Collection[str], seconds: float = 180) -> None:
    """Wait until these containers of a service are healthy. Raises StackError if one exits or time runs out."""
    before: dict[str, int] = {}

    def all_well() -> bool:
        found = [each for each in stack.containers(service) if each.id in ids]
        for container in found:
            # The engine starts one that has exited again and again.
            restarts = container.restarts - before.setdefault(container.id, container.restarts)
            if container.status in ("exited", "dead") or restarts > RESTARTS_MAX:
                raise StackError(f"{container.name} has exited; its last log lines:{last_words(stack, container.id)}")
        return len(found) == len(ids) and all(each.well for each in found)

    until(all_well, seconds, f"{service} did not become healthy within {seconds:g} seconds.")


def until_balanced(stack: Stack, replicas: int, seconds: float = 60, service: str = "api") -> None:
    """Wait until the load balancer sends requests to this many replicas. Raises StackError if time runs out."""
    until(
        lambda: servers_up(stack, service) >= replicas,
        seconds,
        f"The load balancer did not find {replicas} replicas of {service} ready within {seconds:g} seconds.",
    )


def servers_up(stack: Stack, service: str = "api") -> int:
    """Return how many replicas of a service the load balancer has found ready."""
    metrics = stack.ask("exec", "-T", "haproxy", "wget", "-q", "-O", "-", "http://127.0.0.1:8405/metrics")
    return UP.findall(metrics).count(service)


def last_words(stack: Stack, container: str, lines: int = 5) -> str:
    """Return the end of a container's log, to follow a sentence that ends in a colon.

    Valkey quotes a wrong line of its configuration after `>>>`, which may be its password.
    """
    said = stack.docker("logs", "--tail", str(lines), container, errors=True).splitlines()
    said = [">>> (a line of a secret)" if line.startswith(">>> ") else line for line in said]
    return "".join(f"\n  {line[:300]}" for line in said[-lines:]) or " none."


def until(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Wait until something is done. Raises StackError, with the given sentence, if time runs out."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise StackError(otherwise)
        time.sleep(0.3)
