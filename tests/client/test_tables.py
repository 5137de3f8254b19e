"""Tables lose nothing that matters at any width, and texts of others cannot displace what is ours."""

import pytest
from rich.cells import cell_len

from agent_board_client.tables import table_lines
from agent_board_client.terminal import line
from agent_board_client.untrusted import Untrusted

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
