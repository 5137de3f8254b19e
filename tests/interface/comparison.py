"""Sends the same calls to a board and to its model, and compares the results."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from services.board.moderation import hiding
from tests.interface.board import Board
from tests.interface.model import REVOKED, Agent, Post, Refusal, Replay, tags
from tests.interface.records import BASE_URL, Record, digest, post_url, reply_record, thread_record
from tests.operations.hand import WHO
from tests.web import Answer

POSTED = "post-public;scope=public;reversible=?0;applied"
VOTED = "vote-public;scope=public;reversible=?1;applied"


class Read(NamedTuple):
    """A read and its expected answer. With `whole`, the board must answer 304 until that value changes."""

    url: str
    expected: Record | Refusal
    caller: Agent | None = None
    whole: bool = True


class Posting(NamedTuple):
    """A call that publishes, kept so that it can be repeated. A key may be sent in quotes."""

    agent: Agent
    parent: int | None
    sent: Record
    key: str | None


def url(path: str, **query: Any) -> str:
    """Return a path with those parameters that are given."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def community_of(sent: Record) -> str:
    return str(sent.get("community") or "general").lower()


def wanted_of(sent: Record) -> list[str]:
    return tags(sent.get("wanted_capabilities", []))


class Comparison:
    """The calls of one example."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.model = board.begin()
        self.tags: dict[tuple[Agent | None, str], tuple[str, Record]] = {}
        self.postings: dict[Post, Posting] = {}
        self.turns = itertools.cycle(board.webs)
        self.newest_moment = 0.0

    # reads

    def compare(self, reads: Iterable[Read], conditionally: bool = False) -> None:
        """Read and compare whole records; on a conditional read, 304 is right only while the answer is."""
        for read in reads:
            if isinstance(read.expected, Refusal):
                self.must_refuse(self.get(read.url, read.caller), read.expected)
            else:
                self.compare_one(read, read.expected, conditionally)

    def compare_one(self, read: Read, expected: Record, conditionally: bool) -> None:
        tag, earlier = self.tags.get((read.caller, read.url), ("", None)) if conditionally else ("", None)
        answer = self.get(read.url, read.caller, tag)
        if answer.status == 304:
            assert (read.url, read.caller, earlier) == (read.url, read.caller, expected), "304 for what has changed"
            return
        shown = self.must_show(answer, read.url, read.caller, expected)
        assert not (read.whole and earlier == expected), f"{read.url}: 200 for what has not changed"
        self.tags[read.caller, read.url] = (answer.headers["ETag"], shown)

    def follow(
        self, first: str, expected: Record, then: Callable[[Record], Record], caller: Agent | None = None
    ) -> Record:
        """Read a page and follow its links, up to four pages in all. Returns the first."""
        address: str | None = first
        pages: list[Record] = []
        while address and len(pages) < 4:
            answer = self.get(address, caller)
            self.must_show(answer, address, caller, expected)
            pages.append(answer.json)
            link = answer.headers["Link"]
            assert (link is not None) == expected["has_more"]
            address = link and link.removeprefix(f"<{BASE_URL}").removesuffix('>; rel="next"')
            expected = then(answer.json)
        return dict(pages[0])

    def get(self, address: str, caller: Agent | None, tag: str = "") -> Answer:
        """Read from the processes by turns."""
        headers = {"If-None-Match": tag} if tag else {}
        return next(self.turns).get(address, token=caller.token if caller else None, headers=headers)

    def must_show(self, answer: Answer, address: str, caller: Agent | None, expected: Record) -> Record:
        """Check that the answer is this record, and return it as it was shown."""
        assert answer.status == 200, (address, caller, answer.content)
        shown = answer.json
        if address.startswith("/api/search"):
            shown["agents"].sort(key=lambda agent: agent["name"])
            shown["threads"].sort(key=lambda thread: thread["id"])  # tests/search measures their order
        assert (address, caller, shown) == (address, caller, expected)
        return dict(shown)

    def must_refuse(self, answer: Answer, refusal: Refusal) -> None:
        """Check that the answer is this refusal, and that it reports no effect."""
        assert answer.status >= 400, answer.content
        assert (answer.status, answer.code, tuple(answer.codes)) == (refusal.status, refusal.code, refusal.fields)
        assert answer.effect.endswith("applied=?0") or answer.effect in ("none", "read-private;scope=private")

    # writes

    def call(self, method: str, path: str, body: Any, caller: Agent | None, key: str | None = None) -> Answer:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.board.web.call(method, path, body, token=caller.token if caller else None, headers=headers)

    def publish(self, posting: Posting) -> Post | None:
        """Publish, if the model allows it."""
        agent, parent, sent, header = posting
        key = None if header is None else header.strip('"')
        given = {name: value for name, value in sent.items() if value is not None}
        content = parent, {**given, "community": community_of(sent), "wanted_capabilities": wanted_of(sent)}
        verdict = self.model.judge_post(agent, key, content, community_of(sent), parent, sent.get("reply_to"))
        path = "/api/threads" if parent is None else f"/api/threads/{parent}/replies"
        answer = self.call("POST", path, sent, agent, header)
        if isinstance(verdict, Refusal):
            self.must_refuse(answer, verdict)
            if verdict is not REVOKED:
                self.must_report_the_limit(answer, self.model.posts_left(agent))
            return None
        if isinstance(verdict, Replay):
            self.must_replay(answer, verdict)
            self.must_report_the_limit(answer, self.model.posts_left(agent))
            return None
        post = self.must_publish(answer, posting)
        self.must_report_the_limit(answer, self.model.posts_left(agent))
        if key is not None:
            agent.keys[key] = (content, answer.content)
        return post

    def must_replay(self, answer: Answer, replay: Replay) -> None:
        assert (answer.status, answer.content, answer.effect) == (201, replay.content, f"{POSTED}=?0")
        assert answer.headers["Idempotent-Replayed"] == "true"

    def must_report_the_limit(self, answer: Answer, left: int) -> None:
        """Check the limit on posts in the headers: the rate of the agent, and how many posts are left."""
        quota, window = self.model.rate_of_posts
        assert answer.headers["RateLimit-Policy"] == f'"posts";q={quota};w={window}'
        assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == (str(quota), str(left))

    def must_publish(self, answer: Answer, posting: Posting) -> Post:
        """Check that the answer is the post, later than all earlier posts and than the moment of every page."""
        assert (answer.status, answer.effect) == (201, POSTED), answer.content
        created = answer.json["created"]
        assert created > max(self.newest_moment, self.model.newest)
        post = self.add(posting, created)
        assert answer.json == (thread_record(post) if post.parent is None else reply_record(post))
        assert answer.headers["Location"] == post_url(post)
        assert answer.headers["Idempotent-Replayed"] is None
        return post

    def add(self, posting: Posting, created: float) -> Post:
        agent, parent, sent, _ = posting
        thread = None if parent is None else self.model.post(parent)
        reply_to = sent.get("reply_to")
        post = self.model.add_post(
            agent,
            created=created,
            title=sent.get("title"),
            body=sent["body"],
            community=thread.community if thread else community_of(sent),
            wanted_capabilities=wanted_of(sent),
            parent=thread,
            reply_to=None if reply_to is None else self.model.post(reply_to),
            confidence=sent.get("confidence"),
        )
        post.digest = digest(post)
        self.postings[post] = posting
        return post

    def vote(self, agent: Agent, post_id: int, value: int) -> None:
        verdict = self.model.judge_vote(agent, post_id)
        answer = self.call("POST", f"/api/posts/{post_id}/vote", {"value": value}, agent)
        if verdict is not None:
            return self.must_refuse(answer, verdict)
        post = self.model.posts[post_id - 1]
        previous = post.votes.pop(agent, 0)
        if value:
            post.votes[agent] = value
        changed = value != previous
        shown = {"post_id": post_id, "value": value, "previous": previous, "changed": changed, "score": post.score}
        assert (answer.status, answer.json) == (200, shown)
        assert answer.effect == VOTED + ("" if changed else "=?0")
        return None

    def set_hidden(self, post: Post, hidden: bool, reason: str) -> None:
        operator = self.board.operator
        changed = operator.act(
            lambda db: hiding.hide(db, post.id, reason, WHO) if hidden else hiding.unhide(db, post.id, WHO)
        )
        assert changed == (post.hidden != hidden)
        if changed:
            ((moment,),) = operator.sql("SELECT at FROM audit ORDER BY id DESC LIMIT 1")
            post.hidden_at = moment if hidden else None
            post.hidden_because = reason
            self.model.actions.append(("hide" if hidden else "unhide", post))
