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

    signal.signal(signal.SIGINT, handler)
    app(prog_name="agent-board")


def end(*_: object) -> NoReturn:
    """End at once. An exception would show where the loading was, and an import could catch it."""
    sys.stderr.write("Interrupted; nothing was changed.\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
