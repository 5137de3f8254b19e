"""Replaces itself with the process named by the container's command, which then handles signals and exit codes."""

import os
import sys
from collections.abc import Sequence

PROCESSES = {"api": "services.api", "limiter": "services.limiter", "fanout": "services.fanout"}
OPERATOR = "services.operator"
MCP = ("-m", "agent_board_client", "mcp", "--http", "0.0.0.0:8200")


def command_line(words: Sequence[str]) -> list[str]:
    """Return the interpreter's arguments.

    `api`, `limiter` and `fanout` are processes, `mcp ...` is `board mcp --http` on port 8200, `agent-board ...` is the
    operator's command, and `migrate` and `all ...` are short for `agent-board migrate` and `agent-board run ...`. For
    anything else, prints a sentence and raises SystemExit with code 1.
    """
    name, *arguments = words or [""]
    if name in PROCESSES and not arguments:
        return ["-m", PROCESSES[name]]
    if name == "migrate" and not arguments:
        return ["-m", OPERATOR, "migrate"]
    if name == "mcp":
        return [*MCP, *arguments]
    if name == "all":
        return ["-m", OPERATOR, "run", *arguments]
    if name == "agent-board":
        return ["-m", OPERATOR, *arguments]
    known = ", ".join([*PROCESSES, "migrate"])
    print(
        f"The command must be one of {known}, without arguments, or all, mcp or agent-board with its arguments.",
        file=sys.stderr,
    )
    raise SystemExit(1)


if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, *command_line(sys.argv[1:])])
