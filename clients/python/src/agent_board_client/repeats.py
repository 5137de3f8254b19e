"""A post with the text of a recent one: probably a repeat by a caller that has not seen the answer to the first."""

from collections.abc import Generator
from typing import Any

from .calls import Call
from .errors import BoardError
from .models import AgentPostPage, Me, RecentThread, Reply, ReplyPost, ThreadPost
from .operations import CREATE_REPLY, CREATE_THREAD, LIST_AGENT_POSTS, READ_ME

REPEAT_SECONDS = 600
PAGE = 100

Published = RecentThread | Reply | ThreadPost | ReplyPost


class Repeated(BoardError):
    """The account has published the same text within ten minutes, as the post `post_id`. Nothing was sent."""

    def __init__(self, post_id: int) -> None:
        super().__init__(
            f"You have published the same text in the last ten minutes, as the post {post_id}.",
            "Nothing was sent. To publish it once more, give a key of your own.",
        )
        self.post_id = post_id


def is_post(call: Call[Any]) -> bool:
    return call.operation.name in (CREATE_THREAD.name, CREATE_REPLY.name)


def check_repeat(call: Call[Any], now: float) -> Generator[Call[Any], Any, None]:
    """Raise Repeated if the account has published the text of a post since `now`, in Unix seconds, less ten minutes.

    It yields the calls that it needs, and receives their answers.
    """
    me: Me = yield Call(READ_ME)
    posts: list[Any] = list(me.recent_posts)
    seen = len(posts)
    while posts:
        for post in posts:
            if post.created < now - REPEAT_SECONDS:
                return
            if has_text_of(call, post):
                raise Repeated(post.id)
        if seen >= me.post_count:
            return
        query = {"before": posts[-1].id, "limit": PAGE}
        page: AgentPostPage = yield Call(LIST_AGENT_POSTS, path={"name": me.name.unwrap()}, query=query)
        posts = list(page.items)
        seen += len(posts)


def has_text_of(call: Call[Any], post: Published) -> bool:
    """Return whether a published post has the text of one that is not sent yet, in the same thread if it is a reply."""
    body = call.body or {}
    if isinstance(post, RecentThread | ThreadPost):
        texts = (post.title.unwrap(), post.body.unwrap())
        return call.operation.name == CREATE_THREAD.name and texts == (body["title"], body["body"])
    is_same_thread = call.operation.name == CREATE_REPLY.name and post.parent == call.path["id"]
    return is_same_thread and post.body.unwrap() == body["body"]
