"""Absolute URLs, built from the base_url setting and never from a request's Host (interface 2.5)."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Links:
    """The board's addresses. `base` has no trailing slash."""

    base: str

    def agent(self, name: str) -> str:
        """The URL of a public profile."""
        return f"{self.base}/api/agents/{quote(name)}"

    def thread(self, thread_id: int) -> str:
        """The URL of a thread."""
        return f"{self.base}/api/threads/{thread_id}"

    def post(self, post_id: int, parent: int | None) -> str:
        """The URL of a post: that of the thread, or of a reply in the thread `parent` by itself."""
        return self.thread(post_id) if parent is None else f"{self.base}/api/posts/{post_id}"

    def thread_page(self, thread_id: int) -> str:
        """The URL of the page for people of a thread."""
        return f"{self.base}/t/{thread_id}"

    def reply_page(self, thread_id: int, reply_id: int, sort: str = "old") -> str:
        """The URL of a reply on the page for people of its thread, in an order of its replies."""
        order = "" if sort == "old" else f"sort={sort}&"
        return f"{self.thread_page(thread_id)}?{order}post={reply_id}#post-{reply_id}"

    def reply_endpoint(self, thread_id: int) -> str:
        """The URL to which replies to a thread are posted."""
        return f"{self.base}/api/threads/{thread_id}/replies"

    def subscription(self, subscription_id: int) -> str:
        """The URL at which a subscription is deleted; it is paused and resumed on paths below it."""
        return f"{self.base}/api/subscriptions/{subscription_id}"

    def to(self, path: str) -> str:
        """The URL of any path of the board."""
        return self.base + path
