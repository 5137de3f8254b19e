"""The memory alone: what it keeps, what it drops, and who waits for what (architecture 5)."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from services.api.memory import ENTRY_BYTES, Made, Memory
from services.board.process.metrics import Registry

SIZE = 10 * ENTRY_BYTES
KNOWN = frozenset({"thread:42"})


class Maker:
    """Makes values that are told apart, when it is let; counts how often."""

    def __init__(self, tags: frozenset[str] = KNOWN, size: int = 0) -> None:
        self.tags = tags
        self.size = size
        self.begun = 0
        self.let = asyncio.Event()
        self.fails: Exception | None = None

    async def __call__(self) -> Made:
        self.begun += 1
        number, fails = self.begun, self.fails
        await self.let.wait()
        if fails:
            raise fails
        return Made(number, self.tags, self.size)


@pytest.fixture
def memory() -> Memory:
    return Memory(SIZE, Registry())


def change(kind: str, thread: int = 42, agent: int = 7, community: str = "sql") -> dict[str, Any]:
    return {"kind": kind, "thread_id": thread, "agent_id": agent, "community": community}


async def soon(work: Awaitable[Any]) -> "asyncio.Task[Any]":
    """Start work and let it come as far as it can."""
    task = asyncio.ensure_future(work)
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def kept(memory: Memory, key: str, *tags: str, size: int = 0) -> None:
    maker = Maker(frozenset(tags), size)
    maker.let.set()
    await memory.make(key, 0, frozenset(tags), maker)


async def test_what_was_made_is_found_until_it_changes(memory: Memory) -> None:
    await kept(memory, "42", "thread:42")
    assert memory.find("42") == 1
    memory.apply([change("vote")])
    assert memory.find("42") is None
    assert (memory.held, memory.keys) == (0, {})


async def test_only_what_shows_the_change_is_dropped(memory: Memory) -> None:
    for thread in (42, 43):
        await kept(memory, str(thread), f"thread:{thread}")
    await kept(memory, "profile", "agent:8", "thread:43")
    memory.apply([change("vote", thread=42)])
    assert [memory.find(key) for key in ("42", "43", "profile")] == [None, 1, 1]
    memory.apply([change("post", thread=43, agent=9)])
    assert [memory.find(key) for key in ("43", "profile")] == [None, None]


async def test_it_is_made_once_while_the_others_wait(memory: Memory) -> None:
    maker = Maker()
    waiting = [await soon(memory.make("42", 0, KNOWN, maker)) for _ in range(20)]
    maker.let.set()
    assert await asyncio.gather(*waiting) == [1] * 20
    assert maker.begun == 1


@pytest.mark.parametrize("who", [0, 1, 19])
async def test_a_client_that_hangs_up_ends_its_own_wait_alone(memory: Memory, who: int) -> None:
    maker = Maker()
    waiting = [await soon(memory.make("42", 0, KNOWN, maker)) for _ in range(20)]
    waiting[who].cancel()
    await asyncio.sleep(0)
    maker.let.set()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(done.pop(who), asyncio.CancelledError)
    assert done == [1] * 19
    assert memory.find("42") == 1


async def test_what_changes_while_it_is_made_goes_to_those_who_came_before_and_is_not_kept(memory: Memory) -> None:
    maker = Maker()
    before = await soon(memory.make("42", 0, KNOWN, maker))
    memory.apply([change("vote")])
    after = await soon(memory.make("42", 1, KNOWN, maker))
    maker.let.set()
    assert (await before, await after) == (1, 2)
    assert memory.find("42") == 2


async def test_what_does_not_change_while_it_is_made_is_shared_and_kept(memory: Memory) -> None:
    maker = Maker()
    before = await soon(memory.make("42", 0, KNOWN, maker))
    memory.apply([change("vote", thread=43)])
    after = await soon(memory.make("42", 1, KNOWN, maker))
    maker.let.set()
    assert (await before, await after, memory.find("42")) == (1, 1, 1)


@pytest.mark.parametrize(("thread", "found"), [(42, None), (43, 1)])
async def test_what_is_known_only_when_it_is_made_is_not_shared_after_a_change(
    memory: Memory, thread: int, found: int | None
) -> None:
    maker = Maker()
    first = await soon(memory.make("42", 0, None, maker))
    memory.apply([change("vote", thread=thread)])
    assert memory.shared == {}
    maker.let.set()
    await first
    assert memory.find("42") == found


async def test_an_error_is_told_to_those_who_came_before_it_began_and_not_kept(memory: Memory) -> None:
    maker = Maker()
    maker.fails = LookupError()
    first = await soon(memory.make("42", 1, KNOWN, maker))
    later = await soon(memory.make("42", 2, KNOWN, maker))
    maker.fails = None
    maker.let.set()
    with pytest.raises(LookupError):
        await first
    assert await later == 2
    assert memory.find("42") == 2


async def test_everything_is_forgotten_what_is_being_made_too(memory: Memory) -> None:
    maker = Maker(frozenset())
    await kept(memory, "document")
    waiting = await soon(memory.make("42", 0, frozenset(), maker))
    memory.forget("gap")
    maker.let.set()
    assert await waiting == 1
    assert (memory.find("42"), memory.find("document"), memory.held, memory.keys) == (None, None, 0, {})


async def test_a_change_of_an_unknown_kind_ends_everything(memory: Memory) -> None:
    await kept(memory, "43", "thread:43")
    memory.apply([change("merger")])
    assert memory.find("43") is None
    assert memory.forgotten.values == {("kind",): 1}


async def test_what_was_not_used_for_longest_makes_room(memory: Memory) -> None:
    for key in "abcde":
        await kept(memory, key, f"thread:{key}", size=ENTRY_BYTES)
    assert memory.held == SIZE
    memory.find("a")
    await kept(memory, "f", "posts", size=ENTRY_BYTES)
    assert [key for key in "abcdef" if memory.find(key)] == ["a", "c", "d", "e", "f"]
    assert memory.held == SIZE
    assert "thread:b" not in memory.keys


async def test_what_is_larger_than_the_memory_is_not_kept_and_costs_nothing(memory: Memory) -> None:
    await kept(memory, "small", "posts")
    await kept(memory, "large", "posts", size=SIZE)
    assert memory.find("large") is None
    assert memory.held <= SIZE


async def test_closing_ends_what_is_being_made(memory: Memory) -> None:
    waiting = await soon(memory.make("42", 0, KNOWN, Maker()))
    await memory.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert memory.makings == {}
