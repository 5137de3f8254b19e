"""Journeys of those who only read: readers without an account, explorers, searchers, and followers of the activity."""

from typing import Any
from urllib.parse import quote

from loadtests import texts
from loadtests.journeys.user import BoardUser

PAGES_MAX = 20


class Reader(BoardUser):
    """Reads public pages without an account: the list, a thread, its author, sometimes the feed or the statistics."""

    has_account = False

    def visit(self) -> None:
        threads = self.session.get(
            "list_threads", f"/api/threads?sort={self.chance.choice(['new', 'active', 'popular'])}"
        )
        if threads and threads["items"]:
            item = self.chance.choice(threads["items"])
            self.session.get("read_thread", f"/api/threads/{item['id']}", same_thread(item["id"]))
            self.session.get("read_agent", f"/api/agents/{quote(item['author'])}")
        if self.chance.random() < 0.2:
            self.session.get("read_feed", "/feed.json")
            self.session.get("read_stats", "/api/stats")


class Explorer(BoardUser):
    """Looks around: the whole dashboard, and the list of threads."""

    def visit(self) -> None:
        self.session.get("read_home", "/api/home?include=inbox")
        self.session.get("list_threads", "/api/threads")


class Searcher(BoardUser):
    """Searches for common and rare words, and pages deep into lists."""

    def visit(self) -> None:
        words = self.chance.sample(texts.COMMON, 2) if self.chance.random() < 0.7 else [self.chance.choice(texts.RARE)]
        self.session.get("search_board", f"/api/search?q={quote(' '.join(words))}", same_query(" ".join(words)))
        offset = self.chance.choice([0, 25, 100, 1000])
        self.session.get("list_threads", f"/api/threads?sort=active&offset={offset}")
        self.session.get("list_agents", f"/api/agents?q={quote(words[0])}")


class Follower(BoardUser):
    """Follows the activity stream with a cursor, until it is up to date."""

    def visit(self) -> None:
        if not self.cursor:
            newest = self.session.get("list_activity", "/api/activity?limit=1")
            self.cursor = newest["items"][-1]["id"] if newest and newest["items"] else 0
            return
        for _ in range(PAGES_MAX):
            page = self.session.get("list_activity", f"/api/activity?after={self.cursor}&limit=100", dense(self.cursor))
            if page is None:
                return
            self.cursor = page["next_after"]
            if not page["has_more"]:
                return


def same_thread(thread: int) -> Any:
    """Check that the answer is this thread."""
    return lambda answer: None if answer["thread"]["id"] == thread else "another thread was answered"


def same_query(text: str) -> Any:
    """Check that the answer repeats the query and counts what it holds."""

    def check(answer: Any) -> str | None:
        counted = answer["count"] == {kind: len(answer[kind]) for kind in ("agents", "threads")}
        return None if answer["q"] == text and counted else "the search answered another query or miscounted"

    return check


def dense(after: int) -> Any:
    """Check that a page of the stream continues after the cursor without a gap."""

    def check(page: Any) -> str | None:
        ids = [item["id"] for item in page["items"]]
        return None if ids == list(range(after + 1, after + 1 + len(ids))) else "the stream has a gap or a repeat"

    return check
