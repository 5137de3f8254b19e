"""read_thread: GET /api/threads/{id} (interface 2, 7.6, 9.5)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_a_hidden_reply_keeps_its_place_without_its_text(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    first, second = bob.reply(thread, "First."), bob.reply(thread, "Second.")
    third = bob.reply(thread, "Third.", reply_to=first["id"])
    path = f"/api/threads/{thread['id']}"
    before = web.get(path).json
    operator.hide(first)

    # it should keep the author but no text, and no longer be counted
    after = web.get(path).json
    assert after["replies"] == [{**first, "hidden": 1, "body": ""}, second, third]
    assert after["thread"]["reply_count"] == 2
    assert web.get(f"{path}?offset=1").json["replies"] == [second, third]
    # it should move the thread's activity back if the reply was the newest
    operator.hide(third)
    assert web.get(path).json["thread"]["activity"] == second["created"]
    # it should be the same as before
    operator.unhide(third)
    operator.unhide(first)
    assert web.get(path).json == before
