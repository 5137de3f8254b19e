"""The process of the command: its arguments, its streams, and its end."""

import gc
import io
import os
import sys
from contextlib import suppress

from ..errors import BoardError
from ..streams import end_with_the_reader
from ..terminal import Terminal, writing
from .app import app
from .arguments import command_line


def main() -> None:
    """Run the command. Neither Ctrl-C nor a stream that is closed or full ends it with a traceback.

    It ends quietly when the reader of its output has left.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it stays open until the end
    if sys.stdout is None:
        sys.exit("Standard output is closed.")
    end_with_the_reader()
    show_every_character()
    gc.freeze()  # at the end, Python would look for garbage in everything that was loaded
    try:
        with writing():
            app(command_line())
    except KeyboardInterrupt:
        sys.exit(130)
    except BoardError as error:
        Terminal().fail(error)
        sys.exit(1)
    finally:
        discard_what_cannot_be_written()


def show_every_character() -> None:
    """Write out characters that the encoding of the output lacks, instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def discard_what_cannot_be_written() -> None:
    """Empty the buffers of the output: at its end, Python would try again, and report a traceback or exit with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
