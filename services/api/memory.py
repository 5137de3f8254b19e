"""What public reads are served from: ready answers, and who holds a token, until a change ends them (architecture 5).

Whoever reads from it has first let the tail catch up, so what is still here is true. What is not here is made once,
while all others who want it wait, each with a future of its own: a client that hangs up ends its own wait and no other.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog

from services.board.process.metrics import Registry
from services.board.tags import dropped_tags

log = structlog.get_logger()

ENTRY_BYTES = 1000  # what an entry takes besides what it holds


class Made(NamedTuple):
    """Something made to be kept: what it depends on, and how many bytes it holds."""

    value: Any
    tags: frozenset[str]
    size: int


Make = Callable[[], Awaitable[Made]]


@dataclass(eq=False, slots=True)
class Making:
    """Something that is being made, since a turn of the tail, and whoever waits for it.

    `known` are the tags that it will have as far as that can be told, `dropped` those that have been ended since;
    `void` says that any may have been.
    """

    turn: int
    known: frozenset[str] | None
    dropped: set[str] = field(default_factory=set)
    void: bool = False
    waiting: list["asyncio.Future[Any]"] = field(default_factory=list)

    def serves(self, tags: Iterable[str]) -> bool:
        """Whether who comes after the end of these tags may still share what is being made."""
        return self.known is not None and self.known.isdisjoint(tags)

    def holds(self, made: Made) -> bool:
        """Whether nothing that the result depends on was ended while it was made."""
        return not self.void and made.tags.isdisjoint(self.dropped)


class Memory:
    """Keeps up to `size` bytes; what was not used for longest makes room."""

    def __init__(self, size: int, registry: Registry) -> None:
        self.size = size
        self.held = 0
        self.entries: OrderedDict[Hashable, Made] = OrderedDict()
        self.keys: dict[str, set[Hashable]] = {}
        self.shared: dict[Hashable, Making] = {}
        self.makings: dict[asyncio.Task[None], Making] = {}
        self.hits = registry.count("agent_board_memory_hits_total", "Reads served from memory.")
        self.misses = registry.count("agent_board_memory_misses_total", "Reads of what was not in memory.")
        self.rebuilds = registry.count("agent_board_memory_rebuilds_total", "Entries made; other misses waited.")
        self.drops = registry.count("agent_board_memory_drops_total", "Entries ended, by kind of change.", ("kind",))
        self.evictions = registry.count("agent_board_memory_evictions_total", "Entries that made room for others.")
        self.forgotten = registry.count(
            "agent_board_memory_forgotten_total",
            "Times that everything was dropped: connection (the tail lost its connection), gap (changes were missed), "
            "kind (a change of a kind that this release does not know).",
            ("reason",),
        )
        registry.reading("agent_board_memory_bytes", "Bytes that the entries in memory hold.", lambda: self.held)
        registry.reading("agent_board_memory_entries", "Entries in memory.", lambda: len(self.entries))

    def find(self, key: Hashable) -> Any:
        """What is kept under a key; None when nothing is."""
        entry = self.entries.get(key)
        if entry is None:
            self.misses.add()
            return None
        self.entries.move_to_end(key)
        self.hits.add()
        return entry.value

    async def make(self, key: Hashable, turn: int, known: frozenset[str] | None, make: Make) -> Any:
        """Make what is missing, or wait for who is at it, and keep it. `turn` is when the caller caught up.

        Raises what making raises; who came after that had begun tries again, for it may have changed.
        """
        while True:
            making = self.shared.get(key) or self.begin(key, turn, known, make)
            future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            making.waiting.append(future)
            try:
                return await future
            except Exception:
                if making.turn >= turn:
                    raise

    def begin(self, key: Hashable, turn: int, known: frozenset[str] | None, make: Make) -> Making:
        self.rebuilds.add()
        making = self.shared[key] = Making(turn, known)
        task = asyncio.create_task(self.run(key, making, make), name="rebuild")
        self.makings[task] = making
        task.add_done_callback(self.makings.pop)
        return making

    async def run(self, key: Hashable, making: Making, make: Make) -> None:
        try:
            made = await make()
        except BaseException as error:
            self.unshare(key, making)
            for future in making.waiting:
                if not future.done():
                    future.set_exception(error) if isinstance(error, Exception) else future.cancel()
            if not isinstance(error, Exception):
                raise
        else:
            self.unshare(key, making)
            if making.holds(made):
                self.keep(key, made)
            for future in making.waiting:
                if not future.done():
                    future.set_result(made.value)

    def unshare(self, key: Hashable, making: Making) -> None:
        if self.shared.get(key) is making:
            del self.shared[key]

    def keep(self, key: Hashable, made: Made) -> None:
        made = made._replace(size=made.size + ENTRY_BYTES)
        self.remove(key)
        self.entries[key] = made
        self.held += made.size
        for tag in made.tags:
            self.keys.setdefault(tag, set()).add(key)
        while self.held > self.size:
            self.remove(next(iter(self.entries)))
            self.evictions.add()

    def remove(self, key: Hashable) -> None:
        made = self.entries.pop(key, None)
        if made is None:
            return
        self.held -= made.size
        for tag in made.tags:
            keys = self.keys[tag]
            keys.discard(key)
            if not keys:
                del self.keys[tag]

    def apply(self, changes: Sequence[Any]) -> None:
        """End what the changes show on: rows with kind, thread_id, agent_id and community."""
        for change in changes:
            tags = dropped_tags(change["kind"], change["thread_id"], change["agent_id"], change["community"])
            if tags is None:
                self.forget("kind")
                return
            self.drop(change["kind"], tags)

    def drop(self, kind: str, tags: Sequence[str]) -> None:
        """End whatever depends on one of these tags."""
        keys = {key for tag in tags for key in self.keys.get(tag, ())}
        for key in keys:
            self.remove(key)
        self.drops.add(kind, amount=len(keys))
        for making in self.makings.values():
            making.dropped.update(tags)
        self.shared = {key: making for key, making in self.shared.items() if making.serves(tags)}

    def forget(self, reason: str) -> None:
        """End everything."""
        log.info("memory_forgotten", reason=reason)
        self.forgotten.add(reason)
        self.entries.clear()
        self.keys.clear()
        self.shared.clear()
        self.held = 0
        for making in self.makings.values():
            making.void = True

    async def close(self) -> None:
        """End what is being made."""
        for task in list(self.makings):
            task.cancel()
