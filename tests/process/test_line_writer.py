"""The writer of log lines: order, no waiting, no exception, and a correct count of lost lines."""

import os
import select
import subprocess
import sys
import threading
import time

from services.process.line_writer import LineWriter


def read(descriptor: int, size: int) -> bytes:
    """Return this many bytes, or fewer if nothing has arrived for five seconds."""
    found = b""
    while len(found) < size and select.select([descriptor], [], [], 5)[0]:
        found += os.read(descriptor, 65_536)
    return found


def test_lines_come_out_whole_and_in_order() -> None:
    reader, writer = os.pipe()
    lines = LineWriter(writer)
    for number in range(200):
        lines.write(b"line %d\n" % number)
    expected = b"".join(b"line %d\n" % number for number in range(200))
    assert read(reader, len(expected)) == expected
    assert lines.flush(5)
    assert lines.lost == 0
    os.close(reader)
    os.close(writer)


def test_a_reader_that_stands_still_never_makes_the_caller_wait() -> None:
    reader, writer = os.pipe()
    lines = LineWriter(writer, capacity=1_000_000)

    def write_much() -> None:
        for _ in range(40):
            lines.write(b"x" * 99_999 + b"\n")

    caller = threading.Thread(target=write_much, daemon=True)
    caller.start()
    caller.join(1)
    assert not caller.is_alive()
    # It should keep the lines that fit, count the others, and report that not all are written.
    assert 30 <= lines.lost <= 31
    assert not lines.flush(0.05)
    kept = (40 - lines.lost) * 100_000
    assert len(read(reader, kept)) == kept
    assert lines.flush(5)
    os.close(reader)
    os.close(writer)


def test_a_reader_that_is_gone_costs_lines_but_no_exception() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    lines = LineWriter(writer)
    lines.write(b"one\ntwo\n")
    assert lines.flush(5)
    lines.write(b"three\n")
    assert lines.flush(5)
    assert lines.lost == 3
    os.close(writer)


def test_a_pipe_made_non_blocking_by_another_program_loses_nothing() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    lines = LineWriter(writer)
    lines.write(b"y" * 499_999 + b"\n")
    time.sleep(0.05)  # let the pipe fill, so that the writer meets a full one
    assert len(read(reader, 500_000)) == 500_000
    assert lines.flush(5)
    assert lines.lost == 0
    os.close(reader)
    os.close(writer)


def test_lines_written_just_before_the_end_are_not_lost() -> None:
    program = "from services.process.line_writer import STDOUT\nfor n in range(1000): STDOUT.write(b'%d\\n' % n)\n"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20, check=True)
    assert ended.stdout.split() == [b"%d" % n for n in range(1000)]
    assert ended.stderr == b""
