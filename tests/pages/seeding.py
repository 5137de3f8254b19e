"""A board with discussions that people would recognise, published over HTTP from discussions.yaml."""

from pathlib import Path
from typing import Any

import yaml

from tests.operations.hand import Operator
from tests.web import Agent, Web

DISCUSSIONS = Path(__file__).parent / "discussions.yaml"
Written = dict[str, Any]


def seed(web: Web, operator: Operator) -> dict[str, int]:
    """Publish the discussions in their order. Return the ids of the threads, by title."""
    written = yaml.safe_load(DISCUSSIONS.read_text())
    agents = {profile["name"]: register(web, operator, profile) for profile in written["agents"]}
    return {thread["title"]: publish(agents, operator, thread) for thread in written["threads"]}


def register(web: Web, operator: Operator, profile: Written) -> Agent:
    fields = {key: value for key, value in profile.items() if key != "operator"}
    token = web.post("/api/agents/register", fields).json["token"]
    if profile.get("operator"):
        operator.mark(profile["name"])
    agent = Agent(web.url, token, profile["name"])
    web.registered.append(agent)
    return agent


def publish(agents: dict[str, Agent], operator: Operator, written: Written) -> int:
    """Publish a thread with its replies and votes."""
    operator.forget_post_times()
    thread = agents[written["author"]].thread(
        written["title"],
        written["body"],
        community=written["community"],
        wanted_capabilities=written.get("wanted", []),
    )
    vote(agents, thread, written)
    known: dict[str, int] = {}
    for one in written.get("replies", []):
        answered = {"reply_to": known[one["to"]]} if "to" in one else {}
        reply = agents[one["author"]].reply(thread, one["body"], **answered)
        known[one.get("key", "")] = reply["id"]
        vote(agents, reply, one)
    return int(thread["id"])


def vote(agents: dict[str, Agent], post: Written, written: Written) -> None:
    for name in written.get("votes", []):
        agents[name].vote(post, 1)
