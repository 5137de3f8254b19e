"""Steps in which agents and operators act on accounts."""

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import Bundle, MultipleResults, RuleBasedStateMachine, initialize, multiple, precondition, rule

from services.board.moderation import communities, suspensions
from tests.interface import lists
from tests.interface.board import Board
from tests.interface.comparison import Comparison
from tests.interface.everything import everything
from tests.interface.model import REVOKED, Agent, Post, tags
from tests.interface.records import BASE_URL
from tests.operations.hand import WHO

REGISTERED = "account-create;scope=public;reversible=?0;applied"
EDITED = "profile-update;scope=public;reversible=?1;applied"
ROTATED = "credential-rotate;scope=private;reversible=?0;applied"

NAMES = st.sampled_from(["carol", "CAROL", "Dora K. Lin", "e_ve", "Zed-0"])
ABILITIES = st.lists(st.sampled_from(["SQL", "sql", "Rust", " rust ", "quokka", "c++"]), max_size=4)
PROFILES = st.fixed_dictionaries(
    {},
    optional={
        "bio": st.sampled_from([None, "", "I know quokka well", "é\n🦞"]),
        "capabilities": st.none() | ABILITIES,
        "website": st.sampled_from([None, "", "https://example.com/a?x=1"]),
    },
)


class Agents(RuleBasedStateMachine):
    """Registration, profiles, tokens and the actions of operators on accounts."""

    agents: Bundle[Agent] = Bundle("agents")
    threads: Bundle[Post] = Bundle("threads")
    replies: Bundle[Post] = Bundle("replies")

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.board = board
        self.compared = Comparison(board)
        self.model = self.compared.model
        self.old_tokens: list[str] = []
        self.join("alice", bio="I know quokka well")
        self.join("bob", capabilities=["sql", "Rust"])

    @initialize(target=agents)
    def meet(self) -> MultipleResults[Agent]:
        """Start with two agents: alice asks questions, and bob has the capabilities."""
        return multiple(*self.model.agents)

    @precondition(lambda self: len(self.model.agents) < 5)
    @rule(target=agents, name=NAMES, profile=PROFILES, discovered_via=st.sampled_from([None, "search"]))
    def register(
        self, name: str, profile: dict[str, Any], discovered_via: str | None
    ) -> Agent | MultipleResults[Agent]:
        return self.join(name, **profile, discovered_via=discovered_via) or multiple()

    def join(self, name: str, **profile: Any) -> Agent | None:
        """Register, if no agent has the name in any case."""
        refusal = self.model.judge_name(name)
        answer = self.compared.call("POST", "/api/agents/register", {"name": name, **profile}, None)
        if refusal is not None:
            self.compared.must_refuse(answer, refusal)
            return None
        assert (answer.status, answer.effect) == (201, REGISTERED), answer.content
        created = answer.json["agent"]["created"]
        facts = {k: tags(v) if k == "capabilities" else v for k, v in profile.items() if v is not None}
        agent = self.model.add_agent(
            name=name, created=created, token=answer.json["token"], token_created=created, **facts
        )
        assert answer.json["name"] == name
        assert answer.json["agent"] == lists.read_agent(agent) | {"discovered_via": agent.discovered_via}
        return agent

    @precondition(lambda self: len(self.model.agents) < 5 and self.model.registration_open)
    @rule(target=agents)
    def register_sample(self) -> Agent | MultipleResults[Agent]:
        """Send the quickstart's registration request unchanged."""
        request = self.board.web.get("/api/start").json["register_request"]
        assert (request["method"], request["url"]) == ("POST", f"{BASE_URL}/api/agents/register")
        agent = self.join(**request["json"])
        assert agent is not None
        return agent

    @rule(agent=agents, profile=PROFILES)
    def update_me(self, agent: Agent, profile: dict[str, Any]) -> None:
        answer = self.compared.call("PATCH", "/api/agents/me", profile, agent)
        if agent.suspended:
            return self.compared.must_refuse(answer, REVOKED)
        before = (agent.bio, agent.capabilities, agent.website)
        for name, value in profile.items():
            setattr(agent, name, tags(value or []) if name == "capabilities" else value or "")
        changed = before != (agent.bio, agent.capabilities, agent.website)
        assert (answer.status, answer.json) == (200, lists.read_me(self.model, agent))
        assert answer.effect == EDITED + ("" if changed else "=?0")
        return None

    @rule(agent=agents, key=st.sampled_from([None, "a-key-of-16-char"]))
    def rotate_token(self, agent: Agent, key: str | None) -> None:
        answer = self.compared.call("POST", "/api/agents/me/token", None, agent, key)
        if agent.suspended:
            return self.compared.must_refuse(answer, REVOKED)
        assert (answer.status, answer.effect, answer.json["previous_token_valid"]) == (200, ROTATED, False)
        self.old_tokens.append(agent.token)
        agent.token, agent.token_created = answer.json["token"], answer.json["rotated_at"]
        return self.use_old_tokens()

    def use_old_tokens(self) -> None:
        """Check that every old token is refused everywhere and changes nothing."""
        for token in self.old_tokens:
            for method, path, body in (
                ("GET", "/api/agents/me", None),
                ("GET", "/api/threads", None),
                ("PATCH", "/api/agents/me", {"bio": "Mine."}),
                ("POST", "/api/threads", {"title": "Still", "body": "here"}),
                ("POST", f"/api/posts/{len(self.model.posts)}/vote", {"value": 1}),
                ("POST", "/api/agents/me/token", None),
            ):
                self.compared.must_refuse(self.board.web.call(method, path, body, token=token), REVOKED)

    @rule(agent=agents, restored_again=st.booleans())
    def suspend(self, agent: Agent, restored_again: bool) -> None:
        """Suspend an agent: its token stops working until the agent is restored."""
        self.set_suspended(agent, suspended=True)
        if restored_again and not agent.erased:
            self.compared.compare(everything(self.model), conditionally=True)
            self.set_suspended(agent, suspended=False)

    @rule(agent=agents)
    def restore(self, agent: Agent) -> None:
        if not agent.erased:
            self.set_suspended(agent, suspended=False)

    def set_suspended(self, agent: Agent, suspended: bool) -> None:
        changed, name, _ = self.board.operator.act(
            lambda db: (
                suspensions.suspend(db, agent.name, "", WHO) if suspended else suspensions.restore(db, agent.name, WHO)
            )
        )
        assert (changed, name) == (agent.suspended != suspended, agent.name)
        agent.suspended = suspended
        if changed:
            self.model.actions.append(("suspend" if suspended else "restore", agent))

    @rule(text=st.sampled_from(["About that.", "About this."]))
    def describe(self, text: str) -> None:
        """Make a community a curated one."""
        self.board.operator.act(lambda db: communities.describe(db, "dogs", text, WHO))
        self.model.descriptions["dogs"] = text
