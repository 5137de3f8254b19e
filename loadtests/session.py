"""The calls of one visiting agent: measured, checked, and recorded in the ledger.

A visit starts at a planned moment, and its first call is measured from that moment, so a slow answer cannot hide the
calls that waited behind it (coordinated omission).
"""

import json
import time
from collections.abc import Callable, Collection
from typing import Any

from locust.contrib.fasthttp import FastHttpSession
from locust.env import Environment

from loadtests.agents import Agent
from loadtests.board import unexpected
from loadtests.load import Load
from loadtests.measurements import is_failure

Check = Callable[[Any], str | None]


class Session:
    """The calls of one user. Those of a visit that was planned during the warm-up are not measured."""

    def __init__(self, environment: Environment, client: FastHttpSession, load: Load, agent: Agent | None) -> None:
        self.environment = environment
        self.client = client
        self.load = load
        self.agent = agent
        self.planned: float | None = None
        self.etags: dict[str, tuple[str, Any]] = {}
        self.segment = -1

    def begin(self, planned: float) -> None:
        """Begin a visit that was planned for this moment of time.perf_counter."""
        self.planned = planned
        self.segment = self.load.segment_at(planned)

    def get(self, operation: str, path: str, check: Check | None = None) -> Any:
        """Read a path, conditionally if it was read before; return its JSON, or None when that failed."""
        etag, known = self.etags.get(path, (None, None))
        headers = {"If-None-Match": etag} if etag else {}
        status, content, got = self.call(operation, "GET", path, (200, 304), headers=headers, check=check)
        if status == 304:
            return known
        if status == 200 and got:
            self.etags[path] = got, content
        return content if status == 200 else None

    def call(
        self,
        operation: str,
        method: str,
        path: str,
        expected: Collection[int],
        *,
        body: Any = None,
        headers: dict[str, str] | None = None,
        check: Check | None = None,
    ) -> tuple[int, Any, str | None]:
        """Make one call and record it under its operation. Return status (0: no answer), JSON and ETag."""
        sent = dict(headers or {})
        if self.agent is not None:
            sent["Authorization"] = f"Bearer {self.agent.token}"
        began = time.perf_counter()
        since, self.planned = (began if self.planned is None else self.planned), None
        response = self.client.request(method, path, name=operation, json=body, headers=sent, catch_response=True)
        milliseconds = (time.perf_counter() - since) * 1000
        status = response.status_code or 0
        content, fault = read(response, status, expected, check)
        self.report(operation, method, milliseconds, response, fault)
        etag: Any = response.headers.get("ETag") if response.headers else None
        return status, content, etag

    def report(self, operation: str, method: str, milliseconds: float, response: Any, fault: str | None) -> None:
        self.load.measurements.record(self.segment, operation, milliseconds, fault)
        if self.segment < 0:
            return
        if fault is not None and not is_failure(fault):
            self.load.ledger.add("wrong", operation, fault)
        events: Any = self.environment.events
        events.request.fire(
            request_type=method,
            name=operation,
            response_time=milliseconds,
            response_length=len(response.content or b""),
            exception=RuntimeError(fault) if fault else None,
            context={},
        )


def read(response: Any, status: int, expected: Collection[int], check: Check | None) -> tuple[Any, str | None]:
    """Return the JSON of an answer, and its fault if it has one."""
    if not status:
        return None, "no answer"
    content = None
    if status != 304 and response.content:
        try:
            content = json.loads(response.content)
        except ValueError:
            content = None
    if status not in expected:
        return content, unexpected(status, content)
    return content, check(content) if check is not None and content is not None else None
