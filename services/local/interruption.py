"""Requests to stop, from the keyboard, another program, or a terminal that closes.

A signal never interrupts work in progress. It takes effect at the next pause, so no started process is ever forgotten.
"""

import os
import select
import signal
from contextlib import suppress


class StopRequested(Exception):
    """The user, or a program on the user's behalf, has asked for everything to stop."""


class Interruption:
    """From now on, SIGINT, SIGTERM and SIGHUP are noticed only by pause(), until the process exits."""

    def __init__(self) -> None:
        self.asked = False
        self.terminal = select.poll()
        signal.signal(signal.SIGINT, self.ask)
        signal.signal(signal.SIGTERM, self.ask)
        # nohup makes its program ignore SIGHUP, so that it continues without a terminal.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self.ask)
            # The kernel sends it to the leader of the terminal's session. That is `make` if a remote or a new terminal
            # runs only this command, and make does not forward the signal to its recipe.
            with suppress(OSError):  # there is no terminal
                self.terminal.register(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC), 0)

    def ask(self, *_: object) -> None:
        self.asked = True

    def pause(self, seconds: float) -> None:
        """Wait. Raises StopRequested once a signal has arrived or the terminal is gone, and in every later call."""
        if self.terminal.poll(seconds * 1000) or self.asked:
            raise StopRequested
