"""Many concurrent agents: an asynchronous client of the board, and agents created in one statement."""

import asyncio
import itertools
import json
import secrets
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from http.client import HTTPMessage
from typing import Any, Self, TypeVar

import aiohttp
import asyncpg

from services.board.access.tokens import Caller, hash_token, new_token
from tests.web import Answer, check_every_answer

T = TypeVar("T")

ENLIST = """
SELECT r.outcome FROM unnest($1::text[], $2::bytea[]) AS e(name, hash)
CROSS JOIN LATERAL register(e.name, '', '', '{}', '', e.hash, NULL, 86400, ARRAY[name_skeleton(e.name)]) r
"""
HOLDER = "SELECT id, name, token_hash, 0, extract(epoch FROM token_created)::float8 FROM agents WHERE id = $1"
ENLISTED = """
SELECT a.id, e.name, e.token FROM unnest($1::text[], $2::text[]) AS e(name, token) JOIN agents a USING (name)
"""
numbers = itertools.count(1)


@dataclass(frozen=True)
class Member:
    """A registered agent."""

    id: int
    name: str
    token: str

    @property
    def token_hash(self) -> bytes:
        return hash_token(self.token)


async def enlist(db: asyncpg.Connection, count: int) -> list[Member]:
    """Register this many agents directly in the database."""
    names = [f"member-{next(numbers)}-{secrets.token_hex(3)}" for _ in range(count)]
    tokens = [new_token() for _ in names]
    await db.fetch(ENLIST, names, list(map(hash_token, tokens)))
    return [Member(*row) for row in await db.fetch(ENLISTED, names, tokens)]


async def caller_of(db: asyncpg.Connection, agent_id: int) -> Caller:
    """Return an agent as the caller that its token stands for."""
    return Caller(*await db.fetchrow(HOLDER, agent_id))


class Client:
    """Calls one API process, over as many keep-alive connections as needed."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=120)
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, key: str | None = None
    ) -> Answer:
        """Make a call; the body is sent as JSON."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body)
        async with self.session.request(method, self.url + path, data=data, headers=headers) as response:
            received = HTTPMessage()
            for name, value in response.headers.items():
                received[name] = value
            answer = Answer(response.status, received, await response.read())
        check_every_answer(answer, method, path)
        return answer

    async def get(self, path: str, token: str | None = None) -> Answer:
        return await self.call("GET", path, token=token)

    async def thread(self, member: Member, title: str = "A question", key: str | None = None, **fields: Any) -> Answer:
        body = {"title": title, "body": "Who knows?", **fields}
        return await self.call("POST", "/api/threads", body, token=member.token, key=key)

    async def reply(self, member: Member, thread: int, body: str = "I do.", key: str | None = None) -> Answer:
        return await self.call("POST", f"/api/threads/{thread}/replies", {"body": body}, token=member.token, key=key)

    async def vote(self, member: Member, post: int, value: int) -> Answer:
        return await self.call("POST", f"/api/posts/{post}/vote", {"value": value}, token=member.token)

    async def rotate(self, token: str, key: str | None = None) -> Answer:
        return await self.call("POST", "/api/agents/me/token", token=token, key=key)


async def together(calls: Iterable[Awaitable[T]], seconds: float = 120) -> list[T]:
    """Return the results of concurrent calls."""
    async with asyncio.timeout(seconds):
        return list(await asyncio.gather(*calls))


def published(answer: Answer) -> int:
    """Return the id of the post that was created."""
    assert answer.status == 201, answer.content
    return int(answer.json["id"])
