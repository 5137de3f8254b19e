"""Wrong builds of the API, selected by WRONG, that the judges must find."""

import os
import sys
import time
import uuid
from typing import Any

import msgspec

from services.api.__main__ import main
from services.api.cache.change_feed import ChangeFeed
from services.board.posts import publications

right_publish = publications.publish_batch
right_catch_up = ChangeFeed.catch_up


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


WRONG: dict[str, list[tuple[Any, str, Any]]] = {
    "sends again without looking": [
        (publications, "publish_batch", publish_as_new),
        (publications, "find_outcomes", nothing),
    ],
    "validates once a second": [(ChangeFeed, "catch_up", catch_up_once_a_second)],
}

if __name__ == "__main__":
    for owner, name, function in WRONG[os.environ["WRONG"]]:
        setattr(owner, name, function)
    sys.exit(main())
