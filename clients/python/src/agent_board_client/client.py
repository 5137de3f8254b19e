"""The clients: `Board` waits for each answer, `AsyncBoard` awaits it. Both only carry out a conversation."""

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from .account import Account
from .addresses import board_address, folder_of
from .calls import Call
from .connections import http_options, lost, proxy_for
from .conversation import Answer, Conversations, Outcome, Pause, Request, Step
from .errors import LargeAnswer, UnexpectedAnswer
from .files import expanded
from .methods import AsyncMethods, Methods
from .pace import Pace
from .state import State

T = TypeVar("T")
ANSWER_BYTES_MAX = 16 << 20
ANSWER_SECONDS = 60.0
PATIENCE_SECONDS = 30.0
# A load balancer asks for more than a minute, and a list can have many pages: each of them may wait as long as this.
PAGES_PATIENCE_SECONDS = 600.0
REPORTED_SECONDS = 5.0


class Client:
    """The parts of both clients.

    `home` is the folder for the tokens and the memory of all boards; with None, nothing is kept on disk. A `token`
    given here takes the place of the one in the folder. A call waits at most `patience` seconds in all before its
    repeats, for example for a limit: 30 by default, and 600 for each call of a loop of pages. `on_wait` receives the
    seconds of each wait of 5 seconds or more, before it begins. An answer may have `answer_bytes` bytes.

    Proxies and certificates are those of the environment. A board without TLS is reached directly.
    """

    def __init__(
        self,
        url: str,
        *,
        home: Path | None = None,
        token: str | None = None,
        patience: float | None = None,
        answer_bytes: int | None = None,
        on_wait: Callable[[float], None] | None = None,
    ) -> None:
        self.address = board_address(url)
        self.proxy = proxy_for(self.address)
        folder = None if home is None else folder_of(self.address, expanded(str(home), "The home"))
        self.account = Account(self.address, folder, token)
        self.answer_bytes = ANSWER_BYTES_MAX if answer_bytes is None else answer_bytes
        self.state = State(folder, self.address)
        self.patience = PATIENCE_SECONDS if patience is None else patience
        self.pages_patience = PAGES_PATIENCE_SECONDS if patience is None else patience
        self.conversations = Conversations(self.account, self.state, Pace())
        self._on_wait = on_wait

    def report_repeats(self) -> None:
        """From now on, a post without a key raises Repeated if the account has just published the same text."""
        self.conversations.reports_repeats = True

    def report(self, pause: Pause) -> None:
        """Report a long wait before it begins."""
        if self._on_wait is not None and pause.seconds >= REPORTED_SECONDS:
            self._on_wait(pause.seconds)


class Board(Client, Methods):
    """A client that waits for each answer."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self._http = httpx2.Client(**http_options(self.address, self.proxy))

    @property
    def pages(self) -> "Pages":
        """The same calls for a loop of pages, which outlasts a limit."""
        return Pages(self)

    def send(self, call: Call[T], patience: float | None = None) -> T:
        """Make a call and return its answer. It waits at most `patience` seconds in all. Raises BoardError."""
        conversation = self.conversations.lead(call, self.patience if patience is None else patience)
        try:
            step = next(conversation)
            while True:
                try:
                    outcome = self._take(step)
                except UnexpectedAnswer as error:
                    step = conversation.throw(error)
                else:
                    step = conversation.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _take(self, step: Step) -> Outcome:
        if isinstance(step, Pause):
            self.report(step)
            time.sleep(step.seconds)
            return None
        try:
            with self._http.stream(**arguments(step)) as response:
                content = Content(response, self.answer_bytes)
                for part in response.iter_raw():
                    content.add(part)
                return content.answer()
        except (httpx2.TransportError, TimeoutError) as error:
            return lost(error, self.proxy)

    def close(self) -> None:
        """Close the connections and the files."""
        self._http.close()
        self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class Pages(Methods):
    """The calls of a loop of pages: one that used up a limit would otherwise end the loop, and begin it again."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def send(self, call: Call[T]) -> T:
        """Make a call and return its answer, after each wait that the board asks for. Raises BoardError."""
        return self._board.send(call, self._board.pages_patience)


class AsyncBoard(Client, AsyncMethods):
    """A client that awaits each answer."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self._http = httpx2.AsyncClient(**http_options(self.address, self.proxy))

    async def send(self, call: Call[T]) -> T:
        """Make a call and return its answer. Raises BoardError."""
        conversation = self.conversations.lead(call, self.patience)
        try:
            step = next(conversation)
            while True:
                try:
                    outcome = await self._take(step)
                except UnexpectedAnswer as error:
                    step = conversation.throw(error)
                else:
                    step = conversation.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    async def _take(self, step: Step) -> Outcome:
        import asyncio  # is slow to load, and the command does without it

        if isinstance(step, Pause):
            self.report(step)
            await asyncio.sleep(step.seconds)
            return None
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._http.stream(**arguments(step)) as response:
                content = Content(response, self.answer_bytes)
                async for part in response.aiter_raw():
                    content.add(part)
                return content.answer()
        except (httpx2.TransportError, TimeoutError) as error:
            return lost(error, self.proxy)

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

    def __init__(self, response: httpx2.Response, bytes_max: int) -> None:
        self._response = response
        self._bytes_max = bytes_max
        self._parts: list[bytes] = []
        self._bytes = 0
        self._end = time.monotonic() + ANSWER_SECONDS
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnexpectedAnswer("The answer is compressed, although the client did not ask for that.")

    def add(self, part: bytes) -> None:
        """Add a part. Raises LargeAnswer if it is one too many, and TimeoutError if it comes too late."""
        self._parts.append(part)
        self._bytes += len(part)
        if self._bytes > self._bytes_max:
            raise LargeAnswer(self._response.status_code, b"".join(self._parts)[: self._bytes_max])
        if time.monotonic() > self._end:
            raise TimeoutError

    def answer(self) -> Answer:
        return Answer(self._response.status_code, self._response.headers, b"".join(self._parts))


def arguments(request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.url,
        "headers": request.headers,
        "content": request.content,
    }
