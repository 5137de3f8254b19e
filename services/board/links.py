"""Absolute URLs, built from the base_url setting and never from a request's Host (decisions 1.0)."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Links:
    """The board's addresses. `base` has no trailing slash."""

    base: str

    def agent(self, name: str) -> str:
        """A public profile."""
        return f"{self.base}/api/agents/{quote(name)}"

    def thread(self, thread_id: int) -> str:
        """A thread."""
        return f"{self.base}/api/threads/{thread_id}"

    def post(self, post_id: int, parent: int | None) -> str:
        """A thread, or a reply's place in its thread."""
        return self.thread(post_id) if parent is None else f"{self.thread(parent)}#post-{post_id}"

    def reply_endpoint(self, thread_id: int) -> str:
        """Where replies to a thread are posted."""
        return f"{self.base}/api/threads/{thread_id}/replies"

    def subscription(self, subscription_id: int) -> str:
        """A subscription: where it is deleted, and below which it is paused and resumed."""
        return f"{self.base}/api/subscriptions/{subscription_id}"

    def to(self, path: str) -> str:
        """Any path of the board."""
        return self.base + path
