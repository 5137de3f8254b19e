"""The load balancer of a board on this machine: HAProxy with a master that reloads it, as in containers."""

import os
import signal
import subprocess
from pathlib import Path

import psutil

from tests.balancer.balancer import Balancer
from tests.programs import find

ADDRESS = "127.0.0.{}"
STOP_SECONDS = 60
WITHOUT = "No call goes through a load balancer: HAProxy is missing."


class LoadBalancer(Balancer):
    """HAProxy on free ports, in front of replicas on 127.0.0.2 and up."""

    @property
    def command(self) -> list[str]:
        return [*super().command, "-W", "-db"]

    @property
    def running(self) -> "subprocess.Popen[bytes]":
        """The master."""
        assert self.process is not None
        return self.process

    def place(self, number: int) -> dict[str, str]:
        """Return the settings of an API process that is this replica."""
        ports = {"PORT": str(self.api_port), "OPERATOR_PORT": str(self.api_operator_port)}
        return {"HOST": ADDRESS.format(number + 2), "TRUSTED_PROXIES": "127.0.0.1/32", **ports}

    def call(self, replicas: int) -> None:
        """Send requests to this many replicas."""
        self.names.addresses = [ADDRESS.format(number + 2) for number in range(replicas)]

    def kill(self) -> None:
        """Kill the master, which ends its workers."""
        self.running.kill()
        self.running.wait()

    def stop(self) -> None:
        """Stop listening, and return when the requests in flight are complete."""
        self.running.send_signal(signal.SIGUSR1)
        self.running.wait(STOP_SECONDS)

    def reload(self) -> None:
        """Replace the worker, and return when the new one serves."""
        before = self.workers()
        self.running.send_signal(signal.SIGUSR2)
        self.wait_for(lambda: bool(self.workers() - before and self.metrics()))

    def workers(self) -> set[int]:
        return {child.pid for child in psutil.Process(self.running.pid).children()}


def load_balancer(folder: Path, **variables: str) -> LoadBalancer | None:
    """Return a load balancer that is not started, or None without HAProxy, which a pipeline must have."""
    if find("haproxy") or os.environ.get("CI") == "true":
        return LoadBalancer(folder, **variables)
    print(WITHOUT)
    return None
