"""Starts the operator's command. Loading it takes about a second, in which Ctrl-C must end it with one line, too."""

import gc
import io
import os
import signal
import sys
from typing import Any, NoReturn

INTERRUPTED = 130
INCOMPLETE = 3


def main() -> None:
    """Load the command and run it."""
    handler = signal.getsignal(signal.SIGINT)
    # In the background of a script, the signal is ignored, and stays so.
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
    if os.getpid() == 1:
        # The kernel drops signals for the first process of a container until it has a handler.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
    app = loaded()
    from .streams import end_with_the_reader

    write_utf_8()
    end_with_the_reader()
    signal.signal(signal.SIGINT, handler)
    try:
        app(prog_name="agent-board")
    except OSError as error:
        leave(f"Cannot write to standard output: {error.strerror}. Changes that the command made remain.", INCOMPLETE)


def loaded() -> Any:
    """Load the command. Loading leaves no garbage, so Python does not look for it, neither now nor when it ends."""
    gc.disable()
    from .program import app

    gc.freeze()
    gc.enable()
    return app


def write_utf_8() -> None:
    """Write UTF-8 whatever the locale: a name that it lacks must not end a command that has changed the board."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


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
