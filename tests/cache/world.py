"""Checks that readers see all acknowledged writes, by means of lower bounds for every route's answer.

Writers record their answers; a reader copies the bounds when its read begins and compares the answer with them.
Only hiding ever reverses what is recorded, and only the threads in `victims` are hidden.
"""

import asyncio
import copy
import itertools
import random
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.load import Member

COMMUNITIES = ("general", "help", "tools")
Bounds = dict[str, Any]


@dataclass
class World:
    """Several replicas, their agents, and the bounds of every answer."""

    urls: list[str]
    session: aiohttp.ClientSession
    members: list[Member]
    hot: list[int]
    quiet: list[int]
    victims: list[int]
    chance: random.Random
    known: Bounds = field(default_factory=lambda: {
        "thread": 0, "post": 0, "moment": 0.0, "registered": 0.0, "posts": 0, "words": [], "described": 0,
        "in": Counter(), "by": Counter(), "newest_by": Counter(), "last_by": Counter(),
        "replies": Counter(), "score": Counter(), "bio": Counter(), "hidden": set(), "dead": [],
    })  # fmt: skip
    hides_begun: int = 0
    tags: dict[str, tuple[str, Any]] = field(default_factory=dict)
    checked: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    mark: str = field(default_factory=lambda: secrets.token_hex(3))

    async def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        """Call a replica, until it is not too busy; a 304 means the answer that came with its tag."""
        kept = self.tags.get(path, ("", None)) if method == "GET" else ("", None)
        status, tag, content = await self.send(method, path, body, token or "", kept[0])
        while status == 503:
            await asyncio.sleep(0.1)
            status, tag, content = await self.send(method, path, body, token or "", kept[0])
        if status == 304:
            return 200, kept[1]
        if method == "GET" and status == 200 and token is None:
            self.tags[path] = tag, content
        return status, content

    async def send(self, method: str, path: str, body: Any, token: str, known_tag: str) -> tuple[int, str, Any]:
        """Call a random replica; return the status, the tag and the content of the answer."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"If-None-Match": known_tag} if known_tag else {}
        url = self.chance.choice(self.urls) + path
        async with self.session.request(method, url, json=body, headers=headers) as answer:
            content = None if answer.status == 304 else await answer.json()
            return answer.status, answer.headers.get("ETag", ""), content

    def expect(self, route: str, holds: bool, what: object) -> None:
        """Record a check, and any failure of it."""
        self.checked[route] += 1
        if not holds:
            self.violations.append(f"{route}: {what}")

    async def write(self, number: int) -> None:
        """Make one random change as the agent of this number, and record the answer."""
        member = self.members[number]
        await self.chance.choice((self.thread, self.reply, self.reply, self.vote, self.edit, self.rotate))(
            number, member
        )

    async def thread(self, number: int, member: Member) -> None:
        place, word = self.chance.choice(COMMUNITIES), f"word{self.mark}x{next(self.numbers)}x"
        body = {"title": f"About {word}", "body": "Who knows?", "community": place}
        status, thread = await self.call("POST", "/api/threads", body, member.token)
        assert status == 201, thread
        known = self.known
        known["thread"] = max(known["thread"], thread["id"])
        known["in"][place] = max(known["in"][place], thread["id"])
        known["newest_by"][member.name] = max(known["newest_by"][member.name], thread["id"])
        known["words"].append((word, thread["id"]))
        self.posted(member, thread)

    async def reply(self, number: int, member: Member) -> None:
        thread = self.chance.choice(self.hot)
        status, reply = await self.call("POST", f"/api/threads/{thread}/replies", {"body": "I do."}, member.token)
        assert status == 201, reply
        self.known["replies"][thread] += 1
        self.posted(member, reply)

    def posted(self, member: Member, post: Any) -> None:
        known = self.known
        known["by"][member.name] += 1
        known["last_by"][member.name] = max(known["last_by"][member.name], post["id"])
        known["posts"] += 1
        known["post"] = max(known["post"], post["id"])
        known["moment"] = max(known["moment"], post["created"])

    async def vote(self, number: int, member: Member) -> None:
        # nothing but votes evicts a quiet thread from memory
        thread = self.chance.choice(self.hot + self.quiet)
        status, result = await self.call("POST", f"/api/posts/{thread}/vote", {"value": 1}, member.token)
        assert status == 200, result
        self.known["score"][thread] += result["changed"]

    async def edit(self, number: int, member: Member) -> None:
        version = self.known["bio"][member.name] + 1
        status, account = await self.call("PATCH", "/api/agents/me", {"bio": f"version {version}"}, member.token)
        assert status == 200, account
        self.known["bio"][member.name] = version

    async def rotate(self, number: int, member: Member) -> None:
        # the old token is in use, so that it is cached
        await self.call("GET", "/api/stats?of=mine", token=member.token)
        status, rotated = await self.call("POST", "/api/agents/me/token", {}, member.token)
        assert status == 200, rotated
        self.known["dead"].append(member.token)
        self.members[number] = Member(member.id, member.name, rotated["token"])

    async def read(self) -> None:
        """Read a random route of a random replica, and compare it with the bounds from before the read."""
        await self.chance.choice(READS)(self, self.bounds())

    def bounds(self) -> Bounds:
        """Return the bounds of this moment."""
        before = copy.copy(self.known)
        for name in ("in", "by", "newest_by", "last_by", "replies", "score", "bio", "hidden"):
            before[name] = copy.copy(self.known[name])
        return before


Read = Callable[[World, Bounds], Any]


def first_id(page: Any) -> int:
    """Return the id of a page's first item; 0 for an empty page."""
    return int(page["items"][0]["id"]) if page["items"] else 0


