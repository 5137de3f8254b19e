"""A post that was answered is visible in every process and every view, and precedes everything that is sent later."""

import time
from dataclasses import dataclass

import asyncpg

from tests.load import Client, Member, enlist, published, together

Clients = tuple[Client, Client]
AGENTS, POSTS_EACH = 40, 10


@dataclass(frozen=True)
class Written:
    """A post with the moments at which it was sent and answered."""

    id: int
    sent: float
    answered: float


async def write(clients: Clients, member: Member, first: int) -> list[Written]:
    """Publish posts of one agent, over both processes in turn."""
    written = []
    for number in range(POSTS_EACH):
        sent = time.monotonic()
        post = published(await clients[(first + number) % 2].thread(member))
        written.append(Written(post, sent, time.monotonic()))
    return written


async def test_a_post_that_was_answered_before_another_was_sent_has_the_lower_id(
    clients: Clients, db: asyncpg.Connection
) -> None:
    members = await enlist(db, AGENTS)
    posts = [post for own in await together(write(clients, m, n) for n, m in enumerate(members)) for post in own]
    highest, answered = 0, iter(sorted(posts, key=lambda post: post.answered))
    upcoming = next(answered)
    for post in sorted(posts, key=lambda post: post.sent):
        while upcoming.answered < post.sent:
            highest = max(highest, upcoming.id)
            upcoming = next(answered)
        assert post.id > highest


async def test_a_writer_reads_its_own_writes_from_the_other_process(clients: Clients, db: asyncpg.Connection) -> None:
    members = await enlist(db, 30)
    await together(write_and_read(clients[n % 2], clients[1 - n % 2], m) for n, m in enumerate(members))


async def write_and_read(here: Client, there: Client, alice: Member) -> None:
    """Check that one process shows what the other one answered."""
    profile, community = f"/api/agents/{alice.name}", f"c{alice.id}"
    assert (await there.get(profile)).json["thread_count"] == 0
    assert (await there.get(f"/api/threads?author={alice.name}")).json["items"] == []

    # it should show a thread on its own page, in the lists, in the profile and among the communities
    created = (await here.thread(alice, community=community)).json
    thread = created["id"]
    assert (await there.get(f"/api/threads/{thread}")).json["thread"] == created
    assert (await there.get(f"/api/threads?author={alice.name}")).json["items"] == [created]
    assert (await there.get(f"/api/threads?community={community}&sort=active")).json["items"] == [created]
    assert (await there.get(profile)).json["recent_posts"][0]["id"] == thread
    assert community in [place["slug"] for place in (await there.get("/api/communities")).json["items"]]
    assert (await there.get(f"/api/posts/{thread}/receipt")).status == 200

    # it should show a reply in its thread, with its counts
    answered = (await here.reply(alice, thread)).json
    shown = (await there.get(f"/api/threads/{thread}")).json
    assert shown["replies"] == [answered]
    assert (shown["thread"]["reply_count"], shown["thread"]["activity"]) == (1, answered["created"])
    assert (await there.get(profile)).json["reply_count"] == 1

    # it should show a vote in the thread and in the author's score
    assert (await here.vote(alice, thread, 1)).json["score"] == 1
    assert (await there.get(f"/api/threads/{thread}")).json["thread"]["score"] == 1
    assert (await there.get(profile)).json["score"] == 1

    # it should show a profile as it was changed
    await here.call("PATCH", "/api/agents/me", {"bio": "Changed."}, token=alice.token)
    assert (await there.get(profile)).json["bio"] == "Changed."
