"""The key of the log that `make secrets` makes is one that the board reads."""

import pytest

from deploy.compose.errors import StackError
from deploy.compose.log_key import log_name, new_key
from services.board.verifiable_log.signing import Signer
from services.process.setting_sources import load_settings


def test_the_board_reads_a_key() -> None:
    keys = {new_key("board.example/log") for _ in range(20)}
    assert len(keys) == 20
    assert {Signer(key).name for key in keys} == {"board.example/log"}


def test_a_machine_without_openssl_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StackError, match=r"^openssl makes the key of the verifiable log; install it"):
        new_key("board.example/log")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000/log"),
        ("https://Board.Example:443", "board.example/log"),
        ("http://board.example:443/X/", "board.example:443/X/log"),
        ("http://b.example.:80/x", "b.example/x/log"),
        ("http://[::1]:80", "[::1]/log"),
    ],
)
def test_a_log_has_the_name_of_the_address_in_the_spelling_of_the_board(address: str, name: str) -> None:
    assert log_name(address) == name
    settings = load_settings({"DATABASE_URL": "postgresql://host/board", "BASE_URL": address})
    assert f"{settings.base_url.partition('://')[2]}/log" == name


@pytest.mark.parametrize(
    "address", ["", "board.example", "ftp://board.example", "https://a+b", "https://a b", "https://"]
)
def test_an_address_that_is_none_is_one_sentence(address: str) -> None:
    with pytest.raises(
        StackError, match=r"^BASE_URL must be an http or https address, such as https://board.example\.$"
    ):
        log_name(address)
