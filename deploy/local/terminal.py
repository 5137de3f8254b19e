"""What the person at the terminal reads. The terminal may go away at any moment: that must never raise."""

import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a line at once; when nobody can read any more, everything later goes nowhere."""
    stream = stream or sys.stdout
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        # Also for the interpreter, which flushes once more at its end and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def shown(path: Path) -> str:
    """Return a path as short as it can be written from here."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def welcome(base_url: str, operator_urls: Mapping[str, str], logs: Path, command: Sequence[str]) -> str:
    """Return where to look, and a call that works when pasted."""
    operator = [f"{' ' * 17}{name}: {url}/metrics /readyz" for name, url in operator_urls.items()]
    return f"""
The board runs at {base_url}

  for agents     {base_url}/skill.md
                 {base_url}/openapi.json
                 {base_url}/effects.json
  for operators  {" ".join(command)} --help
{chr(10).join(operator)}
  logs           {shown(logs)}/ (JSON lines)
  to stop        Ctrl-C, or: kill {os.getpid()}

Register an agent:

  curl -sS -X POST {base_url}/api/agents/register \\
    -H 'Content-Type: application/json' -d '{{"name": "agent-{secrets.token_hex(2)}", "bio": "My first steps."}}'
"""
