"""After the load: reads the board and compares it with everything that it had acknowledged."""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from loadtests.agents import Agent
from loadtests.board import Board
from loadtests.ledger import Ledger, digest

PAGE: Final = 100
INBOXES: Final = 50
# for all inboxes together; a machine that is busy with other work delivers late
SETTLE_SECONDS: Final = 60
VIOLATIONS: Final = (
    "acknowledged posts that are absent",
    "posts that exist twice",
    "gaps and repeats in the log",
    "posts beyond the limit",
    "events missing in inboxes",
    "events twice in inboxes",
)


@dataclass
class Findings:
    """The violations that were found, by kind: one sentence or id for each. `checked` counts what was compared."""

    violations: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in VIOLATIONS})
    checked: Counter[str] = field(default_factory=Counter)
    posts: int = 0

    def add(self, name: str, found: object) -> None:
        """Record one violation."""
        self.violations[name].append(str(found))


class Verification:
    """Compares a board with a ledger. `agents` are those whose inboxes may be read."""

    def __init__(self, board: Board, ledger: Ledger, agents: list[Agent]) -> None:
        self.board = board
        self.ledger = ledger
        self.agents = {agent.name: agent for agent in agents}
        self.findings = Findings()
        self.log: dict[int, dict[str, Any]] = {}

    async def check(self) -> Findings:
        """Make all comparisons. Raises InvalidRun when the board cannot be read."""
        posts = self.ledger["post"]
        self.findings.posts = len(posts)
        if posts:
            first, last = min(post[0] for post in posts), max(post[0] for post in posts)
            await self.read_log(first - 1, last)
            self.compare_posts()
            await self.count_in_windows()
            await self.compare_inboxes(first, last)
        return self.findings

    async def read_log(self, after: int, last: int) -> None:
        """Read the log from its cursor on, up to the newest acknowledged post."""
        while after < last:
            page = await self.board.get(f"/api/activity?after={after}&limit={PAGE}")
            ids = [item["id"] for item in page["items"]]
            if ids != list(range(after + 1, after + 1 + len(ids))):
                self.findings.add("gaps and repeats in the log", f"after {after}: {ids[:5]}")
            self.findings.checked["gaps and repeats in the log"] += len(ids)
            self.log.update({item["id"]: item for item in page["items"]})
            if not ids:
                return
            after = max(ids)

    def compare_posts(self) -> None:
        """Every acknowledged post is there as it was sent, and no text of ours is there twice."""
        self.findings.checked["acknowledged posts that are absent"] = len(self.ledger["post"])
        for post, author, sent, parent in self.ledger["post"]:
            found = self.log.get(post)
            if found is None or (found["author"], digest(found["body"]), found["parent"]) != (author, sent, parent):
                self.findings.add("acknowledged posts that are absent", post)
        ours = {sent for _, _, sent, _ in self.ledger["post"]} | {sent for _, sent in self.ledger["unknown"]}
        held = Counter(digest(item["body"]) for item in self.log.values())
        self.findings.checked["posts that exist twice"] = len(ours)
        for sent in ours:
            if held[sent] > 1:
                self.findings.add("posts that exist twice", sent)

    async def count_in_windows(self) -> None:
        """No agent has more posts than its limit within any window, by the times that the board gives."""
        quota, window = await self.board.posts_limit(next(iter(self.agents.values())).token)
        self.findings.checked["posts beyond the limit"] = len(self.log)
        times: defaultdict[str, list[float]] = defaultdict(list)
        for item in self.log.values():
            times[item["author"]].append(item["created"])
        for author, moments in times.items():
            moments.sort()
            for early, late in zip(moments, moments[quota:], strict=False):
                if late - early < window:
                    self.findings.add("posts beyond the limit", f"{author} at {late}")

    async def compare_inboxes(self, first: int, last: int) -> None:
        """Some agents have exactly the events of their subscriptions, each once."""
        deadline = time.monotonic() + SETTLE_SECONDS
        for agent in list(self.agents.values())[:: max(1, len(self.agents) // INBOXES)]:
            expected = {
                post
                for post, item in self.log.items()
                if post <= last
                and item["kind"] == "thread"
                and item["author"] != agent.name
                and item["community"] == agent.community
            }
            events = await self.settled_inbox(agent, first, last, expected, deadline)
            held = Counter(event["id"] for event in events)
            self.findings.checked["events missing in inboxes"] += len(expected)
            self.findings.checked["events twice in inboxes"] += len(events)
            for event in expected - held.keys():
                self.findings.add("events missing in inboxes", f"{agent.name}: {event}")
            for event in [event for event, count in held.items() if count > 1 or event not in expected]:
                self.findings.add("events twice in inboxes", f"{agent.name}: {event}")

    async def settled_inbox(
        self, agent: Agent, first: int, last: int, expected: set[int], deadline: float
    ) -> list[dict[str, Any]]:
        """Return the events of the run, once all expected ones are there or the deadline has passed."""
        while True:
            events = [event for event in await self.inbox(agent, first - 1) if event["id"] <= last]
            if expected <= {event["id"] for event in events} or time.monotonic() > deadline:
                return events
            await asyncio.sleep(1)

    async def inbox(self, agent: Agent, after: int) -> list[dict[str, Any]]:
        """Return all events of an agent after a cursor."""
        events: list[dict[str, Any]] = []
        while True:
            page = await self.board.get(f"/api/inbox?after={after}&limit={PAGE}", agent.token)
            events += page["items"]
            if not page["has_more"]:
                return events
            after = page["next_after"]
