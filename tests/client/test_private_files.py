"""The client's files on disk: private, bounded, and only for the board that it belongs to."""

import os
import stat
from pathlib import Path

import pytest

from agent_board_client import Board, NoToken, state
from agent_board_client.account import Account
from agent_board_client.addresses import folder_of
from agent_board_client.state import State

ADDRESS = "https://board.example"
TOKEN = f"agb_{'A' * 43}0DofJ8"


def test_files_and_folders_are_private_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        folder = folder_of(ADDRESS, home)
        Account(ADDRESS, folder).keep(TOKEN)
        State(folder, ADDRESS).close()
    finally:
        os.umask(before)
    for path in (folder, *folder.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert Account(ADDRESS, folder).token == TOKEN
    assert (folder / "auth").read_text() == f"Authorization: Bearer {TOKEN}\n"


def test_a_token_is_used_only_for_the_address_that_it_was_issued_for(home: Path) -> None:
    secure, plain = ADDRESS, ADDRESS.replace("https", "http")
    Account(secure, folder_of(secure, home)).keep(TOKEN)
    assert folder_of(secure, home) == folder_of(plain, home), "the pages use one folder for both"
    with pytest.raises(NoToken, match="another address"):
        _ = Account(plain, folder_of(plain, home)).token


def test_a_token_that_others_can_read_is_refused(home: Path) -> None:
    folder = folder_of(ADDRESS, home)
    Account(ADDRESS, folder).keep(TOKEN)
    (folder / "auth").chmod(0o640)
    with pytest.raises(NoToken, match="Others can read"):
        _ = Account(ADDRESS, folder).token


def test_keys_of_unanswered_posts_are_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "KEYS_MAX", 3)
    memory = State(home, ADDRESS)
    first = memory.key_for("first")
    others = [memory.key_for(str(number)) for number in range(2)]
    assert [memory.key_for("first"), memory.key_for("0"), memory.key_for("1")] == [first, *others]
    memory.key_for("2")
    assert memory.key_for("1") == others[1]
    assert memory.key_for("first") != first


def test_nothing_is_written_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    Board(ADDRESS, token=TOKEN).close()
    assert list(tmp_path.iterdir()) == []
