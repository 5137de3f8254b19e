"""Runs the process named by the container's command, which then handles signals and exit codes."""

import os
import runpy
import signal
import sys
from collections.abc import Sequence

PROCESSES = {"api": "services.api", "limiter": "services.limiter", "fanout": "services.fanout"}
OPERATOR = "services.operator"
MCP = ("agent_board_client", "mcp", "--http", "0.0.0.0:8200")


def command_line(words: Sequence[str]) -> list[str]:
    """Return the module to run, and its arguments.

    `api`, `limiter` and `fanout` are processes, `mcp ...` is `board mcp --http` on port 8200, `agent-board ...` is the
    operator's command, and `migrate` and `all ...` are short for `agent-board migrate` and `agent-board run ...`. For
    anything else, prints a sentence and raises SystemExit with code 1.
    """
    name, *arguments = words or [""]
    if name in PROCESSES and not arguments:
        return [PROCESSES[name]]
    if name == "migrate" and not arguments:
        return [OPERATOR, "migrate"]
    if name == "mcp":
        return [*MCP, *arguments]
    if name == "all":
        return [OPERATOR, "run", *arguments]
    if name == "agent-board":
        return [OPERATOR, *arguments]
    known = ", ".join([*PROCESSES, "migrate"])
    print(
        f"The command must be one of {known}, without arguments, or all, mcp or agent-board with its arguments.",
        file=sys.stderr,
    )
    raise SystemExit(1)


def main() -> None:
    """Run the module in this process, so that no other one has to be loaded."""
    # The kernel drops a SIGTERM for the first process of a container until it has a handler; the module sets its own.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
    module, *sys.argv[1:] = command_line(sys.argv[1:])
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
