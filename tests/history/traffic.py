"""The load of a history: clients that act at the same time through every disturbance, and the record of their calls."""

import asyncio
import itertools
import random
import time
from typing import Self

from tests.history.actions import live, replay
from tests.history.audited import Audited
from tests.history.callers import Callers
from tests.history.clients import GIVE_UP_SECONDS, RECENT, Client, Made
from tests.history.record import Call, History

CLIENTS = 16
FLOODERS = 3
JOINING_MAX = 2
LOG = """
SELECT id, coalesce(substring(coalesce(title, '') || body from '{pattern}'), '0'), author, extract(epoch FROM created)
FROM posts WHERE id >= {first} ORDER BY id
"""
# of a begin, the id is 0; no value has a line break
ENTRIES = """
SELECT id, entry FROM (SELECT first_id AS place, 0 AS id, rtrim(entry, E'\\n') AS entry FROM log_begins
    UNION ALL SELECT id, id, encode(digest, 'hex') FROM posts) entries ORDER BY place, id
"""


class Traffic:
    """Runs from the start to the end of the `async with` block.

    Each client waits about as long as the board's `pause` between two actions. The seed decides what each client does,
    not when.
    """

    def __init__(self, callers: Callers, board: Audited, clients: int = CLIENTS, seed: int = 7) -> None:
        self.callers, self.pause = callers, board.pause
        self.count, self.seed = clients, seed
        self.history = History()
        begin = {"quota": board.quota, "window": board.window, "log_key": board.log_key}
        self.history.note("run", "begin", {**begin, "wall": time.time() - time.monotonic()}, {})
        self.mark = self.history.mark
        self.acknowledged: list[float] = []
        self.made: list[Made] = []
        self.clients: list[Client] = []
        self.first = 0
        self.tokens = 0
        self.names, self.numbers = itertools.count(1), itertools.count(1)
        self.ending = asyncio.Event()
        # The board refuses registrations that wait too long for each other, which is no fault under test.
        self.joining = asyncio.Semaphore(JOINING_MAX)
        self.tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self.founder = await self.newcomer()
        await self.founder.read("read_stats", "/api/stats")
        self.first = (await self.founder.publish(self.founder.draft())).id
        self.tasks = [asyncio.create_task(self.replace_lost(place)) for place in range(self.count)]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait for the answer to every call in flight, and stop."""
        self.ending.set()
        await asyncio.gather(*self.tasks)

    async def replace_lost(self, place: int) -> None:
        """Let clients take a place, one after the other."""
        chance = random.Random(f"{self.seed} {place}")
        while not self.ending.is_set():
            client = Client(self, place, chance)
            self.clients.append(client)
            await live(client)

    async def newcomer(self) -> Client:
        client = Client(self, 1, random.Random(self.seed))
        await client.join()
        return client

    def new_name(self) -> str:
        return f"agent-{self.mark}-{next(self.names)}"

    def new_number(self) -> tuple[int, str]:
        """Return the number of a new post, and its word."""
        number = next(self.numbers)
        return number, self.history.word(number)

    def acknowledge(self, made: Made, call: Call) -> None:
        """Take in a post that was answered. A post that an operator will withdraw is no thread for others."""
        self.acknowledged.append(call.ended or 0.0)
        if not made.id:
            made.id = int(call.seen["id"])
            self.made += [] if "victim" in call.sent else [made]

    @property
    def recent(self) -> list[Made]:
        """The newest posts."""
        return self.made[-RECENT:]

    def some_thread(self, chance: random.Random) -> Made | None:
        threads = [made for made in self.recent if not made.thread]
        return chance.choice(threads) if threads else None

    async def progress(self, count: int, seconds: float = GIVE_UP_SECONDS) -> None:
        """Return when this many more posts were acknowledged. Raises TimeoutError."""
        goal = len(self.acknowledged) + count
        async with asyncio.timeout(seconds):
            while len(self.acknowledged) < goal:
                self.raise_failure()
                await asyncio.sleep(0.02)

    def raise_failure(self) -> None:
        """Raise what has ended a task."""
        for task in self.tasks:
            if task.done():
                task.result()


async def read_log(board: Audited, traffic: Traffic) -> None:
    """Record the log as the database has it, and its digests if the board has a verifiable log."""
    history = traffic.history
    pattern = history.pattern.pattern.replace(r"\d", "[0-9]")
    rows = await board.query(LOG.format(pattern=pattern, first=traffic.first))
    log = [[int(post), int(number) or None, author, float(created)] for post, number, author, created in rows]
    history.note("database", "read_log", {}, {"rows": log})
    if board.log_key:
        entries = [[int(post), entry if int(post) else f"{entry}\n"] for post, entry in await board.query(ENTRIES)]
        history.note("database", "read_entries", {}, {"entries": entries})


async def flood(traffic: Traffic, chance: random.Random, window: float) -> None:
    """Publish as one agent more than it may, and repeat some posts, until the load ends."""
    while not traffic.ending.is_set():
        agent = await traffic.newcomer()
        await asyncio.gather(*(post_often(agent, chance, window) for _ in range(FLOODERS)))


async def post_often(agent: Client, chance: random.Random, window: float) -> None:
    while not agent.traffic.ending.is_set():
        call, _ = await agent.send(agent.draft())
        await asyncio.sleep(agent.traffic.pause * chance.random() / FLOODERS)
        if call.status != 201:
            await replay(agent)
            await asyncio.sleep(window * chance.random() / FLOODERS)
