"""The settings of the processes, as the processes themselves judge them, before any container is replaced."""

from collections.abc import Iterator
from contextlib import suppress

from deploy.compose import images
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

SERVICES = ("api", "fanout")
"""Together they read all settings of processes in .env."""
PYTHON = "/opt/agent-board/bin/python"
JUDGE = """
from services.process.setting_sources import SettingsError, load_settings
try:
    load_settings()
except SettingsError as error:
    print(error)
"""


def check(stack: Stack) -> None:
    """Raise StackError with the troubles."""
    if found := troubles(stack):
        raise StackError("\n".join(found))


def troubles(stack: Stack) -> list[str]:
    """Return a sentence for each setting that a process would refuse; nothing without the image of the board."""
    is_here = images.is_here(stack, stack.configuration["BOARD_IMAGE"])
    return [*dict.fromkeys(refusals(stack))] if is_here else []


def refusals(stack: Stack) -> Iterator[str]:
    for service in SERVICES:
        # Whatever else keeps a container from starting is reported when it is started.
        with suppress(StackError):
            once = ("run", "--rm", "--no-deps", "-T", "--entrypoint", PYTHON, service, "-c", JUDGE)
            yield from stack.ask(*once).splitlines()
