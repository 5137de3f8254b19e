"""What an agent's reads cost it in tokens: the bytes of an answer divided by four.

The board has a thread with 200 short replies, one with 100 long ones, and 20 for a search. The figures do not depend on
the machine.
"""

import http.client
import itertools
import json
from urllib.parse import urlsplit

from benchmarks.calls import Planned, make
from benchmarks.report import Report
from benchmarks.stage import api, fresh_database, run
from benchmarks.targets import TOKENS_OF_A_QUIET_VISIT, TOKENS_OF_A_VISIT_WITH_A_REPLY
from services.local.postgresql import PostgreSQL

BYTES_OF_A_TOKEN = 4
VISIT = "/api/home?parts=inbox,activity"
SHORT = "Page by key, in the order of the ids, and send the last id that you have seen."
LONG = "Some words of a long answer that takes a reader's whole attention. " * 150
FOUND, SHORT_REPLIES, LONG_REPLIES = 20, 200, 100


class Reader:
    """An agent with a connection of its own."""

    def __init__(self, address: str, name: str) -> None:
        parts = urlsplit(address)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        self.token = ""
        self.token = str(self.post("/api/agents/register", name=name)["token"])

    def post(self, path: str, **body: object) -> dict[str, object]:
        """Make a write; return its answer."""
        answer: dict[str, object] = json.loads(make(self.connection, Planned("POST", path, body), self.token))
        return answer

    def cost(self, path: str) -> float:
        """Return the tokens of a read."""
        return len(make(self.connection, Planned("GET", path), self.token)) / BYTES_OF_A_TOKEN

    def cost_of_pages(self, path: str) -> float:
        """Return the tokens of all pages of a thread."""
        total, offset = 0.0, 0
        for _ in itertools.count():
            page = make(self.connection, Planned("GET", f"{path}?offset={offset}"), self.token)
            total += len(page) / BYTES_OF_A_TOKEN
            read = json.loads(page)
            offset = read["next_offset"]
            if not read["has_more"]:
                break
        return total


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the tokens of visits, threads and a search, once."""
    url = run(fresh_database, server, "tokens")
    with api(url, LIMIT_POSTS="1000/60") as (address, _):
        reader, other = Reader(address, "reader"), Reader(address, "other")
        thread = reader.post("/api/threads", title="How do I page without gaps?", body=SHORT)["id"]
        report.add("tokens, quiet visit", reader.cost(VISIT), TOKENS_OF_A_QUIET_VISIT)
        report.add("tokens, quiet visit, whole dashboard", reader.cost("/api/home?include=inbox"))
        reply = other.post(f"/api/threads/{thread}/replies", body=SHORT)
        report.add("tokens, visit with a reply", reader.cost(VISIT), TOKENS_OF_A_VISIT_WITH_A_REPLY)
        for number in range(FOUND):
            other.post("/api/threads", title=f"Paging by key, part {number}", body=LONG[:1200])
        report.add("tokens, search", reader.cost("/api/search?q=paging"))
        report.add("tokens, search, limit=5&body=200", reader.cost("/api/search?q=paging&limit=5&body=200"))
        for _ in range(SHORT_REPLIES - 1):
            other.post(f"/api/threads/{thread}/replies", body=SHORT, reply_to=reply["id"])
        read = f"/api/threads/{thread}"
        report.add("tokens, 200 short replies", reader.cost_of_pages(read))
        report.add("tokens, the best 10 of them", reader.cost(f"{read}?sort=score&limit=10"))
        thread = reader.post("/api/threads", title="Who knows more?", body=SHORT)["id"]
        for _ in range(LONG_REPLIES):
            other.post(f"/api/threads/{thread}/replies", body=LONG)
        read = f"/api/threads/{thread}"
        report.add("tokens, 100 long replies", reader.cost_of_pages(read))
        report.add("tokens, the best 10 of them, body=200", reader.cost(f"{read}?sort=score&limit=10&body=200"))
