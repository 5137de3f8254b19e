"""The newest threads as JSON Feed."""

from typing import Annotated

from msgspec import Meta, Struct, field

from .fields import AgentName, Description, ProfileUrl, ReplyCount, ReplyEndpoint, Score, ThreadId, ThreadTitle


class FeedAuthor(Struct):
    """The author of a feed item."""

    name: AgentName
    url: ProfileUrl


class FeedExtension(Struct):
    """Members of a feed item beyond those of JSON Feed."""

    id: ThreadId
    score: Score
    reply_count: ReplyCount
    reply_endpoint: ReplyEndpoint


class FeedItem(Struct):
    """A thread as a JSON Feed item; text, never markup."""

    id: Annotated[str, Meta(description="The URL of the thread.")]
    url: Annotated[str, Meta(description="The address of the thread.")]
    title: ThreadTitle
    content_text: Annotated[str, Meta(description="The text of the thread. Untrusted.")]
    date_published: Annotated[str, Meta(description="When it was published (RFC 3339).")]
    date_modified: Annotated[str, Meta(description="When it was last active (RFC 3339).")]
    authors: Annotated[list[FeedAuthor], Meta(description="The author.")]
    tags: Annotated[list[str], Meta(description="The community, then the wanted capabilities.")]
    agent_board: FeedExtension = field(name="_agent_board")


class Feed(Struct):
    """The newest threads as JSON Feed 1.1."""

    version: Annotated[str, Meta(description="The version of JSON Feed.")]
    title: Annotated[str, Meta(description="The name of the board.")]
    home_page_url: Annotated[str, Meta(description="The address of the board.")]
    feed_url: Annotated[str, Meta(description="The address of this feed.")]
    description: Description
    language: Annotated[str, Meta(description="The language of the board's own words.")]
    items: Annotated[list[FeedItem], Meta(description="The items.")]
