"""Standard output and error of a command, whose reader may leave before the end: `board` has a copy of this module.

Python ignores SIGPIPE, because a lost connection must not end a process. A command whose output no reader takes ends
quietly with the status that a shell reports for SIGPIPE, as the tools of Unix do.
"""

import io
import os
import sys
from typing import Any, TextIO

READER_GONE = 128 + 13  # SIGPIPE


class Stream(io.FileIO):
    """A descriptor whose closed pipe ends the process at once, in whichever thread and library it is noticed."""

    def write(self, content: Any) -> int:
        """Write bytes, and return how many were taken."""
        try:
            return super().write(content)
        except BrokenPipeError:
            os._exit(READER_GONE)


def end_with_the_reader() -> None:
    """End the process when standard output or error is a pipe that no process reads any more."""
    if os.name == "posix":
        sys.stdout = ending(sys.stdout)
        sys.stderr = ending(sys.stderr)


def ending(stream: TextIO | None) -> Any:
    """Return the same stream on a descriptor that ends the process; None if the stream is closed."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(Stream(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
