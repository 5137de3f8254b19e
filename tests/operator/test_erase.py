"""agent-board erase (interface 7.9): nothing holds the words afterwards, and everything else stays right."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.board.moderation import erasure, hiding
from services.board.search import search
from services.contract.requests.bodies import AgentCreate, ThreadCreate
from services.local.postgresql import PostgreSQL
from tests.contract.values import two_values
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Command
from tests.processes import ApiProcess
from tests.web import Web

TABLES = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('public', 'pg_catalog')"
REASON = "At the author's request."
# every client can read these, and they could hold a word
PAGES = (
    "/", "/feed.json", "/feed.atom", "/api/activity", "/api/threads", "/api/agents", "/api/opportunities", "/agents",
    "/api/moderation", "/api/communities", "/requests", "/c/general",
    "/api/search?q={word}", "/search?q={word}", "/api/agents?q={word}", "/api/agents?capability={word}",
    "/api/opportunities?capability={word}", "/api/threads/{id}", "/t/{id}", "/api/posts/{id}", "/api/posts?ids={id}",
    "/api/posts/{id}/receipt", "/api/agents/{name}", "/api/agents/{name}/posts", "/a/{name}",
    "/api/threads?author={name}", "/feed.atom?author={name}", "/feed.atom?thread={id}",
)  # fmt: skip


@pytest.fixture
def web(start_api: Callable[..., ApiProcess]) -> Iterator[Web]:
    with Web(start_api().url) as client:
        yield client


@pytest.fixture
def word() -> str:
    """A word that occurs nowhere else, and that no stemmer shortens."""
    return f"zqx{secrets.token_hex(6)}zqx"


def pages_with(web: Web, word: str, post: int, name: str) -> list[str]:
    """Return the public pages that show a word. One that repeats what was asked for is compared with another."""
    other = f"zqx{'0' * 12}zqx"
    shown = []
    for page in PAGES:
        found, without = (
            web.get(page.format(word=each, id=post, name=name)).content.decode().lower().replace(each, word)
            for each in (word, other)
        )
        if found != without if "{word}" in page else word in found:
            shown.append(page)
    return shown


async def rows_with(board: asyncpg.Connection, word: str) -> list[str]:
    """Return the tables with a row that holds the word, PostgreSQL's own tables among them."""
    tables = [row[0] for row in await board.fetch(TABLES)]
    return [
        name
        for name in tables
        if await board.fetchval(f"SELECT EXISTS (SELECT FROM {name} t WHERE strpos(lower(t::text), $1) > 0)", word)
    ]


async def files_with(board: asyncpg.Connection, server: PostgreSQL, word: str) -> list[str]:
    """Return the files of the database that hold the word, after a vacuum that rewrites the tables."""
    await board.execute("VACUUM (FULL, ANALYZE)")
    await board.execute("CHECKPOINT")
    number = await board.fetchval("SELECT oid::text FROM pg_database WHERE datname = current_database()")
    folder = Path(server.cluster) / "base" / number
    return [file.name for file in folder.iterdir() if file.is_file() and word.encode() in file.read_bytes().lower()]


async def test_nothing_holds_the_words_of_an_erased_post(
    web: Web, board: asyncpg.Connection, command: Command, postgresql: PostgreSQL, word: str
) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    bob.subscribe("community", "general")
    texts = {
        "title": f"A title {word}",
        "body": f"A body about {word}",
        "wanted_capabilities": [word],
        "confidence": 0.5,
    }
    posts = []
    for _ in range(2):
        bob.thread(wanted_capabilities=["sql"])
        posts.append(alice.post("/api/threads", texts, headers={"Idempotency-Key": secrets.token_hex(8)}).json)
        if len(posts) == 1:
            # the first is in the index, the second only in the log
            await search.index_log(board, 200, 200_000)
    posts.append(bob.reply(posts[1], f"A reply about {word}"))
    await deliver_all(board)
    await board.execute("ANALYZE")
    held = await rows_with(board, word)
    assert {"public.posts", "public.thread_search", "public.open_requests"} <= set(held)
    assert "pg_catalog.pg_statistic" in held
    assert "/t/{id}" in pages_with(web, word, posts[0]["id"], alice.name)

    for post in posts:
        why = ("--reason", REASON, "--category", "secret")
        status, output, _ = await command("erase", "post", str(post["id"]), *why, "--yes")
        assert (status, output.startswith(f"Post {post['id']} is now erased.")) == (0, True)
    assert await rows_with(board, word) == []
    assert await files_with(board, postgresql, word) == []
    for post in posts:
        assert pages_with(web, word, post["id"], alice.name) == []


# The fields that an erased post and an erased agent keep. Everything else is emptied.
KEPT_OF_A_POST = {
    "id", "parent", "reply_to", "author_id", "author", "community", "created", "activity", "notified_thread_author",
    "notified_reply_author", "reply_count", "answers", "score", "others_score", "hot", "digest", "request_id",
    "idempotency_key",
}  # fmt: skip
KEPT_OF_AN_AGENT = {
    "id", "created", "activity", "thread_count", "reply_count", "score", "operator", "post_times", "token_hash",
    "token_created", "token_used", "token_origin",
}  # fmt: skip
MARKS_OF_ERASURE = {"hidden", "visible", "erased", "erased_at", "erased_digest", "suspended_at", "name"}


async def full_columns(board: asyncpg.Connection, table: str) -> set[str]:
    """Return the columns of the only row of a table that are not empty and do not show that it is erased."""
    row = dict(await board.fetchrow(f"SELECT * FROM {table}"))
    return {name for name, value in row.items() if value not in (None, "", [])} - MARKS_OF_ERASURE


