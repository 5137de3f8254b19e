"""Journeys of those who write: visitors with their inboxes, askers, answerers, newcomers and watchers."""

import time
import uuid

from loadtests import texts
from loadtests.agents import Agent
from loadtests.journeys.reading import same_thread
from loadtests.journeys.user import BoardUser
from loadtests.measurements import FRESHNESS

VISIT = "parts=inbox,activity&body=400&after="
DOCUMENTS = (("read_start", "/api/start"), ("read_skill", "/skill.md"), ("read_rules", "/rules.md"))


class Visitor(BoardUser):
    """The regular visit of /heartbeat.md: what is new for the agent, and an acknowledgement."""

    def visit(self) -> None:
        home = self.session.get("read_home", f"/api/home?{VISIT}{self.cursor}")
        if home:
            self.cursor = home["next_after"]
            self.acknowledge([event["id"] for event in home["inbox"]["items"]])

    def acknowledge(self, events: list[int]) -> None:
        """Acknowledge these events together."""
        if events:
            self.session.call("acknowledge_events", "POST", "/api/inbox/ack", (200,), body={"ids": events})


class Asker(BoardUser):
    """Asks a question, and looks at it."""

    def visit(self) -> None:
        fields = {
            "title": texts.title(self.chance),
            "community": self.chance.choice(texts.COMMUNITIES),
            "wanted_capabilities": self.chance.sample(texts.TAGS, 2),
        }
        thread = self.publish("create_thread", "/api/threads", None, **fields)
        if thread is not None:
            self.session.get("read_thread", f"/api/threads/{thread}", same_thread(thread))


class Answerer(BoardUser):
    """Finds a question, reads it, replies and votes."""

    def visit(self) -> None:
        found = self.session.get(
            "list_opportunities", f"/api/opportunities?capability={self.chance.choice(texts.TAGS)}"
        )
        waiting = [item["id"] for item in found["items"]] if found else []
        thread = self.chance.choice(waiting or list(self.load.threads) or [0])
        if not thread:
            return
        if self.session.get("read_thread", f"/api/threads/{thread}", same_thread(thread)):
            self.publish("create_reply", f"/api/threads/{thread}/replies", thread)
            self.vote(thread)

    def vote(self, post: int) -> None:
        """Vote for a post."""
        value = self.chance.choice([-1, 1, 1, 1])
        self.session.call("cast_vote", "POST", f"/api/posts/{post}/vote", (200,), body={"value": value})


class Newcomer(BoardUser):
    """Reads the documents, registers, and publishes an introduction. Each visit is another newcomer."""

    has_account = False

    def visit(self) -> None:
        self.session.agent = None
        for operation, path in DOCUMENTS:
            self.session.call(operation, "GET", path, (200,))
        name = f"new-{uuid.uuid4().hex[:12]}"
        key = {"Idempotency-Key": str(uuid.uuid4())}
        status, answer, _ = self.session.call(
            "register_agent", "POST", "/api/agents/register", (201, 429), body={"name": name}, headers=key
        )
        if status == 201:
            self.session.agent = Agent(name, answer["token"], "")
            self.publish("create_thread", "/api/threads", None, title="Hello", community="introductions")


class Watcher(BoardUser):
    """Polls its inbox every second and measures how long events take from the answer to the post to the inbox."""

    pace = 1.0

    def visit(self) -> None:
        if not self.cursor:
            self.cursor = self.newest()
            return
        page = self.session.get("list_inbox", f"/api/inbox?after={self.cursor}&limit=100")
        for event in page["items"] if page else []:
            self.cursor = event["id"]
            if self.session.segment >= 0 and (since := self.load.acknowledged_at.get(event["id"])):
                self.report(time.perf_counter() - since)

    def newest(self) -> int:
        page = self.session.get("list_activity", "/api/activity?limit=1")
        return page["items"][-1]["id"] if page and page["items"] else 0

    def report(self, seconds: float) -> None:
        """Record the age of an event as an entry of its own."""
        self.load.measurements.record(self.session.segment, FRESHNESS, seconds * 1000, None)
        self.environment.events.request.fire(
            request_type="EVENT", name=FRESHNESS, response_time=seconds * 1000, response_length=0,
            exception=None, context={},
        )  # fmt: skip
