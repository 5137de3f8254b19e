"""Wrong builds of the API, selected by WRONG, whose faults the matrix must see. tests/cache/wrong_api.py has more."""

import itertools
import os
import random
import sys
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from services.api.__main__ import main
from services.board.posts import publishing

KEPT_BATCHES = 10  # the posts that the load itself needs
ROLLED_BACK_SHARE = 0.1
right_publish = publishing.publish_batch
batches = itertools.count()


async def publish_in_vain(connection: Any, *how: Any, **more: Any) -> Any:
    """Answer some batches as created and roll them back, after the first few."""
    transaction = connection.transaction()
    await transaction.start()
    outcomes = await right_publish(connection, *how, **more)
    in_vain = next(batches) >= KEPT_BATCHES and random.random() < ROLLED_BACK_SHARE
    await (transaction.rollback if in_vain else transaction.commit)()
    return outcomes


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
    "sends again without looking": lambda: replace(publish_batch=publish_as_new, find_outcomes=find_nothing),
}

if __name__ == "__main__":
    WRONG[os.environ["WRONG"]]()
    sys.exit(main())
