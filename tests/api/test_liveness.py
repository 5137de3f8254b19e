"""Liveness reports a task that many requests wait for and that takes impossibly long."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr
from sanic import Sanic

from services.api import stalled_work
from services.api.app import Api
from services.process.metrics import Registry
from services.process.settings import Settings


@pytest.fixture
def process() -> Iterator[Api]:
    process = Api(Settings(database_url=SecretStr("postgres://nowhere.test/board")), Registry())
    yield process
    Sanic.unregister_app(process.server)


@pytest.mark.parametrize("task", ["change_feed", "build_in_memory"])
async def test_a_stuck_task_is_reported_until_it_ends(process: Api, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def forever() -> Any:
        begun.set()
        await asyncio.Event().wait()

    assert process.live() is None
    process.feed.connect = forever
    waits = process.feed.catch_up() if task == "change_feed" else process.memory.build("key", 0, None, forever)
    waiting = asyncio.create_task(waits)
    await begun.wait()
    # it should allow for the time that such a task may take
    assert process.live() is None
    monkeypatch.setattr(stalled_work, "STUCK_SECONDS", 0)
    assert process.live() == f"The task {task} has been stuck for 0 seconds."
    await process.feed.close()
    await process.memory.close()
    await asyncio.wait({waiting})
    assert process.live() is None
