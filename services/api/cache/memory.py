"""The cache of public answers, from which changes evict (ARCHITECTURE.md, "The walk of a read").

Every reader first waits for the change feed, so an entry that is found is current. A missing entry is built once,
and all readers wait for that build, each with a future of its own: a client that hangs up ends only its own wait.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from prometheus_client import Counter

from services.api.cache.entries import Entries, Entry
from services.api.cache.tags import dropped_tags
from services.process.metrics import Registry

log = structlog.get_logger()

BUILD_SECONDS: Final = 10.0

BuildEntry = Callable[[], Awaitable[Entry]]


@dataclass(eq=False, slots=True)
class Build:
    """An entry that is being built, and the readers that wait for it. It began after this read of the change feed.

    `expected` are the tags that the entry will have, None if they are not known yet; `moment` is that of its begin.
    """

    feed_read: int
    expected: frozenset[str] | None
    moment: int
    waiting: list["asyncio.Future[Entry]"] = field(default_factory=list)


class Memory:
    """Answers from entries of up to `size` bytes in total, and builds those that are missing."""

    def __init__(self, size: int, registry: Registry) -> None:
        self.entries = Entries(size, registry)
        self.builds: dict[Hashable, Build] = {}  # the newest one of each entry
        self.tasks: set[asyncio.Task[None]] = set()
        self.hits = Counter("agent_board_memory_hits_total", "Reads served from memory.", registry=registry)
        self.misses = Counter(
            "agent_board_memory_misses_total", "Reads of entries that were not in memory.", registry=registry
        )
        self.rebuilds = Counter(
            "agent_board_memory_rebuilds_total", "Entries built; the other misses waited.", registry=registry
        )
        self.forgotten = Counter(
            "agent_board_memory_forgotten_total",
            "Times that all entries were evicted: connection (the change feed lost its connection), gap (changes were "
            "missed), kind (a change of a kind that this release does not know), error (a change that could not be "
            "applied).",
            ("reason",),
            registry=registry,
        )

    def find(self, key: Hashable) -> Any:
        """Return the value under a key, or None, which counts as a miss."""
        entry = self.entries.find(key)
        if entry is None:
            self.misses.inc()
            return None
        self.hits.inc()
        return entry.value

    async def build(
        self, key: Hashable, feed_read: int, expected: frozenset[str] | None, build_entry: BuildEntry
    ) -> Any:
        """Build a missing entry, or wait for a build under way; return its value.

        `feed_read` is the read of the change feed that the caller waited for. Raises what the build raises, unless the
        build began before that read: then the failure may be out of date, and the caller tries again. A thing that was
        not found is looked for again, too. A build may take 10 s.
        """
        while True:
            build = self.shareable(key) or self.begin(key, feed_read, expected, build_entry)
            entry: asyncio.Future[Entry] = asyncio.get_running_loop().create_future()
            build.waiting.append(entry)
            try:
                found = await entry
            except Exception:
                if build.feed_read >= feed_read:
                    raise
            else:
                if build.feed_read >= feed_read or not found.absent:
                    return found.value

    def shareable(self, key: Hashable) -> Build | None:
        """Return the build of an entry under way, unless something that it may depend on has changed since its begin.

        Readers that arrive after a change must not wait for it.
        """
        build = self.builds.get(key)
        return None if build is None or self.entries.is_stale(build.expected, build.moment) else build

    def begin(self, key: Hashable, feed_read: int, expected: frozenset[str] | None, build_entry: BuildEntry) -> Build:
        self.rebuilds.inc()
        build = self.builds[key] = Build(feed_read, expected, self.entries.moment)
        task = asyncio.create_task(self.run(key, build, build_entry), name="rebuild")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return build

    async def run(self, key: Hashable, build: Build, build_entry: BuildEntry) -> None:
        try:
            async with asyncio.timeout(BUILD_SECONDS):
                entry = await build_entry()
        except BaseException as error:
            self.unshare(key, build)
            for future in build.waiting:
                if not future.done():
                    future.set_exception(error) if isinstance(error, Exception) else future.cancel()
            if not isinstance(error, Exception):
                raise
        else:
            self.unshare(key, build)
            for future in build.waiting:
                if not future.done():
                    future.set_result(entry)
            self.entries.keep(key, entry, build.moment)

    def unshare(self, key: Hashable, build: Build) -> None:
        if self.builds.get(key) is build:
            del self.builds[key]

    def apply(self, changes: Sequence[Any]) -> None:
        """Let nothing be found that the changes affect: rows with kind, thread_id, agent_id and community."""
        for change in changes:
            tags = dropped_tags(change["kind"], change["thread_id"], change["agent_id"], change["community"])
            if tags is None:
                self.clear("kind")
                return
            self.entries.outdate(tags)

    def clear(self, reason: str) -> None:
        """Evict everything."""
        log.info("memory_forgotten", reason=reason)
        self.forgotten.labels(reason).inc()
        self.entries.clear()

    async def close(self) -> None:
        """Cancel the builds under way."""
        for task in list(self.tasks):
            task.cancel()
