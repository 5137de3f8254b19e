"""The clients of a history: agents that publish, repeat, vote, rotate, follow and read, each one call at a time.

An agent whose write has no certain outcome ends after that, because the write may still happen later. Another one takes
its place. A post with a key is sent again until it is answered, and so is a rotation.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.chaos.callers import Reply, Unanswered
from tests.history.record import VERSION, Call, posts_in

if TYPE_CHECKING:
    from tests.history.traffic import Traffic

RETRY_SECONDS = 0.3
GIVE_UP_SECONDS = 120.0
KEYED = 0.5
COMMUNITIES = ("general", "help", "tools")
RECENT = 30
PAGE = 100
THREAD = ("create_thread", "/api/threads")


@dataclass
class Made:
    """A post of a client. Its id is 0 until it was answered."""

    number: int
    thread: int
    author: "Client"
    key: str
    body: dict[str, str]
    id: int = 0


class Client:
    """An agent of the load. `chance` decides what it does."""

    def __init__(self, traffic: "Traffic", place: int, chance: random.Random) -> None:
        self.traffic, self.place, self.chance = traffic, place, chance
        self.name, self.token, self.tokens = "", "", 0
        self.cursor, self.inbox = traffic.first, 0
        self.community = ""
        self.subscription = 0
        self.active = True
        self.certain = True
        self.version = 0
        self.keys: set[str] = set()
        self.tags: dict[str, tuple[str, dict[str, Any]]] = {}

    async def call(
        self,
        does: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str = "",
        token: str = "",
        tag: str = "",
        **sent: Any,
    ) -> tuple[Call, Reply | None]:
        """Make a call and record it."""
        history = self.traffic.history
        call = history.invoke(self.name, does, {"path": path, **sent})
        try:
            reply = await self.traffic.callers.call(method, path, body, token=token, key=key, tag=tag)
        except Unanswered as failure:
            history.fail(call, failure)
            self.certain &= method == "GET" or call.outcome != "unknown"
            return call, None
        history.answer(call, reply)
        return call, reply

    async def live(self) -> None:
        """Act until the load ends or an outcome is unknown."""
        await self.join()
        while self.certain and not self.traffic.ending.is_set():
            await self.chance.choice(ACTIONS)(self)
            await asyncio.sleep(self.traffic.pause * (0.5 + self.chance.random()))

    async def join(self, bio: Callable[[], str] | None = None) -> None:
        """Register, under a new name and with a new profile at each attempt; every second client also follows."""

        async def register() -> tuple[Call, Reply | None]:
            self.name = self.traffic.new_name()
            profile = {"bio": bio()} if bio else {}
            return await self.call(
                "register", "POST", "/api/agents/register", {"name": self.name, **profile}, stays=not profile
            )

        async with self.traffic.joining:
            self.token = (await self.insist(register)).json["token"]
        self.certain = True
        if self.place % 2 == 0:
            self.community = COMMUNITIES[self.place // 2 % len(COMMUNITIES)]
            await self.subscribe(self.community)

    async def insist(self, attempt: Callable[[], Awaitable[tuple[Call, Reply | None]]]) -> Reply:
        """Repeat a call until it is answered. Raises TimeoutError."""
        async with asyncio.timeout(GIVE_UP_SECONDS):
            while True:
                _, reply = await attempt()
                if reply is not None:
                    return reply
                await asyncio.sleep(RETRY_SECONDS)

    async def subscribe(self, community: str) -> None:
        body = {"kind": "community", "target": community}
        _, reply = await self.call(
            "subscribe", "POST", "/api/subscriptions", body, token=self.token, community=community
        )
        self.subscription = reply.json["id"] if reply else 0

    async def resume(self) -> None:
        """Resume the subscription, whatever its state is."""
        path = f"/api/subscriptions/{self.subscription}/resume"
        await self.insist(lambda: self.call("resume", "POST", path, token=self.token))

    def draft(self, *, thread: int = 0, keyed: bool = True, community: str = "", key: str = "") -> Made:
        """Return a new thread, or a reply to a thread, that is not sent yet."""
        number, word = self.traffic.new_number()
        body = {"body": f"Nothing lost, nothing twice: {word}."}
        if not thread:
            body |= {"title": f"About {word}", "community": community or self.chance.choice(COMMUNITIES)}
        return Made(number, thread, self, key or (f"key-{word}" if keyed else ""), body)

    async def send(self, made: Made, **sent: Any) -> tuple[Call, Reply | None]:
        """Send a post once. Its outcome may stay unknown: the log and the limit show whether it was published."""
        certain = self.certain
        self.keys.add(made.key)
        does, path = ("create_reply", f"/api/threads/{made.thread}/replies") if made.thread else THREAD
        call, reply = await self.call(
            does, "POST", path, made.body, key=made.key, token=self.token, author=self.name, number=made.number,
            thread=made.thread, community=made.body.get("community", ""), **sent,
        )  # fmt: skip
        self.certain = certain
        if call.status == 201:
            made.id = int(call.seen["id"])
            self.traffic.acknowledge(made, call)
        return call, reply

    async def publish(self, made: Made, **sent: Any) -> Made:
        """Send a post: with a key until it is answered, without one once."""
        if made.key:
            await self.insist(lambda: self.send(made, **sent))
        else:
            await self.send(made, **sent)
        return made

    async def read(self, does: str, path: str, *, private: bool = False, **sent: Any) -> Call:
        """Read something. A 304 stands for the answer that came with its tag."""
        tag, kept = ("", {}) if private else self.tags.get(path, ("", {}))
        token = self.token if private else ""
        call, reply = await self.call(does, "GET", path, token=token, tag=tag, **sent)
        if call.status == 304:
            call.status, call.seen = 200, kept
        elif reply and call.status == 200 and not private:
            self.tags[path] = reply.headers.get("ETag", ""), call.seen
        return call


async def thread(client: Client) -> None:
    await client.publish(client.draft(keyed=client.chance.random() < KEYED))


async def reply(client: Client) -> None:
    if found := client.traffic.some_thread(client.chance):
        await client.publish(client.draft(thread=found.id, keyed=client.chance.random() < KEYED))


async def replay(client: Client) -> None:
    """Send an earlier post again."""
    if own := [made for made in client.traffic.recent if made.key and made.author is client]:
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
        client.traffic.tokens += 1
        client.tokens = client.traffic.tokens
        return await client.call(
            "rotate", "POST", "/api/agents/me/token", key=key, token=old, used=was, issued=client.tokens
        )

    reply = await client.insist(attempt)
    if reply.status != 200:
        client.certain = False
        return
    client.token = reply.json["token"]
    path = client.chance.choice(("/api/stats?of=mine", "/api/home?parts=quick_links", "/api/inbox?limit=1"))
    await client.call("use_token", "GET", path, token=old, used=was)
    await use_token(client)


async def use_token(client: Client) -> None:
    call, _ = await client.call("use_token", "GET", "/api/agents/me", token=client.token, used=client.tokens)
    client.certain &= call.status != 401


async def edit(client: Client) -> None:
    """Change the profile, and read it before and afterwards."""
    path, kind = f"/api/agents/{client.name}", f"version of {client.name}"
    await client.read("read_agent", path, count="version", of=kind)
    client.version += 1
    bio = {"bio": f"{VERSION}{client.version}"}
    await client.call("edit", "PATCH", "/api/agents/me", bio, token=client.token, version=client.version)
    await client.read("read_agent", path, count="version", of=kind)


async def toggle(client: Client) -> None:
    """Resume the subscription, or pause it just after a post that matches."""
    if client.subscription:
        if client.active:
            founder = client.traffic.founder
            await founder.send(founder.draft(keyed=False, community=client.community))
        does = "pause" if client.active else "resume"
        path = f"/api/subscriptions/{client.subscription}/{does}"
        await client.call(does, "POST", path, token=client.token)
        client.active = not client.active


async def read_inbox(client: Client, *, last: bool = False) -> bool:
    """Read the next page of the inbox, and acknowledge an event; return whether there may be more."""
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
