"""Replacing the processes under way: one replica at a time, the new one before the old one, so that no call fails."""

from deploy.compose import waiting
from deploy.compose.errors import StackError
from deploy.compose.running import build, make_secrets, set_replicas
from deploy.compose.stack import Container, Stack

SERVICES = ("api", "limiter", "fanout")


def roll(stack: Stack) -> str:
    """Replace every replica of api, limiter and fanout by one of the image as it is now. Raises StackError."""
    stack.check_engine()
    if not stack.containers("haproxy"):
        raise StackError("The stack does not run: start it with make up.")
    for service in SERVICES:
        for old in stack.containers(service):
            replace(stack, old)
            print(f"Replaced {old.name}", flush=True)
    return "All replicas are new."


def upgrade(stack: Stack) -> str:
    """Build the image, bring the schema up to date while the old release serves, then roll. Raises StackError."""
    stack.check_engine()
    make_secrets(stack)
    build(stack)
    migrate(stack)
    said = roll(stack)
    reload(stack)
    return said


def reload(stack: Stack) -> None:
    """Have the load balancer read its files anew, which a release may have changed. Raises StackError."""
    # Not by `compose kill`: the engine then takes it for stopped on purpose, and leaves it dead after a crash.
    stack.compose("exec", "-T", "haproxy", "sh", "-c", "kill -USR2 1")
    until_called(stack)


def until_called(stack: Stack) -> None:
    """Wait until the load balancer sends calls to every api that is well. Raises StackError."""
    waiting.until_balanced(stack, sum(each.well for each in stack.containers("api")))


def migrate(stack: Stack) -> None:
    """Bring the database to the schema of the image. Raises StackError."""
    stack.compose("run", "--rm", "--no-deps", "migrate")


def replace(stack: Stack, old: Container) -> None:
    """Start another replica of the service, wait until it is well and called, then stop this one in peace."""
    service = old.service
    before = {each.id for each in stack.containers(service)}
    set_replicas(stack, service, len(before) + 1)
    new = {each.id for each in stack.containers(service)} - before
    waiting.until_well(stack, service, new)
    if service == "api":
        until_called(stack)
    retire(stack, old)


def retire(stack: Stack, container: Container) -> None:
    """Stop a container, in the time that its service has for that, and remove it."""
    grace = int(stack.configuration.number("STOP_GRACE_PERIOD"))
    stack.docker("stop", "--time", str(grace), container.id, seconds=grace + 30)
    stack.docker("rm", container.id)
