"""The last reads, after the load: they show the judges everything that the board still has."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

from tests.history.actions import follow, read_inbox, replay, use_token
from tests.history.clients import COMMUNITIES, RETRY_SECONDS, Client, Made
from tests.history.late import has_come
from tests.history.traffic import Traffic

BACK_MAX, EARLIER_MAX = 32, 20
PAGE = 100


async def settle(traffic: Traffic, seconds: float) -> Sequence[Made]:
    """Let some clients come back, publish the last threads and return them, and read all posts and the inboxes.

    The last events may be delivered this many seconds late.
    """
    chosen = random.Random(traffic.seed).sample(traffic.clients, min(BACK_MAX, len(traffic.clients)))
    readers = [client for client in chosen if await comes_back(client) and client.subscription]
    founder = await traffic.newcomer()
    last = [await founder.publish(founder.draft(community=community)) for community in COMMUNITIES]
    while await follow(founder):
        pass
    due, deadline = max(made.id for made in last) - len(last), time.monotonic() + seconds
    await asyncio.gather(*(read_again(client, due, deadline) for client in readers))
    posts = [str(made.id) for made in traffic.made]
    for first in range(0, len(posts), PAGE):
        await founder.read("list_posts", f"/api/posts?ids={','.join(posts[first : first + PAGE])}")
    return last


async def comes_back(client: Client) -> bool:
    """Use a token again, read the profile and repeat a post; return whether the token works."""
    if not client.joined or (await use_token(client)).status != 200:
        return False
    await client.read_own_profile()
    await replay(client)
    if client.subscription:
        await client.resume()
    return True


async def read_again(client: Client, due: int, deadline: float) -> None:
    """Read an inbox from the beginning until it has an event after this one."""
    client.inbox = 0
    while client.inbox <= due and time.monotonic() < deadline:
        if not await read_inbox(client, last=True):
            await asyncio.sleep(RETRY_SECONDS)


async def read_what_is_late(traffic: Traffic, last: Sequence[Made], seconds: float, *, signed: bool) -> None:
    """Search for the last posts until the searches are complete, then for some earlier ones; so with their receipts."""
    reader = Client(traffic, 1, random.Random(traffic.seed))
    posts = [*last, *reader.chance.sample(traffic.made, min(EARLIER_MAX, len(traffic.made)))]
    for made in posts:
        path = f"/api/search?q={traffic.history.word(made.number)}"
        await read_late(reader, "search_board", path, seconds, shows=made.number)
    if signed:
        for made in posts:
            await read_late(reader, "read_receipt", f"/api/posts/{made.id}/receipt", seconds, shows=made.number)
        for _ in traffic.callers.urls:
            await reader.read("read_checkpoint", "/log/checkpoint")


async def read_late(reader: Client, does: str, path: str, seconds: float, **sent: Any) -> None:
    """Read until the answer has what may come this many seconds late."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if has_come(await reader.read(does, path, late=True, **sent)):
            return
        await asyncio.sleep(RETRY_SECONDS)
