"""Rolling replacement: one replica at a time, and the new one serves before the old one stops. No request fails."""

import os
from datetime import UTC, datetime

from deploy.compose import lineage, waiting
from deploy.compose.errors import StackError
from deploy.compose.running import build, make_secrets, set_replicas
from deploy.compose.stack import Container, Stack

KEPT_LOGS = 50
# The limiter first: it decides the checks of the previous release too. An older limiter would ignore the rates that
# the checks of the next release carry.
SERVICES = ("limiter", "api", "fanout")


def roll(stack: Stack) -> str:
    """Replace every replica of limiter, api and fanout by one of the current image. Raises StackError."""
    stack.check_engine()
    if not stack.containers("haproxy"):
        raise StackError("The stack is not running; start it with make up.")
    for service in SERVICES:
        for old in stack.containers(service):
            replace(stack, old)
            print(f"Replaced {old.name}", flush=True)
    return "All replicas have been replaced."


def upgrade(stack: Stack) -> str:
    """Build the image, migrate the schema while the old release serves, then roll. Raises StackError."""
    stack.check_engine()
    make_secrets(stack)
    build(stack)
    migrate(stack)
    said = roll(stack)
    reload(stack)
    lineage.remember(stack)
    return said


def reload(stack: Stack) -> None:
    """Make the load balancer reload its files, which a release may have changed. Raises StackError."""
    # Not with `compose kill`: the engine would treat it as stopped on purpose and not restart it after a crash.
    stack.compose("exec", "-T", "haproxy", "sh", "-c", "kill -USR2 1")
    until_called(stack)


def until_called(stack: Stack) -> None:
    """Wait until the load balancer sends requests to every healthy API process. Raises StackError."""
    waiting.until_balanced(stack, sum(each.well for each in stack.containers("api")))


def migrate(stack: Stack) -> None:
    """Migrate the database to the schema of the image. Raises StackError."""
    stack.compose("run", "--rm", "--no-deps", "migrate")


def replace(stack: Stack, old: Container) -> None:
    """Start another replica of the service, wait until it is healthy and receives requests, then stop this one."""
    service = old.service
    before = {each.id for each in stack.containers(service)}
    set_replicas(stack, service, len(before) + 1)
    new = {each.id for each in stack.containers(service)} - before
    try:
        waiting.until_well(stack, service, new)
        if service == "api":
            until_called(stack)
    except BaseException as error:
        words = "".join(waiting.last_words(stack, each, 15) for each in stack.containers(service) if each.id in new)
        stack.docker("rm", "--force", *new)
        if isinstance(error, StackError):
            raise StackError(f"{error} The new replica was removed; its last log lines:{words}") from None
        raise
    retire(stack, old)


def retire(stack: Stack, container: Container) -> None:
    """Stop a container within its grace period, and remove it."""
    grace = int(stack.configuration.number("STOP_GRACE_PERIOD"))
    stack.docker("stop", "--time", str(grace), container.id, seconds=grace + 30)
    keep_log(stack, container)
    stack.docker("rm", container.id)


def keep_log(stack: Stack, container: Container) -> None:
    """Write the log of a container that will be removed to a file, and remove the oldest such files."""
    folder = stack.configuration.path("LOGS_DIR")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{container.name}.log"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as log:
        log.write(stack.docker("logs", "--timestamps", container.id, errors=True))
    for oldest in sorted(folder.glob("*.log"))[:-KEPT_LOGS]:
        oldest.unlink()
