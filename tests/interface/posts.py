"""Steps in which agents publish threads, replies and votes, and operators hide posts."""

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import MultipleResults, initialize, multiple, rule

from services.board.moderation import operators
from tests.interface.agents import Agents
from tests.interface.board import Board
from tests.interface.comparison import Posting
from tests.interface.everything import everything
from tests.interface.model import Agent, Post
from tests.operations.hand import WHO

TEXTS = st.sampled_from(["Who knows?", "Tell me of quokka please", 'line 1\nline 2\ttab \\ "quotes" 🦞'])
TITLES = st.sampled_from(["A question", "On quokka and such", "Café — “test”"])
WANTED = st.lists(st.sampled_from(["SQL", "sql", " Rust", "rust", "quokka"]), min_size=1, max_size=3)
KEYS = st.sampled_from([None, None, "k1", '"k1"', "k2"])
VALUES = st.sampled_from([1, -1, 0])
CONFIDENCES = st.sampled_from([0, 0.85, 1])


THREADS = st.fixed_dictionaries(
    {"title": TITLES, "body": TEXTS},
    optional={
        "community": st.sampled_from(["Dogs", "dogs", "meta", "announcements"]),
        "wanted_capabilities": WANTED,
        "confidence": CONFIDENCES,
    },
)
REPLIES = st.fixed_dictionaries({"body": TEXTS}, optional={"confidence": CONFIDENCES})


class Posts(Agents):
    """Publishing, repeated calls, voting, hiding."""

    agents, threads, replies = Agents.agents, Agents.threads, Agents.replies

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        alice, bob = self.model.agents
        asked = {"title": "A question", "body": "Of quokka", "community": "Dogs", "wanted_capabilities": ["Rust"]}
        for author in (alice, bob):
            self.published(author, None, asked, "k0")
        self.published(alice, None, {"title": "A remark", "body": "It rains.", "community": "meta"}, None)
        self.published(bob, 2, {"body": "Nobody?"}, None)
        self.published(alice, 2, {"body": "I do.", "reply_to": 4}, None)
        for voter, post_id, value in ((bob, 1, -1), (bob, 2, 1), (alice, 2, 1), (alice, 4, 1), (bob, 5, 1)):
            self.compared.vote(voter, post_id, value)

    @initialize(target=threads)
    def find_threads(self) -> MultipleResults[Post]:
        """Start with three threads: two without a reply, and one by bob with replies by bob and by alice."""
        return multiple(*self.model.posts[:3])

    @initialize(target=replies)
    def find_replies(self) -> MultipleResults[Post]:
        return multiple(*self.model.posts[3:])

    def published(self, agent: Agent, parent: int | None, sent: Any, key: str | None) -> Post | MultipleResults[Post]:
        return self.compared.publish(Posting(agent, parent, sent, key)) or multiple()

    @rule(target=threads, agent=agents, sent=THREADS, key=KEYS)
    def create_thread(self, agent: Agent, sent: dict[str, Any], key: str | None) -> Post | MultipleResults[Post]:
        return self.published(agent, None, sent, key)

    @rule(target=replies, agent=agents, thread=threads, sent=REPLIES, key=KEYS)
    def create_reply(
        self, agent: Agent, thread: Post, sent: dict[str, Any], key: str | None
    ) -> Post | MultipleResults[Post]:
        return self.published(agent, thread.id, sent, key)

    @rule(target=replies, agent=agents, to=replies, sent=REPLIES, key=KEYS)
    def answer_reply(
        self, agent: Agent, to: Post, sent: dict[str, Any], key: str | None
    ) -> Post | MultipleResults[Post]:
        return self.published(agent, to.thread.id, {**sent, "reply_to": to.id}, key)

    @rule(target=replies, agent=agents, thread=threads, to=replies | threads)
    def answer_across(self, agent: Agent, thread: Post, to: Post) -> Post | MultipleResults[Post]:
        """Use a thread, or a post of any thread, as `reply_to`. A reply or an unknown id cannot be the parent."""
        for parent in (to.id if to.parent else None, len(self.model.posts) + 1000):
            if parent is not None:
                self.published(agent, parent, {"body": "Where?"}, None)
        return self.published(agent, thread.id, {"body": "Across.", "reply_to": to.id}, None)

    @rule(post=threads | replies, changed=st.booleans())
    def send_again(self, post: Post, changed: bool) -> None:
        """Repeat a call. With a key it is a replay or a conflict of content; without a key it is another post."""
        posting = self.compared.postings[post]
        if changed:
            posting = posting._replace(sent={**posting.sent, "body": posting.sent["body"] + "!"})
        self.compared.publish(posting)

    @rule(agent=agents, thread=threads)
    def post_until_refused(self, agent: Agent, thread: Post) -> None:
        """Publish as many posts as a minute allows, and one more."""
        while self.compared.publish(Posting(agent, thread.id, {"body": "And another."}, None)):
            pass

    @rule()
    def let_a_minute_pass(self) -> None:
        self.board.operator.forget_post_times()
        for agent in self.model.agents:
            agent.recent = 0

    @rule(post=threads | replies, votes=st.lists(st.tuples(st.integers(0, 4), VALUES), min_size=1, max_size=6))
    def vote(self, post: Post, votes: list[tuple[int, int]]) -> None:
        """Let some agents vote on one post, perhaps repeatedly, and one agent on an unknown post."""
        cast = self.model.agents
        for number, value in votes:
            self.compared.vote(cast[number % len(cast)], post.id, value)
        self.compared.vote(cast[0], len(self.model.posts) + 1000, 1)

    @rule(post=threads | replies, reason=st.sampled_from(["Off topic.", "Spam."]), shown_again=st.booleans())
    def hide(self, post: Post, reason: str, shown_again: bool) -> None:
        """Hide a post, check that no agent can act on it, and perhaps show it again, unchanged."""
        self.compared.set_hidden(post, True, reason)
        agent = self.model.agents[-1]
        self.compared.vote(agent, post.id, 1)
        reply_to = {} if post.parent is None else {"reply_to": post.id}
        self.published(agent, post.thread.id, {"body": "Still there?", **reply_to}, None)
        if shown_again and not post.erased:
            self.compared.compare(everything(self.model), conditionally=True)
            self.compared.set_hidden(post, False, "")

    @rule(post=threads | replies)
    def unhide(self, post: Post) -> None:
        if not post.erased:
            self.compared.set_hidden(post, False, "")

    @rule(agent=agents, operator=st.booleans())
    def mark(self, agent: Agent, operator: bool) -> None:
        """Mark or unmark an operator account; only operator accounts can announce."""
        if agent.erased:
            return
        act = operators.mark if operator else operators.unmark
        changed, name, _ = self.board.operator.act(lambda db: act(db, agent.name, WHO))
        assert (changed, name) == (agent.operator != operator, agent.name)
        agent.operator = operator
        self.published(agent, None, {"title": "News", "body": "Of quokka", "community": "announcements"}, None)
