"""Look-ups of the names of hosts, one at a time for each name.

The name of a host that is gone, such as a container that has ended, can take ten seconds to be found missing. Look-ups
run in a few threads. Those of one missing name would take all threads, and hold up the look-ups of hosts that exist.
"""

import asyncio
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

Pending = dict[str, "asyncio.Future[Any]"]
PENDING: WeakKeyDictionary[asyncio.AbstractEventLoop, Pending] = WeakKeyDictionary()


async def until_found(name: str, seconds: float) -> None:
    """Wait until a name is found to have an address; callers that wait for the same name share one look-up.

    Raises OSError if it has none, TimeoutError if that is not known after some seconds.
    """
    loop = asyncio.get_running_loop()
    pending = PENDING.setdefault(loop, {})
    if name not in pending:
        pending[name] = loop.create_task(loop.getaddrinfo(name, None))
        pending[name].add_done_callback(partial(forget, pending, name))
    async with asyncio.timeout(seconds):
        # one caller that gives up ends only its own wait
        await asyncio.shield(pending[name])


def forget(pending: Pending, name: str, ended: "asyncio.Future[Any]") -> None:
    """Let the next caller look the name up again; the waiters may all have left."""
    del pending[name]
    if not ended.cancelled():
        ended.exception()
