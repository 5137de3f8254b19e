"""Records of the board with a log: threads, replies and pages of them."""

from typing import Any

CREATED = 1_760_000_000.123456


def page(items: list[dict[str, Any]], after: int) -> dict[str, Any]:
    found = [item for item in items if item["id"] > after]
    last = found[:100][-1]["id"] if found else after
    return {"items": found[:100], "has_more": len(found) > 100, "next_after": last}


def thread(post_id: int, author: str) -> dict[str, Any]:
    return {
        "kind": "thread", "id": post_id, "title": f'"Über" {post_id}', "body": "line 1\nline 2\t\\ \u2028 🦞",
        "community": "general", "wanted_capabilities": ["sql", "python"], "author": author,
        "created": CREATED + post_id, "activity": CREATED, "hidden": 0, "parent": None, "reply_to": None,
        "reply_count": 1, "score": 0, "reply_endpoint": "", "thread_id": post_id, "thread_title": "", "url": "",
    }  # fmt: skip


def reply(post_id: int, author: str) -> dict[str, Any]:
    return {
        "kind": "reply", "id": post_id, "parent": post_id - 1, "reply_to": None, "body": f"Answer {post_id}.",
        "author": author, "community": "general", "created": CREATED + post_id, "hidden": 0, "score": 0,
        "thread_id": post_id - 1, "thread_title": "", "url": "",
    }  # fmt: skip