async def new_threads(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/threads?limit=5")
    world.expect("list_threads", first_id(page) >= known["thread"], known["thread"])


async def active_threads(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/threads?limit=1&sort=active")
    world.expect("list_threads, active", page["items"][0]["activity"] >= known["moment"], known["moment"])


async def threads_of_a_community(world: World, known: Bounds) -> None:
    place = world.chance.choice(COMMUNITIES)
    _, page = await world.call("GET", f"/api/threads?limit=1&community={place}")
    world.expect("list_threads, community", first_id(page) >= known["in"][place], known["in"][place])


async def threads_of_an_author(world: World, known: Bounds) -> None:
    name = world.chance.choice(world.members).name
    _, page = await world.call("GET", f"/api/threads?limit=1&author={name}")
    world.expect("list_threads, author", first_id(page) >= known["newest_by"][name], name)


async def thread_page(world: World, known: Bounds) -> None:
    thread = world.chance.choice(world.hot + world.quiet)
    _, page = await world.call("GET", f"/api/threads/{thread}")
    world.expect("read_thread, replies", page["thread"]["reply_count"] >= known["replies"][thread], thread)
    world.expect("read_thread, score", page["thread"]["score"] >= known["score"][thread], thread)


async def hidden_thread(world: World, known: Bounds) -> None:
    victim = world.chance.choice(world.victims)
    status, _ = await world.call("GET", f"/api/threads/{victim}")
    world.expect("read_thread, hidden", status == 404 or victim not in known["hidden"], victim)
    status, _ = await world.call("GET", f"/api/posts/{victim}/receipt")
    world.expect("read_receipt, hidden", status == 404 or victim not in known["hidden"], victim)


async def receipt(world: World, known: Bounds) -> None:
    if known["post"]:
        status, _ = await world.call("GET", f"/api/posts/{known['post']}/receipt")
        world.expect("read_receipt", status == 200, known["post"])


async def single_post(world: World, known: Bounds) -> None:
    thread = world.chance.choice(world.hot + world.quiet)
    _, alone = await world.call("GET", f"/api/posts/{thread}")
    _, page = await world.call("GET", f"/api/posts?ids={thread}")
    for route, post in (("read_post", alone), ("list_posts", page["items"][0])):
        world.expect(f"{route}, replies", post["reply_count"] >= known["replies"][thread], thread)
        world.expect(f"{route}, score", post["score"] >= known["score"][thread], thread)


async def newest_post(world: World, known: Bounds) -> None:
    if known["post"]:
        status, _ = await world.call("GET", f"/api/posts/{known['post']}")
        world.expect("read_post", status == 200, known["post"])
        _, page = await world.call("GET", f"/api/posts?ids={known['post']},{known['post'] + 1}")
        world.expect("list_posts", first_id(page) == known["post"], known["post"])


async def hidden_post(world: World, known: Bounds) -> None:
    victim = world.chance.choice(world.victims)
    status, _ = await world.call("GET", f"/api/posts/{victim}")
    world.expect("read_post, hidden", status == 404 or victim not in known["hidden"], victim)
    _, page = await world.call("GET", f"/api/posts?ids={victim}")
    world.expect("list_posts, hidden", page["count"] == 0 or victim not in known["hidden"], victim)


async def posts_of_an_agent(world: World, known: Bounds) -> None:
    name = world.chance.choice(world.members).name
    _, page = await world.call("GET", f"/api/agents/{name}/posts?limit=1")
    world.expect("list_agent_posts", first_id(page) >= known["last_by"][name], name)


async def profile(world: World, known: Bounds) -> None:
    name = world.chance.choice(world.members).name
    _, agent = await world.call("GET", f"/api/agents/{name}")
    world.expect("read_agent, counts", agent["post_count"] >= known["by"][name], name)
    version = int(agent["bio"].removeprefix("version ") or 0)
    world.expect("read_agent, bio", version >= known["bio"][name], (name, version, known["bio"][name]))


async def newest_agents(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/agents?limit=1&sort=new")
    world.expect("list_agents, new", page["items"][0]["created"] >= known["registered"], known["registered"])


async def active_agents(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/agents?limit=1")
    world.expect("list_agents, active", page["items"][0]["activity"] >= known["moment"], known["moment"])


async def search(world: World, known: Bounds) -> None:
    words = world.known["words"]
    if words:
        word, thread = world.chance.choice(words[-30:])
        _, found = await world.call("GET", f"/api/search?q={word}")
        world.expect("search_board", [item["id"] for item in found["threads"]] == [thread], word)


async def opportunities(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/opportunities")
    world.expect("list_opportunities", first_id(page) >= known["thread"], known["thread"])


async def activity_after(world: World, known: Bounds) -> None:
    if known["post"]:
        _, page = await world.call("GET", f"/api/activity?after={known['post'] - 1}&limit=3")
        world.expect("list_activity, after", first_id(page) == known["post"], known["post"])


async def newest_activity(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/activity?limit=1")
    world.expect("list_activity", first_id(page) >= known["post"], known["post"])


async def communities(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/api/communities")
    found = {item["slug"]: item for item in page["items"]}
    newest = max(item["activity"] or 0 for item in page["items"])
    world.expect("list_communities", newest >= known["moment"], known["moment"])
    version = int(found["meta"]["description"].removeprefix("Version ").rstrip(".") or 0)
    world.expect("list_communities, described", version >= known["described"], known["described"])


async def stats(world: World, known: Bounds) -> None:
    path = world.chance.choice(("/api/stats", "/api/start"))
    _, page = await world.call("GET", path)
    numbers = page["stats"] if path == "/api/start" else page
    visible = numbers["threads"] + numbers["replies"]
    world.expect(path, visible >= known["posts"] - world.hides_begun, known["posts"])


async def feed(world: World, known: Bounds) -> None:
    _, page = await world.call("GET", "/feed.json")
    world.expect("read_feed", int(page["items"][0]["id"].rpartition("/")[2]) >= known["thread"], known["thread"])


async def dead_token(world: World, known: Bounds) -> None:
    if world.known["dead"]:
        token = world.chance.choice(world.known["dead"][-20:])
        path = world.chance.choice(("/api/agents/me", "/api/threads?of=mine", "/api/home", "/api/inbox"))
        status, _ = await world.call("GET", path, token=token)
        world.expect("a rotated token", status == 401, path)


READS: tuple[Read, ...] = (
    new_threads, active_threads, threads_of_a_community, threads_of_an_author, thread_page, hidden_thread, receipt,
    single_post, newest_post, hidden_post, posts_of_an_agent, profile, newest_agents, active_agents, search,
    opportunities, activity_after, newest_activity, communities, stats, feed, dead_token,
)  # fmt: skip
