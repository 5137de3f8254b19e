"""Waiting for the stack: until containers are well, and until the load balancer sends them calls."""

import re
import time
from collections.abc import Callable, Collection

from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack

_UP = re.compile(r'haproxy_server_status\{proxy="api",server="[^"]+",state="UP"\} 1')


def until_well(stack: Stack, service: str, ids: Collection[str], seconds: float = 180) -> None:
    """Wait until these containers of a service are well. Raises StackError when one has ended or time is up."""

    def all_well() -> bool:
        found = [each for each in stack.containers(service) if each.id in ids]
        for container in found:
            if container.status in ("exited", "dead"):
                raise StackError(f"{container.name} has ended.{last_words(stack, container)}")
        return len(found) == len(ids) and all(each.well for each in found)

    _wait(all_well, seconds, f"{service} has not become healthy within {seconds:g} seconds; see make doctor.")


def until_balanced(stack: Stack, replicas: int, seconds: float = 60) -> None:
    """Wait until the load balancer sends calls to so many apis. Raises StackError when time is up."""
    _wait(
        lambda: servers_up(stack) >= replicas,
        seconds,
        f"The load balancer does not see {replicas} ready apis after {seconds:g} seconds; see make doctor.",
    )


def servers_up(stack: Stack) -> int:
    """Return how many apis the load balancer has found ready."""
    metrics = stack.ask("exec", "-T", "haproxy", "wget", "-q", "-O", "-", "http://127.0.0.1:8405/metrics")
    return len(_UP.findall(metrics))


def last_words(stack: Stack, container: Container, lines: int = 5) -> str:
    """Return the end of a container's log, to stand below a sentence."""
    said = stack.docker("logs", "--tail", str(lines), container.id, errors=True).splitlines()
    return "".join(f"\n  {line[:300]}" for line in said[-lines:]) or " nothing."


def _wait(done: Callable[[], bool], seconds: float, otherwise: str) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise StackError(otherwise)
        time.sleep(0.3)
