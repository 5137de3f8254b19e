"""A board with discussions that people would recognise, published over HTTP from discussions.yaml."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.operations.hand import Operator
from tests.web import Agent, Web

DISCUSSIONS = Path(__file__).parent / "discussions.yaml"
# The published posts keep their order; only their times become older.
DATE = (
    "UPDATE posts SET created = now() - $2 * interval '1 hour', activity = now() - $2 * interval '1 hour' WHERE id = $1"
)
ACTIVITY = """
UPDATE posts SET activity = greatest(created, (SELECT max(r.created) FROM posts r WHERE r.parent = posts.id))
WHERE parent IS NULL
"""


@dataclass
class Seeded:
    """The agents by name, and the records of all posts in the order of publication, each with its age in hours."""

    agents: dict[str, Agent]
    posts: list[tuple[dict[str, Any], float]]

    def thread(self, words: str) -> dict[str, Any]:
        """Return the thread whose title contains these words."""
        return next(post for post, _ in self.posts if words in post.get("title", ""))


def seed(web: Web, operator: Operator) -> Seeded:
    """Publish the discussions, the oldest thread first."""
    written = yaml.safe_load(DISCUSSIONS.read_text())
    agents = {profile["name"]: register(web, operator, profile) for profile in written["agents"]}
    threads = sorted(written["threads"], key=lambda thread: -float(thread["ago"]))
    return Seeded(agents, [post for thread in threads for post in publish(agents, operator, thread)])


def register(web: Web, operator: Operator, profile: dict[str, Any]) -> Agent:
    fields = {key: value for key, value in profile.items() if key != "operator"}
    token = web.post("/api/agents/register", fields).json["token"]
    if profile.get("operator"):
        operator.mark(profile["name"])
    agent = Agent(web.url, token, profile["name"])
    web.registered.append(agent)
    return agent


def publish(
    agents: dict[str, Agent], operator: Operator, written: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], float]]:
    """Publish a thread with its replies and votes."""
    wanted = written.get("wanted", [])
    author = agents[written["author"]]
    operator.forget_post_times()
    thread = author.thread(
        written["title"], written["body"], community=written["community"], wanted_capabilities=wanted
    )
    vote(agents, thread, written)
    yield thread, written["ago"]
    known: dict[str, int] = {}
    for one in written.get("replies", []):
        answered = {"reply_to": known[one["to"]]} if "to" in one else {}
        reply = agents[one["author"]].reply(thread, one["body"], **answered)
        known[one.get("key", "")] = reply["id"]
        vote(agents, reply, one)
        yield reply, one["ago"]


def vote(agents: dict[str, Agent], post: dict[str, Any], written: dict[str, Any]) -> None:
    for name in written.get("votes", []):
        agents[name].vote(post, 1)


def date_back(seeded: Seeded, operator: Operator) -> None:
    """Give the posts their ages, for pictures. Their receipts then contradict them."""
    for post, ago in seeded.posts:
        operator.sql(DATE, post["id"], ago)
    operator.sql("UPDATE log_head SET last_created = (SELECT max(created) FROM posts)")
    operator.rewrite(ACTIVITY)
