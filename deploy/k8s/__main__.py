"""The commands behind `make k8s-up`, `make k8s-down` and `make k8s-doctor`: `python3 -m deploy.k8s NAME`."""

import os
import sys
from collections.abc import Callable

from deploy.k8s import doctor, running
from deploy.k8s.cluster import chosen
from deploy.k8s.errors import ClusterError
from deploy.k8s.overlay import Overlay

COMMANDS: dict[str, Callable[[Overlay], str]] = {"up": running.up, "down": running.down, "doctor": doctor.doctor}


def main(arguments: list[str]) -> int:
    """Run one command. Return 0 on success, 1 on failure, 2 for wrong usage."""
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        print(f"usage: python3 -m deploy.k8s {{{','.join(COMMANDS)}}}", file=sys.stderr)
        return 2
    [name] = arguments
    try:
        overlay = given("OVERLAY") or "small"
        print(COMMANDS[name](Overlay(chosen(), overlay)), flush=True)
    except (ClusterError, OSError) as error:
        print(f"make k8s-{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"make k8s-{name} was interrupted; make k8s-doctor reports what is unfinished.", file=sys.stderr)
        return 1
    return 0


def given(variable: str) -> str | None:
    """Return a variable's value, or None if it is not there. Raises ClusterError if the value is empty."""
    value = os.environ.get(variable)
    if value is not None and not value.strip():
        raise ClusterError(f"{variable} is empty; leave it out.")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
