"""The table of secrets in deploy/compose/README.md: the files of each, who reads them, and how they are changed."""

import re
from typing import NamedTuple

from deploy.compose.configuration import DIRECTORY

ROW = re.compile(r"\| [^|]+ \| (`[^|]+`) \| (`[^|]+`) \| ([^|]*)\|")


class Row(NamedTuple):
    """One secret. `command` comes before `make up`; `is_kept` if the secret is for good."""

    files: list[str]
    readers: set[str]
    command: str
    is_kept: bool


def rows() -> list[Row]:
    """Return the table."""
    found = ROW.findall((DIRECTORY / "README.md").read_text(encoding="utf-8"))
    return [
        Row(re.findall("`(.+?)`", files), set(re.findall("`(.+?)`", readers)), how.strip("` "), "keep" in how)
        for files, readers, how in found
    ]
