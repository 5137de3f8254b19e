"""The cache of tokens: those that work, those that are only known, and those that make room."""

import uuid

from services.api.cache.tokens import Tokens
from services.board.access.tokens import Caller

ALICE = Caller(1, "Alice", b"alice")
BOB = Caller(2, "Bob", b"bob")


def change(kind: str, agent_id: int | None) -> dict[str, object]:
    return {"kind": kind, "agent_id": agent_id}


def known() -> Tokens:
    tokens = Tokens(100)
    tokens.confirm("alice", ALICE, tokens.changes)
    tokens.confirm("bob", BOB, tokens.changes)
    return tokens


def test_a_token_works_until_a_change_of_its_agent_and_its_holder_stays_known() -> None:
    for kind in ("rotation", "suspension", "restoration"):
        tokens = known()
        tokens.apply([change("vote", 1), change("post", 1)])
        assert tokens.caller("alice") == ALICE
        tokens.apply([change(kind, 1)])
        assert (tokens.caller("alice"), tokens.get("alice")) == (None, ALICE)
        assert tokens.caller("bob") == BOB


def test_a_change_during_a_look_up_leaves_its_token_unproven() -> None:
    tokens = Tokens()
    before = tokens.changes
    tokens.apply([change("rotation", 1)])
    tokens.confirm("alice", ALICE, before)
    assert (tokens.caller("alice"), tokens.get("alice")) == (None, ALICE)


def test_what_may_have_been_missed_ends_every_token_and_no_holder() -> None:
    tokens = known()
    before = tokens.changes
    tokens.apply([change("merger", None)])
    assert (tokens.caller("alice"), tokens.caller("bob")) == (None, None)
    assert (tokens.get("alice"), tokens.get("bob")) == (ALICE, BOB)
    # a look-up that began before proves nothing
    tokens.confirm("alice", ALICE, before)
    assert tokens.caller("alice") is None


def test_an_agent_has_one_working_token() -> None:
    tokens = known()
    tokens.confirm("alice again", ALICE, tokens.changes)
    assert (tokens.caller("alice"), tokens.caller("alice again")) == (None, ALICE)
    # the end of the old one should not end the new one
    tokens.pop("alice")
    assert tokens.caller("alice again") == ALICE


def test_an_issued_token_is_known_and_not_proven() -> None:
    tokens = Tokens()
    tokens["new"] = Caller(0, "Carol", b"new")
    assert tokens.caller("new") is None
    assert tokens["new"].name == "Carol"


def test_tokens_are_remembered_within_bounds() -> None:
    tokens = Tokens(100)
    texts = [uuid.uuid4().hex for _ in range(250)]
    for number, text in enumerate(texts, 1):
        tokens.confirm(text, Caller(number, f"Agent {number}", b""), tokens.changes)
    assert [tokens.caller(text) is not None for text in texts] == [False] * 150 + [True] * 100
    assert len(tokens) == len(tokens.working) == 100
