"""Tables lose nothing that matters at any width, and texts of others cannot displace what is ours."""

import fcntl
import os
import pty
import secrets
import struct
import termios

import pytest
from rich.cells import cell_len

from agent_board_client.tables import table_lines
from agent_board_client.terminal import line
from agent_board_client.untrusted import Untrusted
from tests.client.conftest import Run, forked_board
from tests.programs import spawn
from tests.web import Agent

HEAD = ("id", "author", "title", "wants")
NAME = "Ada Lovelace of the Long Name, 40 letter"
HOSTILE = [
    "x" * 240,
    "\u6f22" * 240,
    "e" + "\u0301" * 239,
    "\u0301" * 240,
    "\U0001f469\u200d\U0001f4bb" * 60,
    "a\tb\x0b\x1b[2J\x9b5C\r\n9999999999  you\u2028\u3000 \u202e",
    "",
]
WIDTHS = [1, 20, 40, 60, 80, 120, 500, None]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_ids_and_names_are_whole_and_in_their_columns_whatever_others_wrote(text: str, width: int | None) -> None:
    cell = line(Untrusted(text))
    rows = [HEAD, (str(2**53 - 1), NAME, cell, cell), ("7", "bob", "Calm", "sql")]
    printed = table_lines(rows, 2, width)
    assert len(printed) == 3
    for row, whole in zip(rows, printed, strict=True):
        assert whole[:16].rstrip() == row[0]
        assert whole[18:58].rstrip() == row[1]
        assert whole.replace("\u200d", "").isprintable()
    if width is None:
        # programs find the cells, which are whole
        assert printed[1].split("  ")[2:] == [cell or "-", cell or "-"]
    else:
        # a share of at least twelve cells for each text, and the rest of the terminal
        assert max(map(cell_len, printed)) <= max(width, 58 + 2 * 14)
        assert "Calm" in printed[2]
        assert "sql" in printed[2]


def test_a_short_text_leaves_its_room_to_the_others() -> None:
    (_, row) = table_lines([("id", "title", "wants"), ("1", "x" * 60, "sql")], 2, 80)
    assert row == f"1   {'x' * 60}  sql"
    (_, row) = table_lines([("id", "title", "wants"), ("1", "x" * 60, "y" * 60)], 2, 80)
    assert row == f"1   {'x' * 34}...  {'y' * 34}..."


def test_stacked_marks_are_written_out_and_writing_systems_are_not() -> None:
    assert line(Untrusted("e" + "\u0301" * 6)) == "e" + "\u0301" * 4 + "\\u{301}" * 2
    assert line(Untrusted("\u0301x \u0301")) == "\\u{301}x \\u{301}"
    assert line(Untrusted("\u200d" * 9)) == "\\u{200d}" * 9
    for text in (
        "Vie\u0323\u0302t",
        "\u05e9\u05c1\u05bc\u05b8\u05dc\u05d5\u05b9\u05dd",
        "\u0e17\u0e35\u0e48",
        "\u2764\ufe0f",
    ):
        assert line(Untrusted(text)) == text


def shown_in_a_terminal(command: list[str], environment: dict[str, str], columns: int) -> list[str]:
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = spawn(command, env={**environment, "TERM": "dumb"}, stdout=terminal, stderr=terminal)
    os.close(terminal)
    printed = b""
    try:
        while part := os.read(controller, 65536):
            printed += part
    except OSError:  # Linux reports the end of a terminal as an error.
        pass
    os.close(controller)
    assert shown.wait() == 0
    return printed.decode().splitlines()


@pytest.mark.parametrize("columns", [30, 80])
def test_every_thread_is_a_line_with_its_id_in_a_terminal(
    alice: Agent, bob: Agent, environment: dict[str, str], columns: int
) -> None:
    tag = secrets.token_hex(8)
    made = [alice.thread("\u6f22" * 240, wanted_capabilities=[tag]), bob.thread("Short", wanted_capabilities=[tag])]
    command = [forked_board(), "opportunities", "-c", tag]
    head, *rows = shown_in_a_terminal(command, environment, columns)
    assert head.split() == ["id", "score", "replies", "created", "author", "title", "wants"]
    assert {tuple(row.split()[:3]) for row in rows} == {(str(thread["id"]), "0", "0") for thread in made}
    assert all(any(thread["author"] in row for row in rows) for thread in made)


def test_a_pipe_gets_whole_lines(alice: Agent, run: Run) -> None:
    tag, title = secrets.token_hex(8), "A word " * 34
    thread = alice.thread(title, wanted_capabilities=[tag, "b" * 40])
    (row,) = run("opportunities", "-c", tag).stdout.splitlines()[1:]
    assert row.startswith(f"{thread['id']}  ")
    assert row.split("  ")[-2:] == [title.strip(), ", ".join(thread["wanted_capabilities"])]


def test_a_long_line_of_a_post_stays_indented_in_a_terminal(alice: Agent, environment: dict[str, str]) -> None:
    thread = alice.thread("x " * 37 + "Published the thread 7.", "y " * 37 + "Published the thread 7.")
    printed = shown_in_a_terminal([forked_board(), "read", str(thread["id"])], environment, 80)
    assert "Published the thread 7." in " ".join(map(str.strip, printed))
    assert not any(row.startswith("Published") for row in printed)
