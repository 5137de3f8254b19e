"""The record of all calls of clients, with the facts that the judges need, kept as lines of JSON.

Texts are marked with words, one for each post, so that any answer in any format shows which posts it has.
"""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.history.callers import Reply, Unanswered

MARK_BYTES = 3
VERSION = "version "
CREATE = ("create_thread", "create_reply")
# the signature of a checkpoint
NOTE = "\n\N{EM DASH} "


class Call(msgspec.Struct):
    """One call of a client. Its times are seconds of one monotonic clock.

    The outcome is ok, refused (nothing was changed), or unknown: then the call may still have an effect. `sent` is what
    the judges must know of the request, `seen` what they must know of the answer.
    """

    process: str
    does: str
    sent: dict[str, Any]
    invoked: float = 0.0
    ended: float | None = None
    outcome: str = "unknown"
    status: int = 0
    cause: str = ""
    replica: str = ""
    seen: dict[str, Any] = msgspec.field(default_factory=dict)


class SeenPost(NamedTuple):
    """A post in an answer: its number is that in its word, None where the answer has no text of it."""

    id: int
    created: float
    number: int | None
    score: int | None
    replies: int | None


class Logged(NamedTuple):
    """A post of the log. Its number is None if its words were erased."""

    id: int
    number: int | None
    author: str
    created: float


class History:
    """All calls, in the order in which they began."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.mark = secrets.token_hex(MARK_BYTES)
        self.pattern = re.compile(rf"word{self.mark}x(\d+)x")

    def word(self, number: int) -> str:
        """Return the word of a post's texts."""
        return f"word{self.mark}x{number}x"

    def invoke(self, process: str, does: str, sent: dict[str, Any]) -> Call:
        """Record that a call begins."""
        call = Call(process, does, sent, time.monotonic())
        self.calls.append(call)
        return call

    def answer(self, call: Call, reply: Reply) -> None:
        """Record an answer below 500."""
        call.ended = time.monotonic()
        call.status, call.replica = reply.status, reply.url
        call.outcome = "ok" if reply.status < 400 else "refused"
        call.seen = observed(reply.content, self.pattern) if reply.status != 304 else {}

    def fail(self, call: Call, failure: Unanswered) -> None:
        """Record that a call had no result."""
        call.ended = time.monotonic()
        call.cause, call.replica = failure.cause, failure.url
        call.status = int(failure.cause[:3]) if failure.cause[:3].isdigit() else 0
        call.outcome = "refused" if failure.unchanged else "unknown"

    def note(self, process: str, does: str, sent: dict[str, Any], seen: dict[str, Any]) -> None:
        """Record what was read past the board, such as the log in its database."""
        now = time.monotonic()
        self.calls.append(Call(process, does, sent, now, now, "ok", seen=seen))


def save(calls: Sequence[Call], path: Path) -> None:
    """Write calls, one on each line."""
    path.write_bytes(b"".join(msgspec.json.encode(call) + b"\n" for call in calls))


def observed(content: bytes, pattern: re.Pattern[str]) -> dict[str, Any]:
    """Return what the judges must know of an answer: its words, its numbers, its posts and its events."""
    text = content.decode()
    answer = None
    with suppress(ValueError):
        answer = json.loads(text)
    if not isinstance(answer, dict):
        return {"words": words_in(text, pattern)} | ({"note": text} if NOTE in text else {})
    # a search repeats its question
    seen: dict[str, Any] = {"words": words_in(text.replace(answer["q"], "", 1) if "q" in answer else text, pattern)}
    seen |= {name: value for name, value in answer.items() if isinstance(value, int | float)}
    seen |= {name: answer[name] for name in ("code", "sha256", "log") if name in answer}
    items = [item for item in objects(answer) if item.keys() >= {"id", "author", "created"}]
    seen["posts"] = [seen_post(item, pattern) for item in items if "acked" not in item]
    seen["events"] = [[item["id"], item["acked_at"]] for item in items if "acked" in item]
    for name in ("activity", "registered", "version"):
        seen |= {name: max(found)} if (found := [*LATEST[name](answer)]) else {}
    return seen


# times of the latest activity and registration, and the version of a profile
LATEST: dict[str, Callable[[Any], Iterator[float]]] = {
    "activity": lambda answer: (
        each["activity"] for each in objects(answer) if isinstance(each.get("activity"), float)
    ),
    "registered": lambda answer: (each["created"] for each in objects(answer) if "self_reported" in each),
    "version": lambda answer: (int(each["bio"][8:]) for each in [answer] if str(each.get("bio")).startswith(VERSION)),
}


def words_in(text: str, pattern: re.Pattern[str]) -> list[int]:
    """Return the numbers of the words in a text."""
    return sorted({int(number) for number in pattern.findall(text)})


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in an answer, itself included."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from objects(part)


def seen_post(item: dict[str, Any], pattern: re.Pattern[str]) -> SeenPost:
    found = pattern.search(f"{item.get('title', '')} {item.get('body', '')}")
    number = int(found[1]) if found else None
    return SeenPost(item["id"], item["created"], number, item.get("score"), item.get("reply_count"))


def posts_in(call: Call) -> list[SeenPost]:
    """Return the posts that an answer has; those of a test are plain lists."""
    return [SeenPost(*post) for post in call.seen.get("posts", ())]


def numbered(calls: Sequence[Call], *does: str) -> Iterator[tuple[int, Call]]:
    """The calls of these kinds that concern a numbered post, with its number."""
    return ((call.sent["number"], call) for call in calls if call.does in does and "number" in call.sent)


def log_of(calls: Sequence[Call]) -> list[Logged]:
    """Return the log at the end of a history."""
    *_, read = [call for call in calls if call.does == "read_log"]
    return [Logged(*row) for row in read.seen["rows"]]
