"""The commands behind `make up`, `make down` and so on: `python3 -m deploy.compose NAME [TIME]`."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from deploy.compose import (
    backups,
    recovery,
    rolling,
    running,
    starting,
)
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

Command = Callable[..., str | None]

COMMANDS: dict[str, Command] = {
    "secrets": running.make_secrets,
    "up": starting.up,
    "down": running.down,
    "logs": running.logs,
    "roll": rolling.roll,
    "upgrade": starting.upgrade,
    "backup": backups.backup,
    "restore": recovery.restore,
    "doctor": running.doctor,
}
# They make .env.
WITHOUT_SETTINGS = ("secrets", "up")


def interrupt(_: int, __: FrameType | None) -> None:
    """Treat a lost terminal and `kill` like Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """Run one command. Return 0 on success, 1 on failure, 2 for wrong usage."""
    name, *values = arguments or [""]
    if name not in COMMANDS or len(values) > (name == "restore") or not all(values):
        print(f"usage: {{{','.join(COMMANDS)}}}; restore takes a time.", file=sys.stderr)
        return 2
    stack = Stack()
    if name not in WITHOUT_SETTINGS and (missing := stack.configuration.missing()):
        return refuse(name, missing)
    if empty := stack.configuration.empty():
        return refuse(name, f"In {stack.configuration.file}, {', '.join(empty)} has no value; leave it out.")
    if ignored := stack.configuration.without_effect(os.environ):
        print(f"In the shell, {', '.join(ignored)} has no effect: {stack.configuration.file} counts.", file=sys.stderr)
    for sentence in stack.configuration.unknown():
        print(f"Warning: {sentence}", file=sys.stderr)
    try:
        stack.configuration.check()
        for each in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(each, interrupt)
        said = COMMANDS[name](stack, *values)
    except (StackError, OSError) as error:
        return refuse(name, str(error))
    except KeyboardInterrupt as error:
        print(f"make {name} was interrupted. {error}".strip(), file=sys.stderr)
        return 1
    if said:
        print(said, flush=True)
    return 0


def refuse(name: str, reason: str) -> int:
    print(f"make {name}: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
