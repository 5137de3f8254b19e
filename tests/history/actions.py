"""The actions of the clients of a history: they publish, repeat, vote, rotate, follow and read.

An agent whose write has no certain outcome ends after that, because the write may still happen later. Another one takes
its place. A post with a key is sent again until it is answered, and so is a rotation.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.history.callers import Reply
from tests.history.clients import COMMUNITIES, Client
from tests.history.record import VERSION, Call, posts_in

KEYED = 0.5
PAGE = 100


async def live(client: Client) -> None:
    """Act until the load ends or an outcome is unknown."""
    await client.join()
    while client.certain and not client.traffic.ending.is_set():
        await client.chance.choice(ACTIONS)(client)
        await asyncio.sleep(client.traffic.pause * (0.5 + client.chance.random()))


async def thread(client: Client) -> None:
    await client.publish(client.draft(keyed=client.chance.random() < KEYED))


async def reply(client: Client) -> None:
    if found := client.traffic.some_thread(client.chance):
        await client.publish(client.draft(thread=found.id, keyed=client.chance.random() < KEYED))


async def replay(client: Client) -> None:
    """Send an earlier post again."""
    if own := [made for made in client.traffic.made if made.key and made.author is client]:
        await client.send(client.chance.choice(own))


async def reuse_key(client: Client) -> Call | None:
    """Use the key of an earlier post for another one: the agent's own must be refused, that of another must not."""
    known = [made for made in client.traffic.recent if made.author is client or made.key not in client.keys]
    known = [made for made in known if made.key]
    if not known:
        return None
    first = client.chance.choice(known)
    reused = {"expects": 400} if first.author is client else {}
    return (await client.send(client.draft(key=first.key), **reused))[0]


async def vote(client: Client) -> None:
    """Vote on a thread, change the vote, and read the score."""
    if found := client.traffic.some_thread(client.chance):
        path = f"/api/posts/{found.id}"
        for value in client.chance.sample((-1, 0, 1), 2):
            body = {"value": value}
            await client.call("vote", "POST", f"{path}/vote", body, token=client.token, post=found.id, value=value)
        await client.read("read_post", path, post=found.id, shows=found.number)


async def rotate(client: Client) -> None:
    """Replace the token, and use the old one and the new one."""
    old, was = client.token, client.tokens
    key = f"rotation-{client.name}-{was}".ljust(16, "x")

    async def attempt() -> tuple[Call, Reply | None]:
        issued = client.traffic.tokens = client.traffic.tokens + 1
        call, reply = await client.call(
            "rotate", "POST", "/api/agents/me/token", key=key, token=old, used=was, issued=issued
        )
        if reply and reply.status == 200:
            client.token, client.tokens = reply.json["token"], issued
        return call, reply

    if (await client.insist(attempt)).status != 200:
        client.certain = False
        return
    path = client.chance.choice(("/api/stats?of=mine", "/api/home?parts=quick_links", "/api/inbox?limit=1"))
    await client.call("use_token", "GET", path, token=old, used=was)
    await use_token(client)


async def use_token(client: Client) -> Call:
    call, _ = await client.call("use_token", "GET", "/api/agents/me", token=client.token, used=client.tokens)
    client.certain &= call.status != 401
    return call


async def edit(client: Client) -> None:
    """Change the profile, and read it before and afterwards."""
    await client.read_own_profile()
    client.version += 1
    bio = {"bio": f"{VERSION}{client.version}"}
    await client.call("edit", "PATCH", "/api/agents/me", bio, token=client.token, version=client.version)
    await client.read_own_profile()


async def toggle(client: Client) -> None:
    """Resume the subscription, or pause it just after a post that matches."""
    if client.subscription:
        if client.active:
            founder = client.traffic.founder
            await founder.send(founder.draft(keyed=False, community=client.community))
        does = "pause" if client.active else "resume"
        path = f"/api/subscriptions/{client.subscription}/{does}"
        call, _ = await client.call(does, "POST", path, token=client.token)
        client.active = not client.active
        if call.outcome == "unknown":
            client.subscription = 0


async def read_inbox(client: Client, *, last: bool = False) -> bool:
    """Read the next page of the inbox, and acknowledge an event; return whether there may be more.

    The last reading begins again and acknowledges nothing.
    """
    if not client.subscription:
        return False
    path = f"/api/inbox?after={client.inbox}&limit={PAGE}"
    call = await client.read("list_inbox", path, private=True, after=client.inbox, last=last)
    events = call.seen.get("events", [])
    if events:
        client.inbox = events[-1][0]
        if not last:
            await acknowledge(client, client.chance.choice(events)[0])
    return bool(call.seen.get("has_more", True))


