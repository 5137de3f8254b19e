"""The commands behind `make up`, `make down` and so on: `python3 -m deploy.compose NAME [ARGUMENT]`."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from deploy.compose import (
    backups,
    compose_files,
    disk,
    doctor,
    drills,
    exports,
    moments,
    recovery,
    rolling,
    running,
    silences,
)
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

Command = Callable[..., str | None]

COMMANDS: dict[str, Command] = {
    "secrets": running.make_secrets,
    "up": running.up,
    "down": running.down,
    "logs": running.logs,
    "scale": running.scale,
    "roll": rolling.roll,
    "upgrade": rolling.upgrade,
    "backup": backups.backup,
    "backups": moments.listing,
    "export": exports.export,
    "restore": recovery.restore,
    "drill": drills.drill,
    "drop-ballast": disk.drop_ballast,
    "doctor": doctor.doctor,
}


ARGUMENTS = {"scale": 1, "restore": 2}


def interrupt(_: int, __: FrameType | None) -> None:
    """Treat a lost terminal and `kill` like Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: list[str]) -> int:
    """Run one command. Return 0 on success, 1 on failure, 2 for wrong usage."""
    name, *values = arguments or [""]
    if name not in COMMANDS or len(values) != ARGUMENTS.get(name, 0):
        print(f"usage: python3 -m deploy.compose {{{','.join(COMMANDS)}}} [ARGUMENT]", file=sys.stderr)
        return 2
    stack = Stack()
    if empty := stack.configuration.empty():
        print(
            f"make {name}: In {stack.configuration.file}, {', '.join(empty)} has no value; leave it out.",
            file=sys.stderr,
        )
        return 1
    if ignored := stack.configuration.without_effect(os.environ):
        print(f"Of the shell, {', '.join(ignored)} has no effect: {stack.configuration.file} counts.", file=sys.stderr)
    try:
        compose_files.check(stack.configuration)
        for each in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(each, interrupt)
        with silences.planned(stack, name):
            said = COMMANDS[name](stack, *values)
    except (StackError, OSError) as error:
        print(f"make {name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as error:
        outcome = str(error) or "make doctor reports what is unfinished."
        print(f"make {name} was interrupted. {outcome}", file=sys.stderr)
        return 1
    if said:
        print(said, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
