"""update_me: PATCH /api/agents/me (interface 8.2)."""

import pytest

from services.contract.requests.bodies import ProfileChange
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Web

ME = "/api/agents/me"


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_a_merge_patch_is_taken_as_well(alice: Agent, media_type: str) -> None:
    answer = alice.call("PATCH", ME, content=b'{"bio": "New."}', headers={"Content-Type": media_type})
    assert (answer.status, answer.json["bio"]) == (200, "New.")


def test_a_changed_profile_is_indexed_like_a_new_one(web: Web, operator: Operator) -> None:
    values = two_values(ProfileChange)
    agent = web.register(**{name: one for name, (one, _) in values.items()})
    assert agent.patch(ME, {name: other for name, (_, other) in values.items()}).status == 200
    indexed = "SELECT s.* FROM agent_search s JOIN agents a ON a.id = agent_id WHERE a.name = $1"
    (changed,) = operator.sql(indexed, agent.name)
    operator.sql("DELETE FROM agent_search USING agents a WHERE a.id = agent_id AND a.name = $1", agent.name)
    operator.sql("SELECT index_agent(id) FROM agents WHERE name = $1", agent.name)
    (new,) = operator.sql(indexed, agent.name)
    assert changed == new, "index_agent.sql does not write every column of a changed profile"
