"""The promises of docs/interface.md in its lists."""

import re
from pathlib import Path

PROMISED = (Path(__file__).parents[2] / "docs/interface.md").read_text()


def fields_of_a_thread() -> dict[str, str]:
    """The fields of a thread with their types (interface 7.1)."""
    section = PROMISED.partition("### 7.1 Threads\n")[2].partition("\n### ")[0]
    fields = re.findall(r"^- (.+?) \(([\w ]+)\)", section, re.MULTILINE)
    return {name: kind for names, kind in fields for name in re.findall(r"`(\w+)`", names)}
