"""Requests to stop, from the keyboard, another program, or a terminal that closes.

A signal never interrupts work in progress. It takes effect at the next pause, so no started process is ever forgotten.
"""

import os
import select
import signal
import socket
import sys
from types import FrameType
from typing import Self


class StopRequested(Exception):
    """The user, or a program on the user's behalf, has asked for everything to stop."""


class Interruption:
    """Once entered, SIGINT, SIGTERM and SIGHUP are noticed only by pause(), until the process exits."""

    def __init__(self) -> None:
        self.heard, self.bell = socket.socketpair()
        self.signs = select.poll()
        self.signs.register(self.heard, select.POLLIN)

    def __enter__(self) -> Self:
        self.bell.setblocking(False)
        signal.set_wakeup_fd(self.bell.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, note)
        signal.signal(signal.SIGTERM, note)
        # nohup makes its program ignore SIGHUP, so that it continues without a terminal.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, note)
            self.watch_terminal()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)

    def pause(self, seconds: float) -> None:
        """Wait. Raises StopRequested as soon as a signal arrives or the terminal is gone, and in every later call."""
        if self.signs.poll(seconds * 1000):
            raise StopRequested

    def watch_terminal(self) -> None:
        # The kernel sends SIGHUP to the leader of the terminal's session. That is `make` if a remote or a new terminal
        # runs only this command, and make does not forward the signal to its recipe.
        if sys.platform == "linux":
            try:
                self.signs.register(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC), 0)
            except OSError:
                return  # there is no terminal


def note(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor has already recorded the signal."""
