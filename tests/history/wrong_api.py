"""Wrong builds of the API, selected by WRONG, that the judges must find."""

import asyncio
import itertools
import os
import random
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from services.api.__main__ import main
from services.api.cache import tags
from services.api.cache.change_feed import ChangeFeed
from services.api.request.auth import Authenticator
from services.board.database.admission import Admission
from services.board.errors import Unavailable
from services.board.posts import publications, publishing

KEPT_BATCHES = 10  # the posts that the load itself needs
WRONG_SHARE = 0.1
right_publish = publications.publish_batch
right_create = publishing.create_thread
right_catch_up = ChangeFeed.catch_up
right_read = ChangeFeed.read_changes
right_authenticate = Authenticator.authenticate
batches = itertools.count()


async def publish_in_vain(connection: Any, *how: Any, **more: Any) -> Any:
    """Answer some batches as created and roll them back, after the first few."""
    transaction = connection.transaction()
    await transaction.start()
    outcomes = await right_publish(connection, *how, **more)
    in_vain = next(batches) >= KEPT_BATCHES and random.random() < WRONG_SHARE
    await (transaction.rollback if in_vain else transaction.commit)()
    return outcomes


async def create_and_deny(*how: Any, **more: Any) -> Any:
    """Report some threads as refused although they were committed, after the first few."""
    created = await right_create(*how, **more)
    if next(batches) >= KEPT_BATCHES and random.random() < WRONG_SHARE:
        raise Unavailable
    return created


async def publish_as_new(connection: Any, batch: Any, *how: Any, **more: Any) -> Any:
    """Forget that a batch may have been sent before."""
    renewed = [msgspec.structs.replace(publication, request_id=uuid.uuid4()) for publication in batch]
    return await right_publish(connection, renewed, *how, **more)


async def nothing(*_: Any, **__: Any) -> dict[int, Any]:
    return {}


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


def replace(owner: Any, **functions: Any) -> None:
    for name, function in functions.items():
        setattr(owner, name, function)


WRONG: dict[str, Callable[[], None]] = {
    "acknowledges what is rolled back": lambda: replace(publications, publish_batch=publish_in_vain),
    "denies what is committed": lambda: replace(publishing, create_thread=create_and_deny),
    "sends again without looking": lambda: replace(publications, publish_batch=publish_as_new, find_outcomes=nothing),
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
