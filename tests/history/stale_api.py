"""Wrong builds of the API, selected by WRONG, that serve something stale. The judges must find them."""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from services.api.__main__ import main
from services.api.cache import tags
from services.api.cache.change_feed import ChangeFeed
from services.api.request.auth import Authenticator
from services.board.database.admission import Admission

right_catch_up = ChangeFeed.catch_up
right_read = ChangeFeed.read_changes
right_authenticate = Authenticator.authenticate


async def catch_up_once_a_second(self: Any) -> int:
    now = time.monotonic()
    if now - getattr(self, "asked", 0.0) < 1.0:
        return int(self.count)
    self.asked = now
    return await right_catch_up(self)


async def join_the_question_under_way(self: Any) -> int:
    if getattr(self, "under_way", None) is None:
        return await right_catch_up(self)
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    self.under_way.append(future)
    return await future


async def read_slowly(self: Any) -> None:
    """Read as over a slow network, where more happens between a query and its answer."""
    await right_read(self)
    await asyncio.sleep(0.2)


async def answer_all_who_have_joined(self: Any, waiting: Any) -> list[int]:
    joined = self.under_way = []
    try:
        await read_slowly(self)
    finally:
        self.under_way = None
    self.count += 1
    for future in joined:
        if not future.done():
            future.set_result(self.count)
    return [self.count] * len(waiting)


async def authenticate_for_five_seconds(self: Any, request: Any, call: Any) -> Any:
    known = self.__dict__.setdefault("known", {})
    credential = request.headers.get("authorization")
    if credential is None:
        return await right_authenticate(self, request, call)
    caller, until = known.get(credential, (None, 0.0))
    if caller is None or time.monotonic() > until:
        caller = await right_authenticate(self, request, call)
        known[credential] = caller, time.monotonic() + 5
    return caller


async def admit_at_once(*_: object) -> None:
    """Read a server whose standby has not confirmed what it shows."""


def forget_tag(kind: str, template: str) -> None:
    tags.DROPS[kind] = tuple(tag for tag in tags.DROPS[kind] if tag != template)


def replace(owner: type, **methods: Any) -> None:
    for name, method in methods.items():
        setattr(owner, name, method)


WRONG: dict[str, Callable[[], None]] = {
    "validates once a second": lambda: replace(ChangeFeed, catch_up=catch_up_once_a_second),
    "joins an earlier question": lambda: replace(
        ChangeFeed, catch_up=join_the_question_under_way, read_for=answer_all_who_have_joined
    ),
    "keeps tokens for 5 s": lambda: replace(Authenticator, authenticate=authenticate_for_five_seconds),
    "shows what no standby has": lambda: replace(Admission, admit=admit_at_once),
    "forgets that votes show on threads": lambda: forget_tag("vote", "thread:{thread}"),
    "forgets that profiles change": lambda: forget_tag("profile", "agent:{agent}"),
    "forgets that hiding shows on receipts": lambda: forget_tag("hide", "receipts"),
    "forgets that posts show on statistics": lambda: forget_tag("post", "stats"),
}

if __name__ == "__main__":
    WRONG[os.environ["WRONG"]]()
    sys.exit(main())
