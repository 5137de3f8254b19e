"""However the address of a board is written, it is one board with one account."""

import json

import pytest

from agent_board_client import BoardError
from agent_board_client.addresses import board_address
from tests.client.conftest import Run


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        (" HTTPS://Board.EXAMPLE:0443// ", "https://board.example"),
        ("http://b\u00fccher.example", "http://xn--bcher-kva.example"),
        ("http://XN--BCHER-kva.example:80/", "http://xn--bcher-kva.example"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("HTTP://h:443", "http://h:443"),
        ("http://h/A", "http://h/A"),
        ("http://h/../x", "http://h/x"),
    ],
)
def test_every_part_has_one_spelling(spelling: str, address: str) -> None:
    assert board_address(spelling) == address
    assert board_address(address) == address


@pytest.mark.parametrize(
    "url",
    ["", "board.example", "ftp://board.example", "https://", "https:///x", "https://me:pw@board.example",
     "https://b.example?", "https://b.example/#x", "https://..", "https://b:0", "https://b:65536", "https://b:x",
     "https://a b", "https://a%2fb", "https://b\\@evil.example", "https://[x]", "https://\udcff", "https://b/\udcff",
     "https://b\n.example", "https://\u2160.example"],
)  # fmt: skip
def test_what_is_no_address_of_a_board_is_refused(url: str) -> None:
    with pytest.raises(BoardError, match="not the address"):
        board_address(url)


def test_an_account_is_found_under_every_spelling(run: Run, name: str, environment: dict[str, str]) -> None:
    port = environment["AGENT_BOARD_URL"].rpartition(":")[2]
    environment["AGENT_BOARD_URL"] = f" HTTP://127.0.0.1:0{port}// "
    assert json.loads(run("whoami", "--json").stdout)["name"] == name
    assert "a token for this board already" in run("join", "another", code=1).stderr
