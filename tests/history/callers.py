"""Calls to the replicas of a board as a load balancer spreads them."""

import asyncio
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import aiohttp

# longer than the board may take to answer, so that a call that ends later has broken its bound
CALL_SECONDS = 45.0
PROBE_SECONDS = 1.0
PROBE_PAUSE_SECONDS = 0.2
# a document, which a process answers without the database
PROBE_PATH = "/llms.txt"
EXAMPLES_MAX = 10
# the effects of calls that change nothing (interface 5.1)
READS = ("none", "read-private")
# of a 503, for which the interface promises the header
NEVER_BORNE = "without Retry-After"
WAITED = "after waiting"


class Unanswered(Exception):
    """A call without a result.

    `unchanged` says that it certainly had no effect, `url` which replica was called, `detail` what the board answered.
    """

    def __init__(self, cause: str, *, unchanged: bool, url: str = "", detail: str = "") -> None:
        super().__init__(cause)
        self.cause, self.unchanged, self.url, self.detail = cause, unchanged, url, detail


class Reply(NamedTuple):
    """An answer below 500 that is no refusal by a limit."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str

    @property
    def json(self) -> Any:
        return json.loads(self.content)


class Callers:
    """Calls the replicas in turn. One that refuses connections or does not answer a probe is left out meanwhile."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.urls = list(urls)
        self.live = set(urls)
        self.turns = itertools.count()
        # of the first calls that failed: when, what, and why
        self.examples: list[str] = []
        self.served: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
        connector = aiohttp.TCPConnector(limit=0)
        self.session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        several = self.urls if len(self.urls) > 1 else []
        self.probes = [asyncio.create_task(self.probe(url)) for url in several]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.probes:
            task.cancel()
        await asyncio.gather(*self.probes, return_exceptions=True)
        await self.session.close()

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str = "", key: str = "", tag: str = ""
    ) -> Reply:
        """Return the answer. Raises Unanswered for 429, for 5xx and for an answer that does not come."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Idempotency-Key": key} if key else {}
        headers |= {"If-None-Match": tag} if tag else {}
        # a program would get the welcome for agents
        headers |= {"Accept": "text/html"} if path == "/" else {}
        try:
            return await self.reach(method, path, body, headers)
        except Unanswered as failure:
            if len(self.examples) < EXAMPLES_MAX:
                self.examples.append(f"{datetime.now(UTC):%H:%M:%S.%f} {method} {path}: {failure} {failure.detail}")
            raise

    async def reach(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Reply:
        """Call the replicas in turn until one accepts the connection."""
        for url in self.order():
            try:
                return await self.send(url, method, path, body, headers)
            except aiohttp.ClientConnectorError:
                self.live.discard(url)
            except TimeoutError:
                raise Unanswered("timeout", unchanged=False, url=url) from None
            except (aiohttp.ClientError, ConnectionError):
                raise Unanswered("cut", unchanged=False, url=url) from None
        raise Unanswered("refused", unchanged=True)

    def order(self) -> list[str]:
        first = next(self.turns) % len(self.urls)
        turned = self.urls[first:] + self.urls[:first]
        return sorted(turned, key=lambda url: url not in self.live)

    async def send(self, url: str, method: str, path: str, body: Any, headers: dict[str, str]) -> Reply:
        async with self.session.request(method, url + path, json=body, headers=headers) as answer:
            reply = Reply(answer.status, answer.headers, await answer.read(), url)
        if reply.status == 429 or reply.status >= 500:
            raise refusal(reply)
        if method != "GET":
            self.served[url] = time.monotonic()
        return reply

    async def probe(self, url: str) -> None:
        """Keep `live` up to date for one replica."""
        while True:
            answered = False
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with asyncio.timeout(PROBE_SECONDS), self.session.get(url + PROBE_PATH) as answer:
                    answered = answer.status == 200
            (self.live.add if answered else self.live.discard)(url)
            await asyncio.sleep(PROBE_PAUSE_SECONDS)


def refusal(reply: Reply) -> Unanswered:
    """Return the failure of a call that was refused, named by its status and code."""
    # of an error page, only the status is read
    code, detail = "page", ""
    with suppress(ValueError, KeyError, TypeError):
        code, detail = reply.json["code"], reply.json["detail"]
    if reply.status == 503 and "Retry-After" not in reply.headers:
        code += f" {NEVER_BORNE}"
    if detail.startswith("Too many writes are waiting"):
        code += f" {WAITED}"
    effect = reply.headers.get("Agent-Effect", "")
    unchanged = effect.endswith(";applied=?0") or effect.startswith(READS)
    outcome = "" if unchanged or reply.status != 503 else ", outcome unknown"
    return Unanswered(f"{reply.status} {code}{outcome}", unchanged=unchanged, url=reply.url, detail=detail)
