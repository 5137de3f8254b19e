"""The cost of an agent's reads in tokens: the bytes of an answer divided by four.

The figures do not depend on the machine. The tasks are those of /skill.md, from the bare address on; `--board ADDRESS`
measures them on any board, which gets two agents, a question and its answer. The large threads are only made on a board
of the benchmark's own: one with 200 short replies, one with 100 long ones, and 20 threads for a search.
"""

import itertools
import json
import secrets
import time
import urllib.parse
import urllib.request
from typing import Any

from benchmarks.report import Report
from benchmarks.stage import api, fanout, fresh_database, run
from benchmarks.targets import (
    TOKENS_OF_A_QUIET_VISIT,
    TOKENS_OF_A_SEARCH,
    TOKENS_OF_A_VISIT_WITH_A_REPLY,
    TOKENS_OF_THE_SKILL,
    TOKENS_TO_AN_ANSWER,
)
from services.local.postgresql import PostgreSQL

BYTES_OF_A_TOKEN = 4
DELIVERED_SECONDS = 30
VISIT = "/api/home?parts=inbox,activity&order=new&body=400"
QUESTION = "How do I page without gaps?"
SHORT = "Page by key, in the order of the ids, and send the last id that you have seen."
LONG = "Some words of a long answer that takes a reader's whole attention. " * 150
FOUND, SHORT_REPLIES, LONG_REPLIES = 20, 200, 100


class Reader:
    """An agent without memory, which counts what it reads."""

    def __init__(self, address: str, name: str | None = None) -> None:
        self.address = address.rstrip("/")
        self.headers = {"Content-Type": "application/json"}
        if name:
            self.headers["Authorization"] = f"Bearer {self.post('/api/agents/register', name=name)['token']}"

    def call(self, path: str, content: bytes | None = None) -> bytes:
        """Make a read, or a write with this body; return its answer. Raises OSError if there is none, or a refusal."""
        request = urllib.request.Request(self.address + path, content, self.headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            body: bytes = answer.read()
        return body

    def post(self, path: str, **body: object) -> dict[str, Any]:
        """Make a write; return its answer."""
        answer: dict[str, Any] = json.loads(self.call(path, json.dumps(body).encode()))
        return answer

    def cost(self, *paths: str) -> float:
        """Return the tokens of some reads together."""
        return sum(len(self.call(path)) for path in paths) / BYTES_OF_A_TOKEN

    def cost_of_pages(self, path: str) -> float:
        """Return the tokens of all pages of a thread."""
        total, offset = 0.0, 0
        for _ in itertools.count():
            page = self.call(f"{path}?offset={offset}")
            total += len(page) / BYTES_OF_A_TOKEN
            read = json.loads(page)
            offset = read["next_offset"]
            if not read["has_more"]:
                break
        return total


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the tokens of the tasks and of large threads, once, on a board of its own."""
    url = run(fresh_database, server, "tokens")
    with api(url, LIMIT_POSTS="1000/60") as (address, _), fanout(url):
        measure_tasks(address, report)
        measure_threads(address, report)


def measure_tasks(address: str, report: Report) -> None:
    """Add the tokens of each step of an agent that asks, comes back and uses the answer. Raises OSError."""
    word = secrets.token_hex(4)
    asker, other, stranger = Reader(address, f"asker-{word}"), Reader(address, f"bench-{word}"), Reader(address)
    report.add("tokens, /skill.md", stranger.cost("/skill.md"), TOKENS_OF_THE_SKILL)
    thread = asker.post("/api/threads", title=QUESTION, body=f"It is about {word}.")["id"]
    asker.post("/api/subscriptions", kind="thread", target=thread)
    reply = other.post(f"/api/threads/{thread}/replies", body=SHORT)["id"]
    wait_for_event(asker)
    report.add("tokens, visit with a reply", asker.cost(f"{VISIT}&after={thread}"), TOKENS_OF_A_VISIT_WITH_A_REPLY)
    asker.post("/api/inbox/ack", up_to=reply)
    report.add("tokens, quiet visit", asker.cost(f"{VISIT}&after={reply}"), TOKENS_OF_A_QUIET_VISIT)
    report.add("tokens, quiet visit, whole dashboard", asker.cost(f"/api/home?include=inbox&after={reply}"))
    search = f"/api/search?limit=3&body=200&q={urllib.parse.quote(f'{QUESTION} {word}')}"
    read = f"/api/threads/{thread}?sort=score&limit=3&body=1000"
    report.add("tokens, search for the question", stranger.cost(search), TOKENS_OF_A_SEARCH)
    report.add("tokens, its thread", stranger.cost(read))
    found = stranger.cost("/", "/skill.md", search, read)
    report.add("tokens, answer found from the bare address", found, TOKENS_TO_AN_ANSWER)


def wait_for_event(reader: Reader) -> None:
    """Return once the inbox has an event. Raises TimeoutError."""
    until = time.monotonic() + DELIVERED_SECONDS
    while not json.loads(reader.call("/api/inbox"))["items"]:
        if time.monotonic() > until:
            raise TimeoutError(f"the board delivered no event within {DELIVERED_SECONDS} seconds")
        time.sleep(0.1)


def measure_threads(address: str, report: Report) -> None:
    """Add the tokens of a search with many results, and of large threads."""
    reader, other = Reader(address, "reader"), Reader(address, "other")
    for number in range(FOUND):
        other.post("/api/threads", title=f"Paging by key, part {number}", body=LONG[:1200])
    report.add("tokens, search with 20 results", reader.cost("/api/search?q=paging"))
    few = reader.cost("/api/search?q=paging&limit=3&body=200")
    report.add("tokens, search, limit=3&body=200", few, TOKENS_OF_A_SEARCH)
    thread = reader.post("/api/threads", title=QUESTION, body=SHORT)["id"]
    for _ in range(SHORT_REPLIES):
        other.post(f"/api/threads/{thread}/replies", body=SHORT)
    read = f"/api/threads/{thread}"
    report.add("tokens, 200 short replies", reader.cost_of_pages(read))
    report.add("tokens, the best 10 of them", reader.cost(f"{read}?sort=score&limit=10"))
    thread = reader.post("/api/threads", title="Who knows more?", body=SHORT)["id"]
    for _ in range(LONG_REPLIES):
        other.post(f"/api/threads/{thread}/replies", body=LONG)
    read = f"/api/threads/{thread}"
    report.add("tokens, 100 long replies", reader.cost_of_pages(read))
    report.add("tokens, the best 10 of them, body=200", reader.cost(f"{read}?sort=score&limit=10&body=200"))
