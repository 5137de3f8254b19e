"""The cache in isolation: kept and evicted answers, and waiting reads (ARCHITECTURE.md, "The walk of a read")."""

import asyncio
import random
from collections.abc import Awaitable
from typing import Any

import pytest

from services.api.cache import entries
from services.api.cache.entries import ENTRY_BYTES, Entry
from services.api.cache.memory import Memory
from services.process.metrics import Registry
from tests.metrics import metric

ROOM = 10 * ENTRY_BYTES
SIZE = ROOM + ROOM // 15  # absences have a sixteenth of it
SMALL = -ENTRY_BYTES // 2
KNOWN = frozenset({"thread:42"})


class Maker:
    """Builds distinct values as soon as the test allows it, and counts them."""

    def __init__(self, tags: frozenset[str] | None = KNOWN, size: int = 0) -> None:
        self.tags = tags
        self.size = size
        self.begun = 0
        self.let = asyncio.Event()
        self.fails: Exception | None = None
        self.absent = False

    async def __call__(self) -> Entry:
        self.begun += 1
        number, fails, absent = self.begun, self.fails, self.absent
        await self.let.wait()
        if fails:
            raise fails
        return Entry(number, self.tags, self.size, absent)


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def memory(registry: Registry) -> Memory:
    return Memory(SIZE, registry)


def change(kind: str, thread: int = 42, agent: int = 7, community: str = "sql") -> dict[str, Any]:
    return {"kind": kind, "thread_id": thread, "agent_id": agent, "community": community}


async def soon(work: Awaitable[Any]) -> "asyncio.Task[Any]":
    """Start work and let it run until it has to wait."""
    task = asyncio.ensure_future(work)
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def kept(memory: Memory, key: str, *tags: str, size: int = 0, absent: bool = False) -> None:
    maker = Maker(frozenset(tags), size)
    maker.absent = absent
    maker.let.set()
    await memory.build(key, 0, frozenset(tags), maker)


async def test_it_is_made_once_while_the_others_wait(memory: Memory) -> None:
    maker = Maker()
    waiting = [await soon(memory.build("42", 0, KNOWN, maker)) for _ in range(20)]
    maker.let.set()
    assert await asyncio.gather(*waiting) == [1] * 20
    assert maker.begun == 1


@pytest.mark.parametrize("who", [0, 1, 19])
async def test_a_client_that_hangs_up_ends_its_own_wait_alone(memory: Memory, who: int) -> None:
    maker = Maker()
    waiting = [await soon(memory.build("42", 0, KNOWN, maker)) for _ in range(20)]
    waiting[who].cancel()
    await asyncio.sleep(0)
    maker.let.set()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(done.pop(who), asyncio.CancelledError)
    assert done == [1] * 19
    assert memory.find("42") == 1


async def test_what_changes_while_it_is_made_goes_to_those_who_came_before_and_is_not_kept(memory: Memory) -> None:
    maker = Maker()
    before = await soon(memory.build("42", 0, KNOWN, maker))
    memory.apply([change("vote")])
    after = await soon(memory.build("42", 1, KNOWN, maker))
    maker.let.set()
    assert (await before, await after) == (1, 2)
    assert memory.find("42") == 2


async def test_what_depends_on_more_than_changes_is_not_kept(memory: Memory) -> None:
    maker = Maker(None)
    maker.let.set()
    assert [await memory.build("42", 0, KNOWN, maker) for _ in range(2)] == [1, 2]
    assert memory.find("42") is None


async def test_what_does_not_change_while_it_is_made_is_shared_and_kept(memory: Memory) -> None:
    maker = Maker()
    before = await soon(memory.build("42", 0, KNOWN, maker))
    memory.apply([change("vote", thread=43)])
    after = await soon(memory.build("42", 1, KNOWN, maker))
    maker.let.set()
    assert (await before, await after, memory.find("42")) == (1, 1, 1)


@pytest.mark.parametrize(("thread", "found"), [(42, None), (43, 1)])
async def test_what_is_known_only_when_it_is_made_is_not_shared_after_a_change(
    memory: Memory, thread: int, found: int | None
) -> None:
    maker, other = Maker(), Maker()
    first = await soon(memory.build("42", 0, None, maker))
    memory.apply([change("vote", thread=thread)])
    second = await soon(memory.build("42", 1, None, other))
    assert other.begun == 1
    maker.let.set()
    await first
    assert memory.find("42") == found
    other.let.set()
    assert await second == 1


async def test_an_error_is_told_to_those_who_came_before_it_began_and_not_kept(memory: Memory) -> None:
    maker = Maker()
    maker.fails = LookupError()
    first = await soon(memory.build("42", 1, KNOWN, maker))
    later = await soon(memory.build("42", 2, KNOWN, maker))
    maker.fails = None
    maker.let.set()
    with pytest.raises(LookupError):
        await first
    assert await later == 2
    assert memory.find("42") == 2


