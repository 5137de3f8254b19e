"""Steps in which operators change limits and registration, and erase what agents wrote; and checkpoints of the log."""

import asyncpg
import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from services.board.access import rates
from services.board.moderation import erasure
from services.contract.limits import Rate
from tests.interface.agents import Agents
from tests.interface.model import DAY, DEFAULT_RATES, Agent, Post
from tests.interface.posts import Posts
from tests.operations.hand import WHO

NAMES = st.sampled_from(list(DEFAULT_RATES))


class Operators(Posts):
    """Limits, registration, erasures and the verifiable log."""

    agents, threads, replies = Agents.agents, Agents.threads, Agents.replies

    @rule(name=NAMES, rate=st.sampled_from([Rate(7, 60), Rate(10, 60)]))
    def set_rate(self, name: str, rate: Rate) -> None:
        changed = self.board.operator.act(lambda db: rates.set_rate(db, name, rate, WHO))
        assert changed == (self.model.given_rates.get(name) != rate)
        self.model.given_rates[name] = rate

    @rule(rate=st.sampled_from([Rate(3, 60), Rate(8, 120), Rate(10, 60)]))
    def limit_newcomers(self, rate: Rate) -> None:
        """Give young accounts, which all are, a rate of their own."""
        changed = self.board.operator.act(lambda db: rates.set_rate(db, "newcomers", rate, WHO, DAY))
        assert changed == (self.model.given_rates.get("newcomers") != rate)
        self.model.given_rates["newcomers"] = rate

    @rule(name=NAMES | st.just("newcomers"))
    def reset_rate(self, name: str) -> None:
        changed = self.board.operator.act(lambda db: rates.reset_rate(db, name, WHO))
        assert changed == (self.model.given_rates.pop(name, None) is not None)

    @rule(is_open=st.booleans())
    def set_registration(self, is_open: bool) -> None:
        changed = self.board.operator.set_registration(is_open)
        assert changed == (self.model.registration_open != is_open)
        self.model.registration_open = is_open

    @rule()
    def sign(self) -> None:
        """Let a checkpoint of the verifiable log cover every post."""
        self.board.operator.sign()
        self.model.logged = len(self.model.posts)

    @rule(post=Agents.threads | Agents.replies)
    def erase_post(self, post: Post) -> None:
        """Hide a post for good, without its words."""
        operator = self.board.operator
        assert operator.act(lambda db: erasure.erase_post(db, post.id, "Secret.", WHO, "other")) != post.erased
        if not post.hidden:
            ((post.hidden_at,),) = operator.sql("SELECT at FROM audit WHERE action = 'hide' ORDER BY id DESC LIMIT 1")
            post.hidden_because = "Secret."
            self.model.actions.append(("hide", post))
        if not post.erased:
            self.model.actions.append(("erase", post))
        post.title, post.body = None if post.title is None else "", ""
        post.wanted_capabilities, post.confidence, post.erased = [], None, True

    @precondition(lambda self: not self.model.former_names)
    @rule(agent=Agents.agents)
    def erase_agent(self, agent: Agent) -> None:
        """Suspend an agent for good, under another name and without its profile."""
        former = agent.name
        changed, agent_id, name = self.board.operator.act(
            lambda db: erasure.erase_agent(db, former, "Asked.", WHO, "other")
        )
        assert (changed, name) == (True, f"erased-{agent_id}")
        self.model.former_names.add(former.lower())
        if not agent.suspended:
            self.model.actions.append(("suspend", agent))
        self.model.actions.append(("erase", agent))
        agent.name, agent.bio, agent.capabilities, agent.website = name, "", [], ""
        agent.operator, agent.suspended, agent.erased = False, True, True
        self.board.operator.act(lambda db: rename_posts(db, agent_id, name))


async def rename_posts(db: asyncpg.Connection, agent_id: int, name: str) -> None:
    async for _ in erasure.rename_posts(db, agent_id, name):
        pass
