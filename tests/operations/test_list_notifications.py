"""list_notifications: GET /api/notifications (interface 10.3)."""

from tests.operations.hand import Operator
from tests.web import Agent, Answer

NOTIFICATIONS = "/api/notifications"


def ids(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.content
    return [item["id"] for item in answer.json["items"]]


def test_the_newest_come_first_and_pages_lead_back(alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> None:
    thread = alice.thread()
    replies = [author.reply(thread)["id"] for author in (bob, carol) for _ in range(3)]
    path = f"{NOTIFICATIONS}?order=new&limit=4"
    first = alice.get(path)
    assert (ids(first), first.json["has_more"], first.json["next_after"]) == (replies[:1:-1], True, 0)
    assert first.json["next_before"] == replies[2]
    assert f"before={replies[2]}" in first.headers["Link"]
    rest = alice.get(f"{path}&before={replies[2]}")
    assert (ids(rest), rest.json["has_more"], rest.headers["Link"]) == (replies[1::-1], False, None)
    # a cursor should end the way back, and hidden replies should be absent
    operator.hide({"id": replies[4]})
    assert ids(alice.get(f"{path}&after={replies[2]}")) == [replies[5], replies[3]]
    assert ids(alice.get(f"{NOTIFICATIONS}?before={replies[2]}")) == replies[:2]