async def test_what_was_not_found_is_kept_and_looked_for_again_by_those_who_came_later(memory: Memory) -> None:
    maker = Maker(size=SMALL)
    maker.absent = True
    first = await soon(memory.build("42", 1, KNOWN, maker))
    later = await soon(memory.build("42", 2, KNOWN, maker))
    maker.let.set()
    assert (await first, await later) == (1, 2)
    assert memory.find("42") == 2
    memory.apply([change("vote")])
    assert memory.find("42") is None


async def test_guesses_evict_no_answer(memory: Memory, registry: Registry) -> None:
    for key in "abcde":
        await kept(memory, key, "posts", size=ENTRY_BYTES)
    assert memory.entries.held == ROOM
    for number in range(50):
        await kept(memory, f"guess {number}", "log", size=SMALL, absent=True)
    assert all(memory.find(key) for key in "abcde")
    assert memory.find("guess 49")
    assert ROOM < memory.entries.held <= SIZE
    assert metric(registry, "agent_board_memory_evictions_total") == 0


@pytest.mark.parametrize("seed", range(20))
async def test_it_finds_what_a_memory_finds_that_evicts_at_once(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """It may find less if it has forgotten changes, but never what has changed."""
    forgetful = seed % 2 == 1
    if forgetful:
        monkeypatch.setattr(entries, "TAGS_MAX", 3)
    memory, chance = Memory(SIZE * 1000, registry), random.Random(seed)
    known: dict[str, list[str]] = {}
    for _ in range(300):
        thread, key = chance.randrange(4), chance.choice("abcdefgh")
        if chance.random() < 0.7:
            known[key] = [f"thread:{thread}", *chance.sample(["agent:7", "posts", "thread:3"], k=chance.randrange(3))]
            await kept(memory, key, *known[key], absent=chance.random() < 0.3)
        else:
            kind = chance.choice(["vote", "profile"])
            memory.apply([change(kind, thread, community="none")])
            gone = {"agent:7", *(["posts", f"thread:{thread}"] if kind == "vote" else [])}
            known = {key: tags for key, tags in known.items() if gone.isdisjoint(tags)}
        found = {key for key in "abcdefgh" if memory.find(key)}
        assert found <= set(known) if forgetful else found == set(known)
        assert len(memory.entries.changed) <= entries.TAGS_MAX


async def test_everything_is_forgotten_what_is_being_made_too(memory: Memory) -> None:
    maker = Maker(frozenset())
    await kept(memory, "document")
    waiting = await soon(memory.build("42", 0, frozenset(), maker))
    memory.clear("gap")
    maker.let.set()
    assert await waiting == 1
    assert (memory.find("42"), memory.find("document"), memory.entries.held) == (None, None, 0)


async def test_what_was_not_used_for_longest_makes_room(memory: Memory) -> None:
    for key in "abcde":
        await kept(memory, key, f"thread:{key}", size=ENTRY_BYTES)
    assert memory.entries.held == ROOM
    memory.find("a")
    await kept(memory, "f", "posts", size=ENTRY_BYTES)
    assert [key for key in "abcdef" if memory.find(key)] == ["a", "c", "d", "e", "f"]
    assert memory.entries.held == ROOM


async def test_what_is_larger_than_the_memory_is_not_kept_and_costs_nothing(memory: Memory) -> None:
    await kept(memory, "small", "posts")
    await kept(memory, "large", "posts", size=SIZE)
    assert memory.find("large") is None
    assert memory.entries.held <= SIZE


async def test_what_it_builds_holds_and_evicts_is_counted(memory: Memory, registry: Registry) -> None:
    maker = Maker(size=5)
    waiting = [await soon(memory.build("42", 0, KNOWN, maker)) for _ in range(3)]
    maker.let.set()
    await asyncio.gather(*waiting)
    await kept(memory, "43", "thread:43", "agent:7", size=7)
    await kept(memory, "profile", "agent:7", size=9)
    assert metric(registry, "agent_board_memory_rebuilds_total") == 3
    assert metric(registry, "agent_board_memory_entries") == 3
    assert metric(registry, "agent_board_memory_bytes") == 3 * ENTRY_BYTES + 5 + 7 + 9
    assert (memory.find("42"), memory.find("nothing")) == (1, None)
    assert metric(registry, "agent_board_memory_hits_total") == 1
    assert metric(registry, "agent_board_memory_misses_total") == 1
    await kept(memory, "large", "posts", size=SIZE)
    assert metric(registry, "agent_board_memory_evictions_total") == 1
    memory.clear("gap")
    assert metric(registry, 'agent_board_memory_forgotten_total{reason="gap"}') == 1


async def test_closing_ends_what_is_being_made(memory: Memory) -> None:
    waiting = await soon(memory.build("42", 0, KNOWN, Maker()))
    await memory.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert memory.builds == {}
