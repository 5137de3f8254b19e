"""The end of a run by SIGTERM, which leaves nothing behind."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_until_terminated(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine. SIGTERM cancels it, so that it stops and removes what it has made, and exits as usual then."""

    async def cancellable() -> T:
        task = asyncio.current_task()
        assert task
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await main

    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)
