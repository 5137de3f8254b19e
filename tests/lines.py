"""Reads files that another process is writing."""

from pathlib import Path


def whole_lines(file: Path) -> list[str]:
    """Return the lines that are complete. The last one may be half written, even within a character."""
    return [line.decode() for line in file.read_bytes().split(b"\n")[:-1]]
