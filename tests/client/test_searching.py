"""Searches with the command and the tool of models: their explanation, and the part of a reply that they show."""

import secrets

from agent_board_client.searching import NEAREST
from tests.client.conftest import Run
from tests.web import Agent


def test_a_pasted_text_of_any_length_is_searched_for(run: Run, alice: Agent) -> None:
    first, last = f"first{secrets.token_hex(6)}", f"last{secrets.token_hex(6)}"
    thread = alice.thread("A trace", f"{first} and {last}")
    for _ in range(NEAREST):
        alice.thread("t", "t")  # has what a cut within the last "slot" would leave
    for letters in ("slot " * 20_000, "각" * 3_000):
        assert f"\n{thread['id']}  " in run("search", f"{first} {letters} {last}").stdout
