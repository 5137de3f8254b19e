"""Tests read logs while processes write them."""

from pathlib import Path

from tests.lines import whole_lines


def test_a_line_that_is_half_written_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole, half = '{"a": "é\u2028"}\n'.encode() * 2, '{"é'.encode()[:-1]
    log.write_bytes(whole + half)
    assert whole_lines(log) == ['{"a": "é\u2028"}'] * 2
    log.write_bytes(half)
    assert whole_lines(log) == []
