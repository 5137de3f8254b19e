"""Rolling replacement: one replica at a time, and the new one serves before the old one stops. No request fails.

Services that answer no request of the board are replaced in place. The others are left and named.
"""

import os
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Final

from deploy.compose import images, trials, waiting
from deploy.compose.changes import tried
from deploy.compose.database import check_runs
from deploy.compose.errors import StackError
from deploy.compose.running import (
    OTHERS_SECONDS,
    check_running,
    set_replicas,
    start_services,
    unwell_services,
)
from deploy.compose.stack import EVERYTHING, Container, Stack
from deploy.observability import generated_files

KEPT_LOGS = 50
STOP_SECONDS = 130
"""More than the stop_grace_period of every service here, after which the engine kills a container."""
# The limiter first: it decides the checks of the previous release too. An older limiter would ignore the rates that
# the checks of the next release carry.
SERVICES = ("limiter", "api", "fanout", "mcp")
BALANCED = ("api", "mcp")
"""To these, the load balancer sends requests."""
COSTS: Final = {
    "haproxy": "no call is answered for some seconds",
    "postgresql": "calls are answered 503 for some seconds",
}
"""The cost of replacing each service that is left as it is."""
READ_AGAIN: Final = ("prometheus", "alertmanager", "blackbox-exporter")
"""On SIGHUP, these read the files again that a release may have changed."""
NOT_BUSY = "flock --nonblock /tmp/backup.lock true"


def roll(stack: Stack) -> str:
    """Replace every replica of limiter, api, fanout and mcp by a current one, and then what else has changed.

    Return also what was left because replacing it costs service. Raises StackError.
    """
    stack.check_engine()
    check_running(stack, "haproxy")
    if stack.runs("postgresql"):
        # No new replica would become ready.
        check_runs(stack)
    trials.check_machine(stack)
    found = renew(stack, tried(stack), SERVICES)
    return "\n".join(filter(None, ["All replicas have been replaced.", found]))


def renew(stack: Stack, changed: Collection[str], anyway: Collection[str] = ()) -> str:
    """Replace services that have changed, and others anyway, and start missing ones.

    Return the unhealthy ones, and those that were left. Raises StackError.
    """
    # The limiter may need the new password of Valkey.
    untried = {"limiter"} if "valkey" in changed else set()
    trials.check(stack, [name for name in SERVICES if name in changed and name not in untried])
    if "valkey" in changed:
        replace_valkey(stack)
    for service in SERVICES:
        for old in stack.containers(service):
            if service in {*changed, *anyway} or not old.well:
                replace(stack, old)
                print(f"Replaced {old.name}", flush=True)
    add_replicas(stack)
    unwell = replace_others(stack, {*changed} - {"valkey"})
    reload(stack)
    return "\n".join(filter(None, [unwell, left(changed)]))


def replace_valkey(stack: Stack) -> None:
    """Replace Valkey, before the limiter, which could not use a new password otherwise. Raises StackError."""
    print("Replacing valkey: the counts of all limits begin at zero", flush=True)
    retire_all(stack, ["valkey"])
    start_services(stack, ["valkey"], OTHERS_SECONDS, "--no-recreate")


def add_replicas(stack: Stack) -> None:
    """Start the replicas that are missing, and stop those that are too many. Raises StackError."""
    described = stack.described()["services"]
    for service in [name for name in SERVICES if name in described]:
        number = described[service].get("deploy", {}).get("replicas", 1)
        if number != len(stack.containers(service)):
            set_replicas(stack, service, number)
            waiting.until_well(stack, service, {each.id for each in stack.containers(service)})


def replace_others(stack: Stack, changed: Collection[str]) -> str:
    """Replace or start each service that no request needs. Return a warning about those that are not healthy then.

    Raises StackError.
    """
    described, present = stack.described(*EVERYTHING)["services"], {each.service for each in stack.containers()}
    others = ({*images.images(stack), *present} & described.keys()) - {*COSTS, *SERVICES}
    # Compose starts a service that runs once together with those that need it.
    lasting = [name for name in sorted(others) if described[name].get("restart") != "no"]
    generated_files.main()
    # The mounted program of `targets` may have changed, too.
    retire_all(stack, [name for name in lasting if name in {*changed, "targets"} and not is_busy(stack, name)])
    try:
        start_services(stack, lasting, OTHERS_SECONDS, "--no-recreate")
    except StackError:
        return unwell_services(stack, lasting)
    read_again(stack)
    return ""


