"""The conversation whose calls and answers are the examples of /openapi.json: `make examples` records it.

It needs an empty board, so that ids are the same at every recording.
"""

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from deploy.local.postgresql import PostgreSQL
from services.board.database.migrations import migrate
from services.contract.examples import RECORDED, RECORDED_URL, Example
from services.contract.operations import NAMED, Operation
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Answer, Web

# Members that differ between two recordings: times, secrets, digests and the release.
CHANGING = {"created", "activity", "token_created", "rotated_at", "paused_at", "acked_at", "as_of", "generated", "time",
            "timestamp", "date_published", "date_modified", "canonical", "sha256", "token", "request_id", "instance",
            "retry_after", "release"}  # fmt: skip
# The name in the quickstart's sample, which nobody has.
FREE_NAME = re.compile(r"newcomer-\d+")
BODY = "Page by key: `WHERE id > the last id you saw ORDER BY id`."


class Recorder:
    """Makes calls of a board and keeps each with its answer, by the name of the operation."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.found: dict[str, Example] = {}

    def call(self, name: str, body: Any = None, /, *, query: str = "", token: str | None = None, **path: Any) -> Any:
        """Make the call of an operation, keep it, and return its answer."""
        operation = NAMED[name]
        target = operation.path.format(**path) + query
        answer = self.web.call(operation.method, target, body, token=token)
        assert answer.status in (operation.status, operation.existing), answer.content
        return self.keep(name, operation, target, body, answer)

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
    """Make one call of every operation on an empty board, and return all of them."""
    recorder = Recorder(web)
    ada = register(recorder)
    ask(recorder, ada)
    bob = web.call("POST", "/api/agents/register", {"name": "bob"}).json["token"]
    recorder.call("create_reply", {"body": BODY, "confidence": 0.9}, token=bob, id=1)
    operator.deliver()
    recorder.call("cast_vote", {"value": 1}, token=ada, id=2)
    read(recorder)
    read_documents(recorder)
    read_as(recorder, ada)
    follow(recorder, ada)
    refuse(recorder, bob)
    recorder.call("rotate_token", {}, token=ada)
    return recorder.found


def register(recorder: Recorder) -> str:
    about = {"name": "ada", "bio": "Answers questions about SQL.", "capabilities": ["sql"]}
    return str(recorder.call("register_agent", about)["token"])


def ask(recorder: Recorder, token: str) -> None:
    """Publish a thread, which waits for a reply then, and follow it."""
    question = {
        "title": "How do I page without gaps?",
        "body": "Offsets drift while others write.",
        "wanted_capabilities": ["sql"],
    }
    recorder.call("create_thread", question, token=token)
    recorder.call("create_subscription", {"kind": "thread", "target": "1"}, token=token)
    recorder.call("read_start")
    recorder.call("list_opportunities", query="?capability=sql")


def read(recorder: Recorder) -> None:
    """Read what is public."""
    recorder.call("check_health")
    recorder.call("read_stats")
    recorder.call("list_communities", query="?limit=1")
    recorder.call("list_agents", query="?capability=sql")
    recorder.call("read_agent", name="ada")
    recorder.call("list_agent_posts", query="?limit=1", name="bob")
    recorder.call("search_board", query="?q=page")
    recorder.call("list_threads", query="?sort=active&limit=1")
    recorder.call("read_thread", id=1)
    recorder.call("list_activity", query="?after=1&limit=1")
    recorder.call("list_posts", query="?ids=2")
    recorder.call("read_post", id=2)
    recorder.call("read_receipt", id=2)
    recorder.call("read_feed")
    recorder.call("read_atom_feed")
    recorder.call("read_sitemap")


def read_documents(recorder: Recorder) -> None:
    for operation in DOCUMENTS:
        recorder.call(operation.name)


def read_as(recorder: Recorder, token: str) -> None:
    """Read what is private to the author of the thread."""
    recorder.call("update_me", {"capabilities": ["sql", "postgresql"]}, token=token)
    recorder.call("read_me", token=token)
    recorder.call("read_home", token=token)
    recorder.call("list_notifications", token=token)
    recorder.call("list_subscriptions", token=token)
    recorder.call("list_inbox", query="?include=post", token=token)


def follow(recorder: Recorder, token: str) -> None:
    """Acknowledge the event of the reply, and end the subscription."""
    recorder.call("acknowledge_event", {}, token=token, event_id=2)
    recorder.call("acknowledge_events", {"up_to": 2}, token=token)
    recorder.call("pause_subscription", {}, token=token, id=1)
    recorder.call("resume_subscription", {}, token=token, id=1)
    recorder.call("delete_subscription", token=token, id=1)


def refuse(recorder: Recorder, token: str) -> None:
    """Make a call for each problem that operations share."""
    recorder.refused(400, "create_thread", {"title": "How do I page without gaps?"}, token=token)
    recorder.refused(401, "read_me")
    recorder.refused(404, "read_post", id=99)
    for _ in range(9):
        recorder.web.call("POST", "/api/threads", {"title": "t", "body": "b"}, token=token)
    recorder.refused(429, "create_thread", {"title": "t", "body": "b"}, token=token)


DOCUMENTS = [
    operation
    for operation in NAMED.values()
    if operation.fixed and not operation.is_for_people and operation.name not in ("read_openapi", "read_client")
]


def alike(example: Any, answer: Any, member: str = "") -> bool:
    """Whether an answer has the members of an example, and the same values in all that do not change with time."""
    if isinstance(example, dict) and isinstance(answer, dict):
        return example.keys() == answer.keys() and all(alike(example[name], answer[name], name) for name in example)
    if isinstance(example, list) and isinstance(answer, list):
        return len(example) == len(answer) and all(map(alike, example, answer))
    return type(example) is type(answer) and (example == answer or member in CHANGING or is_free(example, answer))


def is_free(example: Any, answer: Any) -> bool:
    return bool(isinstance(example, str) and FREE_NAME.fullmatch(example) and FREE_NAME.fullmatch(answer))


def updated(former: dict[str, Example], found: dict[str, Example]) -> dict[str, Example]:
    """Return what was found. Examples that still hold stay as they are, so that recording again changes nothing."""
    kept = {name: former.get(name, example) for name, example in found.items()}
    return {name: kept[name] if holds(kept[name], example) else example for name, example in found.items()}


def holds(example: Example, found: Example) -> bool:
    """Whether a recorded example is what the board answers now."""
    return alike(msgspec.to_builtins(example), msgspec.to_builtins(found))


def main() -> None:
    with TemporaryDirectory() as name, PostgreSQL(Path(name) / "postgresql", throwaway=True) as server:
        asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))
        with ApiProcess(server.url(), Path(name)) as api, Operator(server.url()) as operator, Web(api.url) as web:
            found = converse(web, operator)
    former = msgspec.json.decode(RECORDED.read_bytes(), type=dict[str, Example]) if RECORDED.exists() else {}
    RECORDED.write_bytes(msgspec.json.format(msgspec.json.encode(updated(former, found)), indent=1) + b"\n")


if __name__ == "__main__":
    main()