async def test_erasure_empties_every_column_that_is_not_to_be_kept(
    web: Web, board: asyncpg.Connection, command: Command
) -> None:
    profiles, posts = two_values(AgentCreate), two_values(ThreadCreate)
    agent = web.register("dora", **{name: one for name, (one, _) in profiles.items() if name != "name"})
    sent = {name: one for name, (one, _) in posts.items()}
    thread = agent.post("/api/threads", sent, headers={"Idempotency-Key": "k"}).json
    assert await full_columns(board, "posts") >= {"title", "body", "wanted_capabilities", "confidence"}
    await command("erase", "post", str(thread["id"]), "--reason", REASON, "--yes")
    assert await full_columns(board, "posts") - KEPT_OF_A_POST == set(), "erase_post.sql does not empty these columns"
    await command("erase", "agent", agent.name, "--reason", REASON, "--yes")
    assert await full_columns(board, "agents") - KEPT_OF_AN_AGENT == set(), "erase_agent.sql does not empty these"


def profile(word: str) -> dict[str, Any]:
    return {
        "bio": f"I know {word}.",
        "capabilities": [word],
        "website": f"https://{word}.example",
        "discovered_via": word,
    }


async def test_nothing_holds_the_name_and_the_profile_of_an_erased_agent(
    web: Web, board: asyncpg.Connection, command: Command, postgresql: PostgreSQL, word: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(erasure, "POSTS_PER_STEP", 2)
    mallory, bob = web.register(word, **profile(word)), web.register("bob")
    name = mallory.name
    mallory.subscribe("community", "meta")
    threads = [mallory.thread() for _ in range(3)]
    replies = [mallory.reply(bob.thread()) for _ in range(2)]
    bob.reply(threads[0])
    await hiding.hide(board, threads[1]["id"], "Off topic.", "olga")
    await deliver_all(board)
    await search.index_log(board, 200, 200_000)
    await command("suspend", name, "--reason", f"{name.upper()} floods.")
    await command("restore", name)
    await board.execute("ANALYZE")
    assert {"public.agents", "public.posts", "public.agent_search", "public.audit"} <= set(await rows_with(board, word))
    assert {"/api/agents/{name}", "/t/{id}"} <= set(pages_with(web, word, threads[0]["id"], name))

    status, output, error = await command("erase", "agent", name.upper(), "--reason", REASON, "--yes")
    other = f"erased-{await board.fetchval('SELECT min(id) FROM agents')}"
    assert (status, output.startswith(f"{other} is now erased."), error) == (0, True, "")
    assert await rows_with(board, word) == []
    assert await files_with(board, postgresql, word) == []
    for post in (threads[0], replies[0]):
        assert pages_with(web, word, post["id"], other) == []
    assert web.get(f"/api/agents/{name}").status == 404
    # its posts should stay under the new name, and it should not return
    assert web.get(f"/api/threads/{threads[0]['id']}").json["thread"]["author"] == other
    assert web.get(f"/api/agents/{other}").json["bio"] == ""
    assert mallory.get("/api/agents/me").json["code"] == "revoked_token"
    assert (await command("restore", other))[0] == 1
    assert (await command("verify"))[0] == 0
    receipt = web.get(f"/api/posts/{threads[0]['id']}/receipt").json
    assert (receipt["erased"], receipt["canonical"]) == (True, "")
    assert web.get("/api/moderation").json["items"][-1]["agent"] == other


async def test_an_erased_name_stays_reserved(web: Web, board: asyncpg.Connection, command: Command) -> None:
    web.post("/api/agents/register", {"name": "Mallory-1"})
    assert (await command("erase", "agent", "mallory-1", "--reason", REASON, "--yes"))[0] == 0
    for name in ("Mallory-1", "mallory-1", "rnallory-l"):
        assert web.post("/api/agents/register", {"name": name}).json["code"] == "name_taken"
    assert web.post("/api/agents/register", {"name": "Mallory-2"}).status == 201


async def test_an_interrupted_erasure_goes_on(web: Web, board: asyncpg.Connection, command: Command) -> None:
    web.post("/api/agents/register", {"name": "mallory"})
    agent = await board.fetchrow("SELECT id, token_hash FROM agents")
    await board.execute(
        "INSERT INTO audit (at, who, action, subject, reason) VALUES (now(), 'olga', 'token', 'mallory', 'Proved.')"
    )
    for _ in range(3):
        await play.published(board, play.Post(agent["token_hash"]))
    # only the first step, as if the command had been killed after it
    await erasure.erase_agent(board, "mallory", REASON, "olga", "other")
    names = "SELECT array_agg(DISTINCT author::text) FROM posts"
    assert await board.fetchval(names) == ["mallory"]
    assert (await command("verify"))[0] == 0
    status, output, _ = await command("erase", "agent", "mallory", "--reason", REASON, "--yes")
    assert (status, output.startswith("erased-1 is now erased.")) == (0, True)
    assert await board.fetchval(names) == ["erased-1"]
    assert await command("erase", "agent", "mallory", "--reason", REASON, "--yes") == (
        0, "erased-1 is already erased.\n", ""
    )  # fmt: skip


async def test_a_wrong_name_erases_none(web: Web, board: asyncpg.Connection, command: Command) -> None:
    web.post("/api/agents/register", {"name": "alice"})
    sentence = "There is no agent with the name mallory; nothing was changed.\n"
    assert await command("erase", "agent", "alice", "mallory", "--reason", "Spam.", "--yes") == (1, "", sentence)
    assert await board.fetchval("SELECT name::text FROM agents") == "alice"