def is_busy(stack: Stack, service: str) -> bool:
    """Return whether a service is doing what would have to begin again, such as a backup, and print that."""
    if service != "backup" or not any(each.status == "running" for each in stack.containers(service)):
        return False
    try:
        stack.ask("exec", "-T", service, "sh", "-c", NOT_BUSY)
    except StackError:
        print("The service backup makes a backup now and was left; make roll replaces it afterwards.", flush=True)
        return True
    return False


def left(changed: Collection[str]) -> str:
    """Return what still has to be replaced, with the command and its cost, or nothing."""
    lines = [
        f"  docker compose up --detach --no-build --force-recreate {name}    # {cost}"
        for name, cost in COSTS.items()
        if name in changed
    ]
    if not lines:
        return ""
    return "\n".join(["Replacing these would cost service, so they were left. In deploy/compose:", *lines])


def read_again(stack: Stack) -> None:
    """Make the monitoring read its files again, which a release may have changed. Raises StackError."""
    for each in stack.containers(*READ_AGAIN):
        if each.status == "running":
            try:
                # Not with `docker kill`: see reload.
                stack.docker("exec", each.id, "sh", "-c", "kill -HUP 1")
            except StackError as error:
                print(f"Warning: {each.name} does not read its files again: {error}", flush=True)


def reload(stack: Stack) -> None:
    """Make the load balancer reload its files, which a release or its way back may have changed. Raises StackError."""
    # Not with `compose kill`: the engine would treat it as stopped on purpose and not restart it after a crash.
    stack.compose("exec", "-T", "haproxy", "sh", "-c", "kill -USR2 1")
    until_called(stack)


def until_called(stack: Stack, service: str = "api") -> None:
    """Wait until the load balancer sends requests to every healthy replica of a service. Raises StackError."""
    waiting.until_balanced(stack, sum(each.well for each in stack.containers(service)), service=service)


def migrate(stack: Stack) -> None:
    """Migrate the database to the schema of the image. Raises StackError."""
    stack.compose("run", "--rm", "--no-deps", "migrate")


def replace(stack: Stack, old: Container) -> None:
    """Start another replica of the service, wait until it is healthy and receives requests, then stop this one."""
    service = old.service
    before = {each.id for each in stack.containers(service)}
    # Until it has been replaced, the load balancer may not know a service that was added.
    is_balanced = service in BALANCED and waiting.servers_up(stack, service) > 0
    try:
        set_replicas(stack, service, len(before) + 1)
        new = {each.id for each in stack.containers(service)} - before
        if not new:
            raise StackError(f"No new replica of {service} was started.")
        waiting.until_well(stack, service, new)
        if is_balanced:
            until_called(stack, service)
    except BaseException as error:
        failed = [each.id for each in stack.containers(service) if each.id not in before]
        words = "".join(waiting.last_words(stack, id, 15) for id in failed)
        if failed:
            stack.docker("rm", "--force", *failed)
        if isinstance(error, StackError):
            raise StackError(f"{error} The new replica was removed; its last log lines:{words}") from None
        raise
    retire(stack, old)


def retire_all(stack: Stack, services: Collection[str]) -> None:
    """Stop and remove the containers of services, in their place. Raises StackError."""
    for each in stack.containers(*services) if services else ():
        retire(stack, each)


def retire(stack: Stack, container: Container) -> None:
    """Stop a container within its own grace period, and remove it with its anonymous volumes."""
    stack.docker("stop", container.id, seconds=STOP_SECONDS)
    keep_log(stack, container)
    stack.docker("rm", "--volumes", container.id)


def keep_log(stack: Stack, container: Container) -> None:
    """Write the log of a container that will be removed to a file, and remove the oldest such files."""
    folder = stack.configuration.path("LOGS_DIR")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{container.name}.log"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as log:
        log.write(stack.docker("logs", "--timestamps", container.id, errors=True))
    for oldest in sorted(folder.glob("*.log"))[:-KEPT_LOGS]:
        oldest.unlink()
