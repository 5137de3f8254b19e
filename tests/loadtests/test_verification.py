"""After a load, each difference between the board and its acknowledgements is found."""

import re
from typing import Any

import pytest

from loadtests import verification
from loadtests.agents import Agent
from loadtests.ledger import Ledger, digest
from loadtests.verification import Verification

ADA = Agent("ada", "", "general")
Items = list[dict[str, Any]]


class StoredBoard:
    """A board with these posts and this inbox, on which an agent may publish two posts in a minute."""

    def __init__(self, log: Items, inbox: Items) -> None:
        self.log = log
        self.inbox = inbox

    async def get(self, path: str, token: str | None = None) -> Any:
        after = int(re.findall(r"after=(\d+)", path)[0])
        items = self.log if path.startswith("/api/activity") else self.inbox
        return {"items": [item for item in items if item["id"] > after], "has_more": False, "next_after": after}

    async def posts_limit(self, token: str) -> tuple[int, float]:
        return 2, 60.0


def post(number: int, body: str = "", created: float = 0.0) -> dict[str, Any]:
    return {
        "id": number, "author": "bob", "body": body or f"text {number}", "parent": None, "kind": "thread",
        "community": "general", "created": created or 100.0 * number,
    }  # fmt: skip


POSTS = [post(number) for number in (1, 2, 3, 4)]
ABSENT = "acknowledged posts that are absent"


@pytest.mark.parametrize(
    ("log", "inbox", "found"),
    [
        (POSTS, POSTS, set()),
        ([*POSTS, post(5)], [*POSTS, post(5)], set()),
        (POSTS[:3], POSTS, {ABSENT, "events twice in inboxes"}),
        ([*POSTS[:3], post(4, "another text")], POSTS, {ABSENT}),
        ([*POSTS[:2], post(3, "text 2"), POSTS[3]], POSTS, {ABSENT, "posts that exist twice"}),
        ([POSTS[0], *POSTS[2:]], [POSTS[0], *POSTS[2:]], {ABSENT, "gaps and repeats in the log"}),
        ([post(number, created=100.0 + number) for number in (1, 2, 3, 4)], POSTS, {"posts beyond the limit"}),
        (POSTS, POSTS[1:], {"events missing in inboxes"}),
        (POSTS, [*POSTS, POSTS[3]], {"events twice in inboxes"}),
    ],
)
async def test_a_difference_is_found(
    log: Items, inbox: Items, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "SETTLE_SECONDS", 0)
    ledger = Ledger()
    for each in POSTS:
        ledger.add("post", each["id"], "bob", digest(each["body"]), None)
    board: Any = StoredBoard(log, inbox)
    findings = await Verification(board, ledger, [ADA]).check()
    assert {name for name, several in findings.violations.items() if several} == found
    assert findings.posts == len(POSTS)
