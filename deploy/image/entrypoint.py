"""Starts the process that the command of the container names, and becomes it: signals and exit codes are its own."""

import os
import sys
from collections.abc import Sequence

PROCESSES = {"api": "services.api", "limiter": "services.limiter", "fanout": "services.fanout"}
OPERATOR = "services.board"


def command_line(words: Sequence[str]) -> list[str]:
    """Return what the interpreter is to run.

    `api`, `limiter` and `fanout` are processes, `agent-board ...` is the operator's command, and `migrate` stands for
    `agent-board migrate`. Raises SystemExit, with a sentence and the code 2, for anything else.
    """
    name, *arguments = words or [""]
    if name in PROCESSES and not arguments:
        return ["-m", PROCESSES[name]]
    if name == "migrate" and not arguments:
        return ["-m", OPERATOR, "migrate"]
    if name == "agent-board":
        return ["-m", OPERATOR, *arguments]
    known = ", ".join([*PROCESSES, "migrate"])
    print(f"The command must be one of {known}, without arguments, or agent-board and its arguments.", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, *command_line(sys.argv[1:])])
