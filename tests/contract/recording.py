"""The conversation whose calls and answers are the examples of /openapi.json: `make contract` records it.

It needs an empty board, so that ids are the same at every recording.
"""

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import msgspec

from services.board.database.migrations import migrate
from services.contract.examples import RECORDED, RECORDED_URL, Example
from services.contract.operation import GET, Operation
from services.contract.operations import INTERFACE, NAMED
from services.local.postgresql import PostgreSQL
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Answer, Web

# Members that differ between two recordings: times, secrets, digests and the release.
CHANGING = {"created", "activity", "token_created", "rotated_at", "paused_at", "acked_at", "as_of", "generated", "time",
            "timestamp", "date_published", "date_modified", "canonical", "sha256", "digest", "token", "request_id",
            "instance", "retry_after", "release", "proof", "checkpoint"}  # fmt: skip
# The name in the quickstart's sample, which is free.
FREE_NAME = re.compile(r"newcomer-\d+")
# The objects of the conversation: a thread, a subscription and an event.
PLACES = {"id": 1, "event_id": 2, "name": "ada"}
# The description itself, files, and the call after which the token is another.
NOT_WITH_THE_REST = ("read_openapi", "read_client", "read_log_entries", "read_log_tile", "rotate_token")


class Recorder:
    """Makes calls of a board and keeps each with its answer, by the name of the operation."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.found: dict[str, Example] = {}

    def call(self, name: str, /, *, token: str | None = None, **path: Any) -> Any:
        """Make the call of an operation with its example, keep it, and return its answer."""
        operation = NAMED[name]
        sent = dict(operation.example)
        target = operation.path.format(**PLACES | path)
        body = sent if operation.body is not None else None
        if operation.query is not None and sent:
            target += f"?{urlencode(sent)}"
        answer = self.web.call(operation.method, target, body, token=token)
        assert answer.status in (operation.status, operation.existing), answer.content
        return self.keep(name, operation, target, body, answer)

    def call_the_rest(self, method_is_get: bool, token: str) -> None:
        """Call the reads, or the writes, that were not called yet."""
        for operation in INTERFACE:
            if (operation.method == GET) == method_is_get and operation.name not in {*self.found, *NOT_WITH_THE_REST}:
                needed = token if operation.effect.needs_token else None
                about_posts = {"id": 2} if operation.path.startswith("/api/posts/") else {}
                self.call(operation.name, token=needed, **about_posts)

    def refused(self, status: int, name: str, body: Any = None, /, token: str | None = None, **path: Any) -> None:
        """Make a call that is refused, and keep it under its status."""
        operation = NAMED[name]
        target = operation.path.format(**path)
        answer = self.web.call(operation.method, target, body, token=token)
        assert answer.status == status, answer.content
        self.keep(str(status), operation, target, body, answer)

    def keep(self, key: str, operation: Operation, target: str, body: Any, answer: Answer) -> Any:
        text = answer.content.decode().replace(self.web.url, RECORDED_URL)
        content = msgspec.json.decode(text) if "json" in answer.headers["Content-Type"] else text.split("\n")[0] + "\n"
        cut = first_items(content)
        self.found[key] = Example(operation.name, operation.method, target, answer.status, cut, body)
        return content


def first_items(value: Any) -> Any:
    """Return an answer with its lists cut to their first items."""
    if isinstance(value, dict):
        return {name: first_items(member) for name, member in value.items()}
    return [first_items(item) for item in value[:1]] if isinstance(value, list) else value


def converse(web: Web, operator: Operator) -> dict[str, Example]:
    """Make one call of every operation on an empty board, and return all of them.

    Ada asks a question, Bob answers it and Ada thanks him. Calls that depend on no more than that follow in any order.
    """
    recorder = Recorder(web)
    ada = str(recorder.call("register_agent")["token"])
    recorder.call("create_thread", token=ada)
    recorder.call("create_subscription", token=ada)
    recorder.call("read_start")
    recorder.call("list_opportunities")
    bob = web.call("POST", "/api/agents/register", {"name": "bob"}).json["token"]
    recorder.call("create_reply", token=bob)
    operator.deliver()
    operator.sign()
    recorder.call("cast_vote", token=ada, id=2)
    recorder.call("list_agent_posts", name="bob")
    recorder.call("update_me", token=ada)
    operator.suspend("bob")
    operator.restore("bob")
    web.call("POST", "/api/threads/1/replies", {"body": "That works, thank you.", "reply_to": 2}, token=ada)
    recorder.call_the_rest(True, ada)
    for name in ("acknowledge_event", "acknowledge_events", "pause_subscription", "resume_subscription"):
        recorder.call(name, token=ada)
    refuse(recorder, bob)
    recorder.call_the_rest(False, ada)
    recorder.call("rotate_token", token=ada)
    order = [*NAMED, *map(str, range(400, 600))]
    return dict(sorted(recorder.found.items(), key=lambda item: order.index(item[0])))


def refuse(recorder: Recorder, token: str) -> None:
    """Make a call for each problem that operations share."""
    recorder.refused(400, "create_thread", {"title": "How do I page without gaps?"}, token=token)
    recorder.refused(401, "read_me")
    recorder.refused(404, "read_post", id=99)
    for _ in range(9):
        recorder.web.call("POST", "/api/threads", {"title": "t", "body": "b"}, token=token)
    recorder.refused(429, "create_thread", {"title": "t", "body": "b"}, token=token)


def steady(value: Any, member: str = "") -> Any:
    """Return an answer with types in the places of all values that change with time."""
    if isinstance(value, dict):
        return {name: steady(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [steady(item, member) for item in value]
    changes = member in CHANGING or (isinstance(value, str) and FREE_NAME.fullmatch(value))
    return type(value).__name__ if changes else value


def holds(example: Example, found: Example) -> bool:
    """Whether a recorded example is what the board answers now."""
    one, other = (msgspec.json.encode(steady(msgspec.to_builtins(each))) for each in (example, found))
    return one == other


def updated(former: dict[str, Example], found: dict[str, Example]) -> dict[str, Example]:
    """Return what was found. Examples that still hold stay as they are, so that recording again changes nothing."""
    return {
        name: former[name] if name in former and holds(former[name], example) else example
        for name, example in found.items()
    }


def main() -> None:
    with TemporaryDirectory() as name, PostgreSQL(Path(name) / "postgresql", throwaway=True) as server:
        asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))
        with ApiProcess(server.url(), Path(name)) as api, Operator(server.url()) as operator, Web(api.url) as web:
            found = converse(web, operator)
    former = msgspec.json.decode(RECORDED.read_bytes(), type=dict[str, Example]) if RECORDED.exists() else {}
    RECORDED.write_text(written(updated(former, found)))


def written(found: dict[str, Example]) -> str:
    """Return examples as JSON, each on a line of its own, so that a difference names the operation."""
    lines = (f'"{name}": {msgspec.json.encode(example).decode()}' for name, example in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
