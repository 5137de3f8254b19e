"""After the load: reads the board and compares it with everything that it had acknowledged."""

import asyncio
import hashlib
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from loadtests.agents import Agent
from loadtests.board import Board
from loadtests.errors import InvalidRun
from loadtests.ledger import Ledger, digest

PAGE: Final = 100
RECEIPTS: Final = 50
INBOXES: Final = 50
# twice the objective for inboxes, for all inboxes together
SETTLE_SECONDS: Final = 20
VIOLATIONS: Final = (
    "acknowledged posts that are absent",
    "posts that exist twice",
    "gaps and repeats in the log",
    "posts beyond the limit",
    "votes that do not add up",
    "events missing in inboxes",
    "events twice in inboxes",
    "acknowledgements lost",
    "receipts that do not match",
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
            await self.compare_receipts()
            await self.compare_votes()
            await self.compare_inboxes(first, last)
        await self.compare_acknowledgements()
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

    async def compare_receipts(self) -> None:
        """The digests of some posts are those of their canonical text."""
        for post in [entry[0] for entry in self.ledger["post"]][:: max(1, len(self.ledger["post"]) // RECEIPTS)]:
            self.findings.checked["receipts that do not match"] += 1
            status, receipt = await self.board.call("GET", f"/api/posts/{post}/receipt")
            if status != 200 or hashlib.sha256(receipt["canonical"].encode()).hexdigest() != receipt["sha256"]:
                self.findings.add("receipts that do not match", post)

    async def compare_votes(self) -> None:
        """The score of a thread of this run is the sum of the last votes that were acknowledged."""
        votes: dict[tuple[str, int], int] = {(agent, post): value for agent, post, value in self.ledger["vote"]}
        unsure = {post for _, post in self.ledger["unknown_vote"]}
        sums: Counter[int] = Counter()
        for (_, post), value in votes.items():
            if post in self.log and post not in unsure:
                sums[post] += value
        for post, expected in list(sums.items())[:RECEIPTS]:
            self.findings.checked["votes that do not add up"] += 1
            score = (await self.board.get(f"/api/threads/{post}"))["thread"]["score"]
            if score != expected:
                self.findings.add("votes that do not add up", f"{post}: {score} instead of {expected}")

    async def compare_inboxes(self, first: int, last: int) -> None:
        """Some agents have exactly the events of their subscriptions, each once."""
        deadline = time.monotonic() + SETTLE_SECONDS
        for agent in list(self.agents.values())[:: max(1, len(self.agents) // INBOXES)]:
            expected = {
                post
                for post, item in self.log.items()
                if item["kind"] == "thread"
                and item["author"] != agent.name
                and ["community", item["community"]] in agent.subscriptions
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

    async def compare_acknowledgements(self) -> None:
        """Events that were acknowledged are shown as acknowledged."""
        by_agent: defaultdict[str, set[int]] = defaultdict(set)
        for name, event in self.ledger["acknowledged"]:
            by_agent[name].add(event)
        for name, events in list(by_agent.items())[:INBOXES]:
            agent = self.agents.get(name)
            if agent is None:
                raise InvalidRun(f"The ledger names {name}, which is none of the run's agents.")
            held = {event["id"]: event["acked"] for event in await self.inbox(agent, min(events) - 1)}
            self.findings.checked["acknowledgements lost"] += len(events)
            for event in events:
                if not held.get(event):
                    self.findings.add("acknowledgements lost", f"{name}: {event}")
