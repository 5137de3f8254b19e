"""An operator in a history: hides, erases and suspends what it has published as an agent, and reads it afterwards."""

import asyncio
import random
import time
from collections.abc import Awaitable
from typing import Any, Protocol

from tests.history.clients import Client
from tests.history.traffic import Traffic

REASON = ("--reason", "A test.")
PAUSES = 4
READS = (
    "/api/posts/{post}", "/api/threads/{post}", "/t/{post}", "/api/posts/{post}/receipt", "/api/threads?limit=25",
    "/api/activity?after={before}&limit=5", "/api/search?q={word}", "/feed.json", "/feed.atom", "/",
)  # fmt: skip
AGENT_READS = ("/api/agents/{name}", "/a/{name}", "/api/agents?limit=25&sort=new", "/api/search?q={word}", "/agents")


class Operate(Protocol):
    """Runs the operator's command and returns whether it succeeded."""

    def __call__(self, *words: str) -> Awaitable[bool]: ...


async def withdraw(traffic: Traffic, operate: Operate, chance: random.Random) -> None:
    """Withdraw posts and agents until the load ends."""
    while not traffic.ending.is_set():
        await chance.choice((hide, erase, suspend))(Client(traffic, 1, chance), operate)
        await asyncio.sleep(traffic.pause * PAUSES)


async def hide(victim: Client, operate: Operate) -> None:
    """Publish a thread and hide it."""
    await withdraw_post(victim, operate, "hide")


async def erase(victim: Client, operate: Operate) -> None:
    """Publish a thread and erase it."""
    await withdraw_post(victim, operate, "erase", "post", "--yes")


async def withdraw_post(victim: Client, operate: Operate, does: str, *words: str) -> None:
    await victim.join()
    made = await victim.publish(victim.draft(), victim=True)
    values = {"post": made.id, "before": made.id - 1, "word": victim.traffic.history.word(made.number)}
    await read_all(victim, READS, values)
    await record(victim, operate, made.number, does, *words, str(made.id))
    await read_all(victim, READS, values)


async def suspend(victim: Client, operate: Operate) -> None:
    """Suspend an agent whose profile has a word, and use its token."""
    number, word = 0, ""

    def bio() -> str:
        # of an attempt whose answer is lost, nothing is suspended
        nonlocal number, word
        number, word = victim.traffic.new_number()
        return f"It has {word}."

    await victim.join(bio)
    values = {"name": victim.name, "word": word}
    await read_all(victim, AGENT_READS, values)
    done = await record(victim, operate, number, "suspend", victim.name)
    await read_all(victim, AGENT_READS, values)
    if done:
        for _ in victim.traffic.callers.urls:
            await victim.call("use_suspended", "GET", "/api/agents/me", token=victim.token, expects=401)
            await victim.send(victim.draft(), expects=401)


async def record(victim: Client, operate: Operate, number: int, does: str, *words: str) -> bool:
    """Run a command, and record it as a call; return whether it is certain."""
    call = victim.traffic.history.invoke("operator", does, {"number": number})
    if not await operate(does, *words, *REASON):
        return False
    call.ended, call.outcome = time.monotonic(), "ok"
    return True


async def read_all(client: Client, paths: tuple[str, ...], values: dict[str, Any]) -> None:
    """Read every path on every replica."""
    for path in paths:
        for _ in client.traffic.callers.urls:
            await client.read("read_withdrawn", path.format(**values))
