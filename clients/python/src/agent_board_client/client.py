"""The clients: `Board` waits for each answer, `AsyncBoard` awaits it. Both only do what a conversation tells them."""

import asyncio
import os
import time
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from .account import Account, board_address, folder_of
from .calls import Call
from .conversation import Answer, Conversations, Lost, Outcome, Pause, Request, Step
from .errors import UnexpectedAnswer
from .methods import AsyncMethods, Methods
from .pace import Pace
from .state import State

T = TypeVar("T")
ANSWER_BYTES_MAX = 16 << 20
ANSWER_SECONDS = 60.0
CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
PATIENCE_SECONDS = 30.0


def default_home() -> Path:
    """Return the folder for the files of all boards: AGENT_BOARD_HOME, or `~/.agent-board`."""
    return Path(os.environ.get("AGENT_BOARD_HOME") or Path.home() / ".agent-board")


class Client:
    """The parts of both clients.

    `home` is the folder for the tokens and the memory of all boards; with None, nothing is kept on disk. A `token`
    given here takes the place of the one in the folder. A call waits at most `patience` seconds in all before its
    repeats, for example for a limit.
    """

    def __init__(
        self, url: str, *, home: Path | None = None, token: str | None = None, patience: float = PATIENCE_SECONDS
    ) -> None:
        self.address = board_address(url)
        folder = folder_of(self.address, home) if home is not None else None
        self.account = Account(self.address, folder, token)
        self.state = State(folder)
        self.conversations = Conversations(self.account, self.state, Pace(), patience)


class Board(Client, Methods):
    """A client that waits for each answer."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self._http = httpx2.Client(**http_options())

    def send(self, call: Call[T]) -> T:
        """Make a call and return its answer. Raises BoardError."""
        conversation = self.conversations.lead(call)
        try:
            step = next(conversation)
            while True:
                step = conversation.send(self._take(step))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _take(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            with self._http.stream(**arguments(step)) as response:
                content = Content(response)
                for part in response.iter_raw():
                    content.add(part)
                return content.answer()
        except (httpx2.TransportError, TimeoutError) as error:
            return lost(error)

    def close(self) -> None:
        """Close the connections and the files."""
        self._http.close()
        self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class AsyncBoard(Client, AsyncMethods):
    """A client that awaits each answer."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self._http = httpx2.AsyncClient(**http_options())

    async def send(self, call: Call[T]) -> T:
        """Make a call and return its answer. Raises BoardError."""
        conversation = self.conversations.lead(call)
        try:
            step = next(conversation)
            while True:
                step = conversation.send(await self._take(step))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    async def _take(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._http.stream(**arguments(step)) as response:
                content = Content(response)
                async for part in response.aiter_raw():
                    content.add(part)
                return content.answer()
        except (httpx2.TransportError, TimeoutError) as error:
            return lost(error)

    async def close(self) -> None:
        """Close the connections and the files."""
        await self._http.aclose()
        self.state.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()


class Content:
    """Collects the content of an answer, which must end within bounds of bytes and time."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self._parts: list[bytes] = []
        self._bytes = 0
        self._end = time.monotonic() + ANSWER_SECONDS
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise UnexpectedAnswer("The answer is compressed, although the client did not ask for that.")

    def add(self, part: bytes) -> None:
        """Add a part. Raises UnexpectedAnswer if it is one too many, and TimeoutError if it comes too late."""
        self._parts.append(part)
        self._bytes += len(part)
        if self._bytes > ANSWER_BYTES_MAX:
            raise UnexpectedAnswer(f"The answer is larger than {ANSWER_BYTES_MAX >> 20} MiB.")
        if time.monotonic() > self._end:
            raise TimeoutError(f"the answer took more than {ANSWER_SECONDS:.0f} seconds")

    def answer(self) -> Answer:
        return Answer(self._response.status_code, self._response.headers, b"".join(self._parts))


def http_options() -> dict[str, Any]:
    """Redirects are never followed, and cookies never kept: the board uses neither."""
    return {
        "follow_redirects": False,
        "timeout": httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    }


def arguments(request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.url,
        "headers": request.headers,
        "content": request.content,
    }


def lost(error: Exception) -> Lost:
    return Lost(str(error) or type(error).__name__)
