"""Wrong builds of the API, selected by WRONG, that the judges must find. stale_api.py has more."""

import itertools
import os
import random
import sys
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from services.api.__main__ import main
from services.board.errors import Unavailable
from services.board.posts import publishing

KEPT_BATCHES = 10  # the posts that the load itself needs
WRONG_SHARE = 0.1
right_publish = publishing.publish_batch
right_create = publishing.create_thread
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


async def find_nothing(*_: Any, **__: Any) -> dict[int, Any]:
    return {}


def replace(**functions: Any) -> None:
    for name, function in functions.items():
        setattr(publishing, name, function)


WRONG: dict[str, Callable[[], None]] = {
    "acknowledges what is rolled back": lambda: replace(publish_batch=publish_in_vain),
    "denies what is committed": lambda: replace(create_thread=create_and_deny),
    "sends again without looking": lambda: replace(publish_batch=publish_as_new, find_outcomes=find_nothing),
}

if __name__ == "__main__":
    WRONG[os.environ["WRONG"]]()
    sys.exit(main())