async def acknowledge(client: Client, event: int) -> None:
    for _ in range(client.chance.choice((1, 1, 2))):
        await client.call("acknowledge", "POST", f"/api/inbox/{event}/ack", token=client.token, event=event)
    await client.read("read_event", f"/api/inbox?after={event - 1}&limit=1", private=True, event=event)


async def follow(client: Client) -> bool:
    """Read the next page of the log; return whether there may be more."""
    call = await client.read("list_activity", f"/api/activity?after={client.cursor}&limit={PAGE}", after=client.cursor)
    if posts := posts_in(call):
        client.cursor = posts[-1].id
    return bool(call.seen.get("has_more", True))


async def look(client: Client) -> None:
    """Read something that may show a recent post."""
    found = client.chance.choice(client.traffic.recent) if client.traffic.recent else None
    if found is None:
        return
    word, thread = client.traffic.history.word(found.number), found.thread or found.id
    values = {"word": word, "post": found.id, "thread": thread, "author": found.author.name,
              "community": client.chance.choice(COMMUNITIES), "cursor": client.cursor}  # fmt: skip
    does, path, claims = client.chance.choice(LOOKS)
    sent = {name: claim.format(**values) if isinstance(claim, str) else claim for name, claim in claims.items()}
    if sent.pop("shown", False):
        sent["shows"] = found.number
    await client.read(does, path.format(**values), private=bool(sent.pop("private", False)), **sent)


# An answer must have a post as new as the newest of a kind, at least the number of posts of a kind, or the chosen post.
LOOKS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("list_threads", "/api/threads?limit=10", {"newest": "threads"}),
    ("list_threads", "/api/threads?limit=10&community={community}", {"newest": "in {community}"}),
    ("list_threads", "/api/threads?limit=5&author={author}", {"newest": "threads by {author}"}),
    ("list_threads", "/api/threads?limit=10&sort=popular", {"count": "items", "of": "threads", "most": 10}),
    ("list_agent_posts", "/api/agents/{author}/posts?limit=5", {"newest": "by {author}"}),
    ("read_feed", "/feed.json", {"newest": "threads"}),
    ("read_thread", "/api/threads/{thread}?sort=new&limit=10", {"newest": "under {thread}"}),
    ("read_post", "/api/posts/{post}", {"shown": True}),
    ("list_posts", "/api/posts?ids={post}", {"shown": True}),
    ("read_receipt", "/api/posts/{post}/receipt", {"shown": True}),
    ("search_board", "/api/search?q={word}", {"shown": True}),
    ("read_agent", "/api/agents/{author}", {"count": "post_count", "of": "by {author}"}),
    ("read_agent", "/api/agents/{author}", {"count": "version", "of": "version of {author}"}),
    ("read_stats", "/api/stats", {"count": "posts", "of": "visible"}),
    ("read_post", "/api/posts/{thread}", {"count": "replies", "of": "under {thread}"}),
    ("read_thread", "/api/threads/{thread}", {"count": "replies", "of": "under {thread}"}),
    ("list_threads", "/api/threads?limit=1&sort=active", {"count": "activity", "of": "moment"}),
    ("list_agents", "/api/agents?limit=1", {"count": "activity", "of": "moment"}),
    ("list_agents", "/api/agents?limit=1&sort=new", {"count": "registered", "of": "registered"}),
    ("list_communities", "/api/communities", {"count": "activity", "of": "moment"}),
    ("read_start", "/api/start", {"newest": "open threads"}),
    ("list_activity", "/api/activity?limit=10", {"newest": "posts"}),
    ("read_home", "/api/home?after={cursor}", {"private": True, "count": "next_after", "of": "newest"}),
    ("list_opportunities", "/api/opportunities?limit=10", {"newest": "open threads"}),
    ("list_agents", "/api/agents?limit=25", {"count": "activity", "of": "moment"}),
    ("show_board", "/", {"newest": "threads"}),
    ("show_thread", "/t/{thread}", {}),
    ("read_checkpoint", "/log/checkpoint", {}),
)  # fmt: skip
Action = Callable[[Client], Awaitable[object]]
ACTIONS: tuple[Action, ...] = (
    thread, thread, thread, reply, reply, reply, replay, reuse_key, vote, vote, rotate, use_token, edit, toggle,
    read_inbox, read_inbox, follow, follow, look, look, look, look, look, look, look,
)  # fmt: skip
