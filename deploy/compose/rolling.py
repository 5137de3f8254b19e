"""Rolling replacement: one replica at a time, and the new one serves before the old one stops. No request fails."""

from deploy.compose import lineage, waiting
from deploy.compose.errors import StackError
from deploy.compose.running import build, make_secrets, set_replicas
from deploy.compose.stack import Container, Stack

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
    waiting.until_well(stack, service, new)
    if service == "api":
        until_called(stack)
    retire(stack, old)


def retire(stack: Stack, container: Container) -> None:
    """Stop a container within its grace period, and remove it."""
    grace = int(stack.configuration.number("STOP_GRACE_PERIOD"))
    stack.docker("stop", "--time", str(grace), container.id, seconds=grace + 30)
    stack.docker("rm", container.id)
