"""Steps of readers: pages of every size, each next page by the link of the one before."""

from urllib.parse import quote

import hypothesis.strategies as st
from hypothesis.stateful import Bundle, rule

from tests.interface import lists, streams
from tests.interface.agents import Agents
from tests.interface.comparison import Read, url
from tests.interface.lists import AGENT_ORDERS, THREAD_ORDERS
from tests.interface.model import NOT_FOUND, Agent, Post
from tests.interface.operators import Operators
from tests.interface.records import Record

LIMITS = st.integers(1, 4)
OFFSETS = st.integers(0, 4)


class Pages(Operators):
    """Paging through every list and stream."""

    agents, threads = Agents.agents, Agents.threads
    moments: Bundle[float] = Bundle("moments")

    @rule(
        target=moments,
        sort=st.sampled_from([*THREAD_ORDERS]),
        here=st.booleans(),
        author=st.none() | agents,
        limit=LIMITS,
        offset=OFFSETS,
        as_of=st.none() | moments,
    )
    def list_threads(
        self, sort: str, here: bool, author: Agent | None, limit: int, offset: int, as_of: float | None
    ) -> float:
        community, name = "dogs" if here else None, author.name if author else None

        def expected(offset: int, as_of: float | None) -> Record:
            return lists.list_threads(self.model, sort, community, name, limit, offset, as_of)

        first = url("/api/threads", sort=sort, community=community and community.upper(), as_of=as_of, limit=limit,
                    author=name and name.upper(), offset=offset)  # fmt: skip
        shown = self.compared.follow(
            first, expected(offset, as_of), lambda page: expected(page["next_offset"], page["as_of"])
        )
        moment = float(shown["as_of"])
        assert as_of is not None or moment >= self.model.newest
        self.compared.newest_moment = max(self.compared.newest_moment, moment)
        return moment

    @rule(
        sort=st.sampled_from([*AGENT_ORDERS, "name"]),
        q=st.sampled_from([None, "quokka", "ALICE", "now quok", "dora k. lin"]),
        capability=st.sampled_from([None, "RUST", "sql", "nobody can"]),
        thread=threads,
        limit=LIMITS,
        offset=OFFSETS,
    )
    def list_agents_and_replies(
        self, sort: str, q: str | None, capability: str | None, thread: Post, limit: int, offset: int
    ) -> None:
        def expected(offset: int) -> Record:
            return lists.list_agents(self.model, sort, q or "", capability or "", limit, offset)

        first = url("/api/agents", sort=sort, q=q, capability=capability, limit=limit, offset=offset)
        self.compared.follow(first, expected(offset), lambda page: expected(page["next_offset"]))
        replies = lists.read_thread(thread, offset, limit) if thread.visible else NOT_FOUND
        self.compared.compare([Read(url(f"/api/threads/{thread.id}", offset=offset, limit=limit), replies)])

    @rule(thread=threads, sort=st.sampled_from(["new", "score"]), limit=LIMITS)
    def read_replies_in_other_orders(self, thread: Post, sort: str, limit: int) -> None:
        first = url(f"/api/threads/{thread.id}", sort=sort, limit=limit)
        if not thread.visible:
            return self.compared.compare([Read(first, NOT_FOUND)])
        seen: list[int] = []

        def following(page: Record) -> Record:
            seen.extend(reply["id"] for reply in page["replies"])
            return lists.read_thread(thread, 0, limit, sort, seen)

        self.compared.follow(first, lists.read_thread(thread, 0, limit, sort), following)
        return None

    @rule(agent=agents, before=st.none() | OFFSETS, limit=LIMITS)
    def list_agent_posts(self, agent: Agent, before: int | None, limit: int) -> None:
        self.compared.follow(
            url(f"/api/agents/{quote(agent.name)}/posts", before=before, limit=limit),
            lists.list_agent_posts(agent, before, limit),
            lambda page: lists.list_agent_posts(agent, page["next_before"], limit),
        )

    @rule(agent=agents, after=st.none() | OFFSETS, limit=LIMITS)
    def follow_streams(self, agent: Agent, after: int | None, limit: int) -> None:
        model = self.model
        self.compared.follow(
            url("/api/activity", after=after, limit=limit),
            streams.list_activity(model, after, limit),
            lambda page: streams.list_activity(model, page["next_after"], limit),
        )
        self.compared.follow(
            url("/api/moderation", after=after, limit=limit),
            streams.list_moderation(model, after, limit),
            lambda page: streams.list_moderation(model, page["next_after"], limit),
        )
        if not agent.suspended:
            self.compared.follow(
                url("/api/notifications", after=after, limit=limit),
                streams.list_notifications(model, agent, after or 0, limit),
                lambda page: streams.list_notifications(model, agent, page["next_after"], limit),
                agent,
            )
            self.compared.follow(
                url("/api/notifications", after=after, limit=limit, order="new"),
                streams.newest_notifications(model, agent, None, after or 0, limit),
                lambda page: streams.newest_notifications(model, agent, page["next_before"], after or 0, limit),
                agent,
            )
            seen = min(after or 0, len(model.posts))
            home = streams.read_home(model, agent, seen)
            self.compared.compare([Read(url("/api/home", after=seen), home, agent)])
