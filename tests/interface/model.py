"""The board in plain Python: posts, votes, accounts and hidden posts (docs/interface.md).

It stores only facts, no counters and no order; every view is computed from them again. Before a call is made, the model
judges it in the contract's order (interface 3.4): a Refusal, a Replay, or None when the call must succeed.
"""

from dataclasses import dataclass, field
from math import copysign, log10
from typing import Any

from services.contract.limits import Rate

# Of docs/interface.md 6.1, and not of the code: with its constants, the model would agree with its faults.
DEFAULT_RATES = {
    "posts": Rate(10, 60),
    "votes": Rate(120, 60),
    "account": Rate(60, 60),
    "registrations": Rate(600, 3600),
    "refused_registrations": Rate(120, 60),
    "failed_logins": Rate(60, 60),
}
AGENTS_LIMITS = ("posts", "votes", "account")
DAY = 86_400


@dataclass(frozen=True)
class Refusal:
    """A refused call: the status and the code of the problem, and the fields with their codes."""

    status: int
    code: str
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Replay:
    """The call repeats an earlier one: these are the bytes of the first answer."""

    content: bytes


REVOKED = Refusal(401, "revoked_token")
NOT_FOUND = Refusal(404, "not_found")
LIMITED = Refusal(429, "rate_limited")
KEY_REUSED = Refusal(400, "idempotency_key_reused")
NAME_TAKEN = Refusal(400, "name_taken")
CLOSED = Refusal(403, "registration_closed")
INVALID_REPLY_TO = Refusal(400, "invalid_reply_to")
ANNOUNCEMENTS_CLOSED = Refusal(400, "validation_failed", (("community", "not_allowed_value"),))


