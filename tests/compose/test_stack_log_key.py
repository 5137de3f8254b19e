"""The key of the log that `make secrets` makes is one that the board reads."""

import pytest

from deploy.compose.errors import StackError
from deploy.compose.log_key import new_key
from services.board.verifiable_log.signing import Signer


def test_the_board_reads_a_key() -> None:
    keys = {new_key("board.example/log") for _ in range(20)}
    assert len(keys) == 20
    assert {Signer(key).name for key in keys} == {"board.example/log"}


def test_a_machine_without_openssl_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StackError, match=r"^openssl makes the key of the verifiable log; install it"):
        new_key("board.example/log")
