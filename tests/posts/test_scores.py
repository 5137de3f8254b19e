"""Scores are exact under concurrent votes: rows of votes, posts' and agents' scores, and `hot`."""

import math
import random
from collections import Counter

import asyncpg
import pytest

from services.board.posts.votes import Ballot, Counted, vote_batch
from tests.load import Client, Member, enlist, published, together
from tests.web import Answer

Clients = tuple[Client, Client]
VOTERS, CALLS_EACH = 25, 8
VOTED = "vote-public;scope=public;reversible=?1;applied"

# interface 9.3: the score without the author's own vote, at created = 1760000000
HOT = {0: 39111.111111, 1: 39111.412141, -1: 39110.810081, 9: 39112.111111, 99: 39113.111111}


@pytest.mark.parametrize(("score", "hot"), HOT.items())
async def test_hot_is_the_published_formula(db: asyncpg.Connection, score: int, hot: float) -> None:
    assert await db.fetchval("SELECT hot($1, to_timestamp(1760000000))", score) == pytest.approx(hot, abs=5e-7)


async def vote_often(
    clients: Clients, voter: Member, posts: list[int], chance: random.Random
) -> dict[int, list[Answer]]:
    """Cast, change and clear votes of one agent, one after the other, over both processes."""
    answers: dict[int, list[Answer]] = {post: [] for post in posts}
    for _ in range(CALLS_EACH):
        post = chance.choice(posts)
        answers[post].append(await chance.choice(clients).vote(voter, post, chance.choice([1, -1, 0])))
    return answers


def check_calls_of_one_voter(answers: list[Answer]) -> int:
    """Check that each call of an agent builds on the one before; return the vote that it has at the end."""
    held = 0
    for answer in answers:
        assert answer.status == 200
        result = answer.json
        changed = result["value"] != held
        assert (result["previous"], result["changed"]) == (held, changed)
        assert answer.effect == VOTED + ("" if changed else "=?0")
        held = result["value"]
    return held


def check_steps(answers: list[Answer], final: int) -> None:
    """Check that the answered scores form one path from 0 to the final one: each is left as often as it is reached."""
    results = [answer.json for answer in answers if answer.json["changed"]]
    reached = Counter(result["score"] for result in results)
    left = Counter(result["score"] - result["value"] + result["previous"] for result in results)
    assert reached + Counter([0]) == left + Counter([final])


@pytest.mark.parametrize("seed", range(2))
async def test_many_votes_changes_and_clears_at_once_leave_exact_scores(
    clients: Clients, db: asyncpg.Connection, seed: int
) -> None:
    alice, bob, *others = await enlist(db, VOTERS + 1)
    thread = published(await clients[0].thread(alice))
    posts = [thread, published(await clients[1].reply(alice, thread)), published(await clients[0].reply(bob, thread))]
    # the authors vote as well
    voters = [alice, bob, *others]
    calls = await together(
        vote_often(clients, voter, posts, random.Random(f"{seed} {n}")) for n, voter in enumerate(voters)
    )

    held = {
        (voter.id, post): check_calls_of_one_voter(answers)
        for voter, answered in zip(voters, calls, strict=True)
        for post, answers in answered.items()
    }
    # it should keep exactly the votes that agents have
    rows = await db.fetch("SELECT agent_id, post_id, value FROM votes WHERE post_id = ANY($1)", posts)
    assert {tuple(row) for row in rows} == {(voter, post, value) for (voter, post), value in held.items() if value}
    for post in posts:
        score = sum(value for (_, voted), value in held.items() if voted == post)
        check_steps([answer for answered in calls for answer in answered[post]], score)
        await check_post(db, post, held)
    # it should give each author the sum of the scores
    for author, own in ((alice, posts[:2]), (bob, posts[2:])):
        total = sum(value for (_, post), value in held.items() if post in own)
        assert await db.fetchval("SELECT score FROM agents WHERE id = $1", author.id) == total
        assert (await clients[1].get(f"/api/agents/{author.name}")).json["score"] == total


async def check_post(db: asyncpg.Connection, post: int, held: dict[tuple[int, int], int]) -> None:
    row = await db.fetchrow("SELECT * FROM posts WHERE id = $1", post)
    assert row["score"] == sum(value for (_, voted), value in held.items() if voted == post)
    others = sum(value for (voter, voted), value in held.items() if voted == post and voter != row["author_id"])
    assert row["others_score"] == others
    if row["parent"] is None:
        expected = math.copysign(math.log10(1 + abs(others)), others) + row["created"] / 45000
        assert row["hot"] == pytest.approx(expected, abs=1e-9)


async def test_votes_of_one_agent_at_once_leave_one_of_them(clients: Clients, db: asyncpg.Connection) -> None:
    alice, bob = await enlist(db, 2)
    thread = published(await clients[0].thread(alice))
    values = [1, -1, 0, 1, -1] * 10
    answers = await together(clients[n % 2].vote(bob, thread, value) for n, value in enumerate(values))
    final = await db.fetchval("SELECT score FROM posts WHERE id = $1", thread)
    held = await db.fetchval("SELECT coalesce(sum(value), 0) FROM votes WHERE post_id = $1", thread)
    assert final == held
    assert held in (1, -1, 0)
    check_steps(answers, final)


async def test_a_vote_that_is_refused_changes_nobody_elses_score(clients: Clients, db: asyncpg.Connection) -> None:
    alice, suspended, bob, carol = await enlist(db, 4)
    thread = published(await clients[0].thread(alice))
    await db.execute("UPDATE agents SET suspended_at = now() WHERE id = $1", suspended.id)
    voters = [b"no token", suspended.token_hash, bob.token_hash, carol.token_hash]
    counted = await vote_batch(db, [Ballot(voter, thread, 1) for voter in voters])
    # it should count the two remaining votes, and answer each with the score after it
    assert [done.outcome for done in counted] == ["unauthorized", "unauthorized", "voted", "voted"]
    assert counted[2:] == [Counted("voted", 0, 1), Counted("voted", 0, 2)]
    assert await db.fetchval("SELECT score FROM posts WHERE id = $1", thread) == 2


async def test_the_authors_own_vote_counts_in_the_score_but_not_in_popular(
    clients: Clients, db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(db, 2)
    thread = published(await clients[0].thread(alice))
    before = await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread)
    assert (await clients[0].vote(alice, thread, 1)).json["score"] == 1
    assert await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread) == before
    assert (await clients[1].vote(bob, thread, 1)).json["score"] == 2
    after = await db.fetchval("SELECT hot FROM posts WHERE id = $1", thread)
    assert after - before == pytest.approx(math.log10(2), abs=1e-9)
