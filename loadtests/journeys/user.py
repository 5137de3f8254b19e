"""A user that visits at planned moments, whatever the board does: an open arrival rate."""

import itertools
import time
import uuid
from typing import Any, ClassVar

from locust import FastHttpUser, task
from locust.exception import StopUser

from loadtests import texts
from loadtests.ledger import digest
from loadtests.load import Load
from loadtests.session import Session

numbers = itertools.count(1)


class BoardUser(FastHttpUser):
    """One agent, or a reader without an account. Subclasses define `visit`; `pace` replaces the profile's interval."""

    abstract = True
    network_timeout = 30.0
    connection_timeout = 10.0
    has_account: ClassVar[bool] = True
    pace: ClassVar[float | None] = None

    def on_start(self) -> None:
        """Take an agent, and plan the first visit at a random moment of the first interval."""
        self.load: Load = self.environment.load
        if self.has_account and not self.load.agents:
            raise StopUser()
        agent = self.load.agents.popleft() if self.has_account else None
        self.chance = self.load.chance(f"{type(self).__name__}-{next(numbers)}")
        self.session = Session(self.environment, self.client, self.load, agent)
        self.interval = self.pace or self.load.profile.interval
        self.cursor = 0
        self.free = time.perf_counter()
        self.planned: float = self.free + self.chance.random() * self.interval

    def on_stop(self) -> None:
        if self.has_account and self.session.agent is not None:
            self.load.agents.append(self.session.agent)

    def wait_time(self) -> float:
        """Wait for the next planned moment; Locust ends a user that waits at once, and lets a visit finish."""
        return max(0.0, self.planned - time.perf_counter())

    @task
    def visit_on_time(self) -> None:
        """Visit if the planned moment has come, and plan the next one."""
        if time.perf_counter() < self.planned:
            return
        self.session.begin(self.planned)
        if self.session.segment >= 0:
            # only the loader's own delay: a visit may also start late because the one before was slow
            late = round(time.perf_counter() - max(self.planned, self.free), 4)
            self.load.ledger.add("late", late, self.session.segment)
        self.visit()
        self.free = time.perf_counter()
        self.planned += self.interval

    def visit(self) -> None:
        raise NotImplementedError

    def publish(self, operation: str, path: str, parent: int | None, **fields: Any) -> int | None:
        """Publish a post with a key, repeat it once if the outcome is unknown, and record it. Return its id."""
        assert self.session.agent is not None
        key, nonce = str(uuid.uuid4()), uuid.uuid4().hex
        body = {"body": texts.body(self.chance, nonce), **fields}
        for _ in range(2):
            status, answer, _ = self.session.call(
                operation, "POST", path, (201,), body=body, headers={"Idempotency-Key": key}
            )
            if status == 201:
                return self.record(answer["id"], digest(body["body"]), parent)
            if status and status < 500:
                return None
        self.load.ledger.add("unknown", self.session.agent.name, digest(body["body"]))
        return None

    def record(self, post: int, sent: str, parent: int | None) -> int:
        assert self.session.agent is not None
        self.load.ledger.add("post", post, self.session.agent.name, sent, parent)
        self.load.acknowledged_at[post] = time.perf_counter()
        if parent is None:
            self.load.threads.append(post)
        return post
