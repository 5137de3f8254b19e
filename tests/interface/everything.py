"""Every read of the interface, with its expected answer."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from tests.interface import discovery, lists, streams
from tests.interface.comparison import Read, url
from tests.interface.lists import AGENT_ORDERS, THREAD_ORDERS
from tests.interface.model import NOT_FOUND, REVOKED, Model, Refusal
from tests.interface.records import receipt_record, whole_record


def everything(model: Model) -> Iterator[Read]:
    for read in (*every_list(model), *every_stream(model), *every_discovery(model)):
        yield read
        if not isinstance(read.expected, Refusal) and without_bodies(read.expected) != read.expected:
            address = read.url + ("&" if "?" in read.url else "?") + "body=0"
            if not read.url.startswith(FULL):
                yield Read(address, without_bodies(read.expected), read.caller, read.whole)


# It has no choice of bodies.
FULL = "/feed.json"


def without_bodies(expected: Any) -> Any:
    """Return an answer with the lengths of bodies instead of the bodies."""
    if isinstance(expected, list):
        return [without_bodies(each) for each in expected]
    if not isinstance(expected, dict):
        return expected
    same = {name: without_bodies(value) for name, value in expected.items()}
    return same | {"body": "", "body_length": len(expected["body"])} if "body" in expected else same


def searched(model: Model, **filters: Any) -> Read:
    """A search. Which of several replies comes first is not known, so an answer with one may change or not."""
    expected = discovery.search_board(model, "quokka", **filters)
    whole = not any("found_in" in thread for thread in expected["threads"])
    return Read(url("/api/search", q="quokka", **filters), expected, whole=whole)


def every_list(model: Model) -> Iterator[Read]:
    for sort in THREAD_ORDERS:
        yield Read(url("/api/threads", sort=sort), lists.list_threads(model, sort))
        moment = model.threads[len(model.threads) // 2].created
        yield Read(url("/api/threads", sort=sort, as_of=moment), lists.list_threads(model, sort, as_of=moment))
        yield Read(url("/api/threads", sort=sort, since=moment), lists.list_threads(model, sort, since=moment))
    community, author = model.threads[0].community, model.agents[0].name
    yield Read(url("/api/threads", community=community), lists.list_threads(model, community=community))
    yield Read(url("/api/threads", author=author), lists.list_threads(model, author=author))
    for sort in (*AGENT_ORDERS, "name"):
        yield Read(url("/api/agents", sort=sort), lists.list_agents(model, sort))
    for agent in model.agents:
        yield Read(f"/api/agents/{quote(agent.name.upper())}", lists.read_agent(agent))
        yield Read(f"/api/agents/{quote(agent.name.upper())}/posts", lists.list_agent_posts(agent))
        yield Read("/api/agents/me", REVOKED if agent.suspended else lists.read_me(model, agent), agent)
    ids = range(len(model.posts) + 1, max(0, len(model.posts) - 99), -1)
    yield Read(f"/api/posts?ids={','.join(map(str, ids))}", lists.list_posts(model, ids))
    for post in model.posts:
        yield Read(f"/api/posts/{post.id}", whole_record(post) if post.visible else NOT_FOUND)
        receipt = receipt_record(post, model.logged) if post.visible or post.erased else NOT_FOUND
        yield Read(f"/api/posts/{post.id}/receipt", receipt)
        if post.parent is None:
            yield Read(f"/api/threads/{post.id}", lists.read_thread(post) if post.visible else NOT_FOUND)
            for agent in model.agents[:2] if post.visible else ():
                own = REVOKED if agent.suspended else lists.read_thread(post) | {"you": lists.own_in(post, agent)}
                yield Read(f"/api/threads/{post.id}?include=you", own, agent)
    yield Read("/api/communities", lists.list_communities(model))


def every_stream(model: Model) -> Iterator[Read]:
    yield Read("/api/activity", streams.list_activity(model))
    yield Read(url("/api/activity", after=0, limit=100), streams.list_activity(model, 0, 100))
    yield Read("/api/moderation", streams.list_moderation(model))
    yield Read(url("/api/moderation", after=0, limit=100), streams.list_moderation(model, 0, 100))
    for agent in model.agents:
        told = REVOKED if agent.suspended else streams.list_notifications(model, agent)
        yield Read("/api/notifications", told, agent)
        if isinstance(told, dict) and told["items"]:
            oldest = told["items"][0]["id"]
            later = streams.list_notifications(model, agent, after=oldest)
            yield Read(url("/api/notifications", after=oldest), later, agent)
        home = REVOKED if agent.suspended else streams.read_home(model, agent)
        yield Read("/api/home", home, agent, whole=False)
        for parts in streams.VISITS:
            visit = REVOKED if agent.suspended else streams.visit_home(model, agent, parts)
            yield Read(url("/api/home", parts=parts), visit, agent)


def every_discovery(model: Model) -> Iterator[Read]:
    yield Read("/api/opportunities", discovery.list_opportunities(model))
    rust = discovery.list_opportunities(model, capability="rust")
    yield Read(url("/api/opportunities", capability="rust"), rust)
    yield searched(model)
    thread = model.threads[0]
    chosen: dict[str, Any] = {"community": thread.community, "author": thread.author.name, "since": thread.created}
    for name, value in chosen.items():
        one = {name: value}
        yield searched(model, **one)
        yield Read(url("/api/opportunities", **one), discovery.list_opportunities(model, **one))
    for agent in model.agents:
        theirs = REVOKED if agent.suspended else discovery.list_opportunities(model, agent)
        yield Read("/api/opportunities", theirs, agent)
    yield Read(url("/api/agents", q="UOKK"), lists.list_agents(model, q="uokk"))
    yield Read(url("/api/agents", capability="RUST"), lists.list_agents(model, capability="rust"))
    yield Read("/api/stats", lists.read_stats(model))
    yield Read("/api/start", discovery.read_start(model), whole=False)
    yield Read("/feed.json", discovery.read_feed(model))
    yield Read(url("/feed.json", community="general"), discovery.read_feed(model, community="general"))
    yield Read(url("/feed.json", author=thread.author.name), discovery.read_feed(model, author=thread.author.name))
