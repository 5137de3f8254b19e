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
        self._heard, self._bell = socket.socketpair()
        self._signs = select.poll()
        self._signs.register(self._heard, select.POLLIN)

    def __enter__(self) -> Self:
        self._bell.setblocking(False)
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, _note)
        signal.signal(signal.SIGTERM, _note)
        # nohup makes its program ignore SIGHUP, so that it continues without a terminal.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _note)
            self._watch_terminal()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)

    def pause(self, seconds: float) -> None:
        """Wait. Raises StopRequested as soon as a signal arrives or the terminal is gone, and in every later call."""
        if self._signs.poll(seconds * 1000):
            raise StopRequested

    def _watch_terminal(self) -> None:
        # The kernel sends SIGHUP to the leader of the terminal's session. That is `make` if a remote or a new terminal
        # runs only this command, and make does not forward the signal to its recipe.
        if sys.platform == "linux":
            try:
                self._signs.register(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC), 0)
            except OSError:
                return  # there is no terminal


def _note(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor has already recorded the signal."""
