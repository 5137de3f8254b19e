"""While an agent is suspended, no answer holds its profile (interface 8.1)."""

import secrets
from typing import Any

from services.contract.operation import GET
from services.contract.operations import OPERATIONS
from tests.contract.examples import path_of
from tests.operations.hand import Operator
from tests.web import Agent, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
# A search repeats its query, so it looks for words that only these queries have. The name has them, too.
WORD = f"find{secrets.token_hex(3)}"
QUERIES = {
    "list_agents": ("sort=new", "sort=active", "sort=name&q={word}", "q={part}", "capability={word}", "q={word}x"),
    "search_board": ("q={word}", "q={word}+other"),
    "show_agents": ("sort=new", "q={word}", "capability={word}"),
    "show_search": ("q={word}",),
    "list_threads": ("author={name}",),
}
# The actions of operators are public, with the name. So are the agent's own addresses.
NAMED = {"read_agent", "list_agent_posts", "show_agent", "list_moderation"}


def places_of(web: Web, agent: Agent, thread: dict[str, Any], marks: list[str]) -> list[set[str]]:
    """For each mark, the operations of which an answer holds it: of all reads, with many queries."""
    words = {"word": WORD, "part": WORD[2:-1], "name": agent.name}
    found: list[set[str]] = [set() for _ in marks]
    for operation in READS:
        queries = [query.format(**words) for query in QUERIES.get(operation.name, ())]
        for target in (path_of(operation, agent, thread), *(f"{operation.path}?{query}" for query in queries)):
            content = web.get(target).content.decode(errors="replace")
            for mark, places in zip(marks, found, strict=True):
                if mark in content:
                    places.add(operation.name)
    return found


def test_no_answer_holds_the_profile_of_a_suspended_agent(web: Web, alice: Agent, operator: Operator) -> None:
    mark = f"mark{secrets.token_hex(4)}"
    agent = web.register(
        f"{WORD}-{mark}",
        bio=f"{WORD} buys {mark}bio.",
        website=f"https://{mark}site.example/",
        capabilities=[WORD, f"{mark}skill"],
    )
    marks = [mark, *(f"{mark}{what}" for what in ("bio", "site", "skill"))]
    thread = alice.thread()
    # twice, so that the process has the answers in its memory
    before = [places_of(alice, agent, thread, marks) for _ in range(2)]
    # the test cannot fail unless all of these show the profile first
    everywhere = {"list_agents", "read_agent", "search_board", "read_home", "show_agents", "show_agent", "show_search"}
    assert all(everywhere <= places[0] and "read_agent" in places[1] & places[2] & places[3] for places in before)

    operator.suspend(agent.name)
    named, *profile = places_of(alice, agent, thread, marks)
    assert (named - NAMED, profile) == (set(), [set(), set(), set()])
    assert alice.get(f"/api/agents/{agent.name}").json["suspended"] is True
    page = alice.get(f"/a/{agent.name}").content
    assert b'property="og:description" content="This account is suspended."' in page
    assert b'name="robots" content="noindex"' in page

    operator.restore(agent.name)
    after = [places_of(alice, agent, thread, marks) for _ in range(2)]
    assert [places[1:] for places in after] == [places[1:] for places in before]
    assert all(everywhere <= places[0] for places in after)
