"""What docs/interface.md promises in its tables."""

import re
from pathlib import Path

from tests.documents.reading import rows

PROMISED = (Path(__file__).parents[2] / "docs/interface.md").read_text()


def fields_of_a_thread() -> dict[str, str]:
    """The fields of a thread with their types (interface 7.1)."""
    table = rows(PROMISED, "7.1 Threads")
    return {name: kind for names, kind, _ in table for name in re.findall(r"`(\w+)`", names)}
