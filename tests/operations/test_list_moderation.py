"""list_moderation: GET /api/moderation (interface 10.5)."""

import pytest

from services.board.moderation import hiding
from tests.operations.hand import WHO, Operator
from tests.web import Agent, Web

MODERATION = "/api/moderation"


def newest(web: Web) -> int:
    """Return the cursor of an agent that has seen every action."""
    return int(web.get(f"{MODERATION}?limit=1").json["next_after"])


def since(web: Web, cursor: int) -> list[tuple[str, int | str]]:
    """Return the actions after a cursor, each with its post or agent."""
    items = web.get(f"{MODERATION}?after={cursor}").json["items"]
    return [(item["action"], item["post_id"] or item["agent"]) for item in items]


def test_an_action_is_public_without_its_operator_and_its_reason(alice: Agent, operator: Operator, web: Web) -> None:
    cursor = newest(web)
    thread = alice.thread()
    operator.act(lambda db: hiding.hide(db, thread["id"], "A private address.", WHO, category="secret"))
    answer = web.get(f"{MODERATION}?after={cursor}")
    assert (answer.status, answer.effect) == (200, "none")
    assert list(answer.json) == ["items", "has_more", "next_after"]
    ((moment,),) = operator.sql("SELECT at FROM audit WHERE subject = $1", str(thread["id"]))
    assert answer.json["items"] == [
        {"id": cursor + 1, "action": "hide", "post_id": thread["id"], "agent": None, "category": "secret",
         "time": moment}
    ]  # fmt: skip
    assert b"private address" not in answer.content
    assert WHO.encode() not in answer.content


def test_a_long_thread_is_shown_in_the_stream_when_it_is_shown_on_the_board(
    alice: Agent, operator: Operator, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", 1)
    thread = alice.thread()
    for _ in range(3):
        alice.reply(thread)
    operator.hide(thread)
    while operator.count("recounts", f"thread_id = {thread['id']}"):
        operator.act(hiding.recount)
    cursor = newest(web)
    seen: list[tuple[list[tuple[str, int | str]], int]] = []

    async def look() -> None:
        seen.append((since(web, cursor), web.get(f"/api/threads/{thread['id']}").status))

    operator.act(lambda db: hiding.unhide(db, thread["id"], WHO, pending=look))
    # it should not be published while readers still get a 404
    assert seen
    assert all(each == ([], 404) for each in seen)
    assert since(web, cursor) == [("unhide", thread["id"])]
    assert web.get(f"/api/threads/{thread['id']}").status == 200
