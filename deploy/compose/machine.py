"""The requirements of the stack: files that settings name, a free port, and room on the disk."""

import errno
import shutil
import socket
from pathlib import Path

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FILES = ("TLS_CERTIFICATE", "STORES_CA", "OBJECT_STORE_CA", "PIP_CONFIG", "CA_BUNDLE")
"""Settings that name a file of this machine, which Compose mounts as a secret."""
LEAST_DISK = 3 * 2**30


def check(stack: Stack) -> None:
    """Raise StackError if the stack cannot start on this machine."""
    for each in CHECKS:
        each(stack)


def check_engine(stack: Stack) -> None:
    """Raise StackError if the engine runs in rootless mode, which gives containers other user ids than this machine."""
    if "name=rootless" in stack.docker("info", "--format", "{{.SecurityOptions}}"):
        raise StackError(
            "The engine runs in rootless mode, in which RUN_AS_UID cannot read its secrets. Use one that root runs."
        )


def check_files(stack: Stack) -> None:
    """Raise StackError if a setting names a file that is missing: the engine would report only a mount that failed."""
    for name in FILES:
        path = stack.configuration.path(name)
        if stack.configuration[name] and (not path.exists() or path.is_dir()):
            raise StackError(f"{name} is {stack.configuration[name]}, and there is no such file.")


def check_port(stack: Stack) -> None:
    """Raise StackError if another program listens on the load balancer's address."""
    host, port = str(stack.configuration.address("BIND")), stack.configuration.whole("PORT", 65535)
    if any(listens(stack, each.id, port) for each in stack.containers("haproxy") if each.status == "running"):
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise StackError(
                    f"Cannot listen on {host}:{port}: it is in use. Set PORT in .env, and BASE_URL with it."
                ) from None
            if error.errno == errno.EADDRNOTAVAIL:
                raise StackError(f"BIND {host} is not an address of this machine.") from None


def listens(stack: Stack, container: str, port: int) -> bool:
    """Return whether the engine publishes a port of this machine for a container. Raises StackError."""
    return any(line.endswith(f":{port}") for line in stack.docker("port", container).splitlines())


def check_disk(stack: Stack) -> None:
    """Raise StackError if the disk that holds the engine's images and volumes is almost full."""
    root = Path(stack.docker("info", "--format", "{{.DockerRootDir}}").strip() or "/")
    try:
        free = shutil.disk_usage(root).free
    except OSError:
        # The engine is on another machine, or its folder is not readable here; it will report a full disk itself.
        return
    if free < LEAST_DISK:
        raise StackError(f"The disk with {root} has {free / 2**30:.1f} GiB free; 3 GiB are needed.")


CHECKS = (check_engine, check_files, check_port, check_disk)
