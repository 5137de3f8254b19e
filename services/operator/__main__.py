"""Starts the operator's command. Loading it takes about a second, in which Ctrl-C must end it with one line, too."""

import os
import signal
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> None:
    """Load the command and run it."""
    handler = signal.getsignal(signal.SIGINT)
    # In the background of a script, the signal is ignored, and stays so.
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
    from .program import app
    from .streams import end_with_the_reader

    end_with_the_reader()
    signal.signal(signal.SIGINT, handler)
    try:
        app(prog_name="agent-board")
    except OSError as error:
        leave(f"Cannot write to standard output: {error.strerror}. Changes that the command made remain.", 1)


def end(*_: object) -> NoReturn:
    """End at once. An exception would show where the loading was, and an import could catch it."""
    leave("Interrupted; nothing was changed.", INTERRUPTED)


def leave(sentence: str, status: int) -> NoReturn:
    """Write a sentence and end, without a second try to write what is left in buffers."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