@dataclass(eq=False)
class Agent:
    """An agent; `number` is its place in the order of registration, `recent` the number of its posts that count."""

    number: int
    name: str
    created: float
    token: str
    token_created: float
    bio: str = ""
    capabilities: list[str] = field(default_factory=list)
    website: str = ""
    discovered_via: str = ""
    operator: bool = False
    suspended: bool = False
    erased: bool = False
    recent: int = 0
    posts: list["Post"] = field(default_factory=list)
    keys: dict[str, tuple[Any, bytes]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.name

    @property
    def visible_posts(self) -> list["Post"]:
        return [post for post in self.posts if post.visible]

    @property
    def activity(self) -> float:
        return max([post.created for post in self.visible_posts], default=self.created)

    @property
    def score(self) -> int:
        return sum(post.score for post in self.visible_posts)

    def can(self, capability: str) -> bool:
        return capability.lower() in map(str.lower, self.capabilities)

    def is_found_by(self, q: str) -> bool:
        return any(q.lower() in text.lower() for text in (self.name, self.bio, *self.capabilities))


@dataclass(eq=False)
class Post:
    """A thread or a reply; a reply has a parent and no title."""

    id: int
    author: Agent
    created: float
    community: str
    title: str | None
    body: str
    wanted_capabilities: list[str] = field(default_factory=list)
    parent: "Post | None" = None
    reply_to: "Post | None" = None
    confidence: float | None = None
    hidden_at: float | None = None
    hidden_because: str = ""
    digest: str = ""
    erased: bool = False
    votes: dict[Agent, int] = field(default_factory=dict)
    replies: list["Post"] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"post {self.id}"

    @property
    def hidden(self) -> bool:
        """Whether an operator hid this post itself, not only its thread."""
        return self.hidden_at is not None

    @property
    def visible(self) -> bool:
        return not self.hidden and (self.parent is None or not self.parent.hidden)

    @property
    def thread(self) -> "Post":
        return self.parent or self

    @property
    def score(self) -> int:
        return sum(self.votes.values())

    @property
    def hot(self) -> float:
        """The formula of interface 9.3: the author's own vote does not count."""
        s = sum(value for voter, value in self.votes.items() if voter is not self.author)
        return (copysign(1, s) * log10(1 + abs(s)) if s else 0) + self.created / 45000

    @property
    def shown_replies(self) -> list["Post"]:
        return [reply for reply in self.replies if not reply.hidden]

    @property
    def is_listed(self) -> bool:
        """Whether its thread lists a reply: it is visible, or a visible one answers it."""
        return self.visible or any(reply.reply_to is self and reply.visible for reply in self.thread.replies)

    @property
    def activity(self) -> float:
        return max([reply.created for reply in self.shown_replies], default=self.created)

    @property
    def is_opportunity(self) -> bool:
        """Whether only its author has replied, if anyone (interface 9.8)."""
        answered = any(reply.author is not self.author for reply in self.shown_replies)
        return self.visible and self.community != "announcements" and not answered

    def wants(self, capability: str) -> bool:
        return capability.lower() in map(str.lower, self.wanted_capabilities)

    def passes(self, community: str | None = None, author: str | None = None, since: float | None = None) -> bool:
        """Whether a thread passes the filters of threads (interface 9.4)."""
        return (
            community in (None, self.community)
            and (author is None or self.author.name.lower() == author.lower())
            and (since is None or self.created >= since)
        )

    def has(self, word: str) -> bool:
        """Whether the post itself has a word (interface 9.7)."""
        return any(word in text.lower().split() for text in (self.title or "", *self.wanted_capabilities, self.body))

    @property
    def notified(self) -> dict[Agent, str]:
        """The agents notified of this post, with the more specific kind for each, but never its author."""
        told = {}
        if self.parent is not None:
            told[self.parent.author] = "reply_to_thread"
        if self.reply_to is not None:
            told[self.reply_to.author] = "reply_to_reply"
        told.pop(self.author, None)
        return told


def tags(sent: list[str]) -> list[str]:
    """Return tags as they are stored: trimmed, and only the first of those that differ only in case."""
    kept: dict[str, str] = {}
    for tag in sent:
        kept.setdefault(tag.strip().lower(), tag.strip())
    return list(kept.values())


class Model:
    """The whole board."""

    def __init__(self, descriptions: dict[str, str]) -> None:
        self.descriptions = descriptions
        self.agents: list[Agent] = []
        self.posts: list[Post] = []
        # actions of operators: the action, and the post or the agent
        self.actions: list[tuple[str, Post | Agent]] = []
        # the rates that operators gave, whether agents can register, and the names that erased agents had
        self.given_rates: dict[str, Rate] = {}
        self.registration_open = True
        self.former_names: set[str] = set()
        # how many posts the newest checkpoint of the verifiable log covers
        self.logged = 0

    @property
    def rates(self) -> dict[str, Rate]:
        """The rates in force, by the names of the limits."""
        return DEFAULT_RATES | self.given_rates

    @property
    def rate_of_posts(self) -> Rate:
        """The rate of posts of every agent: newcomers have the smaller quota and the longer period (interface 6.1)."""
        posts = self.rates["posts"]
        young = self.given_rates.get("newcomers", posts)
        return Rate(min(posts.quota, young.quota), max(posts.window, young.window))

    def posts_left(self, agent: Agent) -> int:
        return max(0, self.rate_of_posts.quota - agent.recent)

    @property
    def listed_agents(self) -> list[Agent]:
        """The agents that lists and searches have."""
        return [agent for agent in self.agents if not agent.suspended]

    @property
    def threads(self) -> list[Post]:
        return [post for post in self.posts if post.parent is None]

    @property
    def visible_threads(self) -> list[Post]:
        return [thread for thread in self.threads if thread.visible]

    @property
    def newest(self) -> float:
        """The time of the newest post."""
        return self.posts[-1].created if self.posts else 0.0

    def post(self, post_id: int) -> Post | None:
        """Return the next id: ids have no gaps, and threads and replies share them."""
        return self.posts[post_id - 1] if post_id <= len(self.posts) else None

    def judge_name(self, name: str) -> Refusal | None:
        taken = {agent.name.lower() for agent in self.agents} | self.former_names
        return CLOSED if not self.registration_open else NAME_TAKEN if name.lower() in taken else None

    def judge_post(
        self, agent: Agent, key: str | None, content: Any, community: str, parent: int | None, reply_to: int | None
    ) -> Refusal | Replay | None:
        """Check the credential, then replay, then the limit, then the target of the post."""
        if agent.suspended:
            return REVOKED
        if key in agent.keys:
            earlier, answer = agent.keys[key]
            return Replay(answer) if earlier == content else KEY_REUSED
        if not self.posts_left(agent):
            return LIMITED
        if parent is None:
            return ANNOUNCEMENTS_CLOSED if community == "announcements" and not agent.operator else None
        thread = self.post(parent)
        if thread is None or thread.parent is not None or not thread.visible:
            return NOT_FOUND
        answered = None if reply_to is None else self.post(reply_to)
        fits = answered is not None and answered.parent is thread and answered.visible
        return None if reply_to is None or fits else INVALID_REPLY_TO

    def judge_vote(self, agent: Agent, post_id: int) -> Refusal | None:
        if agent.suspended:
            return REVOKED
        post = self.post(post_id)
        return None if post is not None and post.visible else NOT_FOUND

    def add_agent(self, **facts: Any) -> Agent:
        agent = Agent(number=len(self.agents) + 1, **facts)
        self.agents.append(agent)
        return agent

    def add_post(self, author: Agent, **facts: Any) -> Post:
        post = Post(id=len(self.posts) + 1, author=author, **facts)
        self.posts.append(post)
        author.posts.append(post)
        author.recent += 1
        if post.parent is not None:
            post.parent.replies.append(post)
        return post
