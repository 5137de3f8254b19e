"""The facts of a board that a restore must not lose, kept next to .env: `agent-board restore-point` prints them.

It has the newest id, ids of erased posts and digests of erased names, and no words.
"""

import json
from pathlib import Path
from typing import Any

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

ASK = ("run", "--rm", "--no-deps", "-T", "migrate", "agent-board", "restore-point")


def record(stack: Stack) -> str:
    """Record the restore point of the running board; return it and those of other boards, one a line.

    A record shows what was erased, but not the newest id, because ids may have been given out since.
    Raises StackError.
    """
    known = recall(stack.configuration)
    if not any(each.well for each in stack.containers("postgresql")):
        return lines(known)
    found = json.loads(stack.ask(*ASK, seconds=120))
    before = known.pop(found["identity"], {"actions": 0, "posts": [], "agents": []})
    found["actions"] = max(found["actions"], before["actions"])
    for kind in ("posts", "agents"):
        found[kind] = sorted({*found[kind], *before[kind]})
    write(stack.configuration, lines({**known, found["identity"]: {**found, "newest": None}}))
    return lines({**known, found["identity"]: found})


def lines(points: dict[str, dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(point)}\n" for point in points.values())


def write(configuration: Configuration, text: str) -> None:
    path = file_of(configuration)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def recall(configuration: Configuration) -> dict[str, dict[str, Any]]:
    """Return the recorded points by the identities of their boards. Raises StackError."""
    path = file_of(configuration)
    try:
        points = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return {point["identity"]: point for point in points}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError):
        raise StackError(f"{path} cannot be read; it records erasures of this board. Restore or remove it.") from None


def file_of(configuration: Configuration) -> Path:
    return configuration.file.with_name(".restore-points")
