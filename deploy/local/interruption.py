"""The wish to stop, from the keyboard, another program, or a terminal that goes away.

A signal never breaks into work under way: it is noticed at the next pause, so nothing started is ever lost from sight.
"""

import os
import select
import signal
import socket
import sys
from types import FrameType
from typing import Self


class StopRequested(Exception):
    """The person at the terminal, or who speaks for them, wants everything stopped."""


class Interruption:
    """From its beginning, SIGINT, SIGTERM and SIGHUP are heard by pause() alone, and are so until the process ends."""

    def __init__(self) -> None:
        self._heard, self._bell = socket.socketpair()
        self._signs = select.poll()
        self._signs.register(self._heard, select.POLLIN)

    def __enter__(self) -> Self:
        self._bell.setblocking(False)
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, _note)
        signal.signal(signal.SIGTERM, _note)
        # nohup ignores SIGHUP for its program, which is to go on without a terminal.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _note)
            self._watch_terminal()
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)

    def pause(self, seconds: float) -> None:
        """Wait. Raises StopRequested as soon as a signal has come or the terminal is gone, and in every later call."""
        if self._signs.poll(seconds * 1000):
            raise StopRequested

    def _watch_terminal(self) -> None:
        # The kernel sends SIGHUP to the leader of the terminal's session. That is `make` when a remote or a new
        # terminal runs nothing else, and make waits for its recipe to end without telling it.
        if sys.platform == "linux":
            try:
                self._signs.register(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC), 0)
            except OSError:
                return  # there is no terminal


def _note(_number: int, _frame: FrameType | None) -> None:
    """The wake-up descriptor has taken note already."""
