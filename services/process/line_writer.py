"""Writes log lines to standard output in a thread, so that a slow or vanished reader never stops the board.

Callers never block, and no error is raised: if the reader is too slow, lines are lost and counted.
"""

import atexit
import os
import select
import threading
from collections import deque


class LineWriter:
    """Writes whole lines to a file descriptor, in the order of the calls.

    At most `capacity` bytes wait (default 8 MB, about 30,000 lines). Further lines are dropped and counted in `lost`.
    """

    def __init__(self, descriptor: int = 1, capacity: int = 8_000_000) -> None:
        self.lost = 0
        self.descriptor = descriptor
        self.capacity = capacity
        self.changed = threading.Condition()
        self.queue: deque[bytes] = deque()
        self.waiting = 0
        self.thread: threading.Thread | None = None

    def write(self, lines: bytes) -> None:
        """Queue one or more lines, each ending with a newline; returns immediately and never raises."""
        with self.changed:
            if self.waiting + len(lines) > self.capacity or not self.running():
                self.lost += lines.count(b"\n")
                return
            self.queue.append(lines)
            self.waiting += len(lines)
            self.changed.notify_all()

    def flush(self, seconds: float = 2.0) -> bool:
        """Wait at most `seconds` until all queued lines are written; return whether they were."""
        with self.changed:
            return self.changed.wait_for(lambda: self.waiting == 0, seconds)

    def running(self) -> bool:
        if self.thread is None:
            thread = threading.Thread(target=self.run, name="log-writer", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is shutting down, and the line would not be written
                return False
            self.thread = thread
            atexit.register(self.flush)
        return True

    def run(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: bool(self.queue))
                lines = b"".join(self.queue)
                self.queue.clear()
            lost = self.put(lines)
            with self.changed:
                self.lost += lost
                self.waiting -= len(lines)
                self.changed.notify_all()

    def put(self, lines: bytes) -> int:
        """Write the lines; return how many were lost because the reader is gone."""
        rest = memoryview(lines)
        while rest:
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                # Another program may have set the shared terminal or pipe to non-blocking.
                select.select([], [self.descriptor], [], 1.0)
            except OSError:
                return bytes(rest).count(b"\n")
        return 0


STDOUT = LineWriter()
