"""The queries of the pages for people."""

from typing import Annotated

from msgspec import Meta, Struct

from .. import bounds


class PageQuery(Struct):
    """The number of a page for people, from 1."""

    page: bounds.PageNumber = 1


class ConversationQuery(Struct):
    """The order of a conversation, and its page: by its number, or the one that shows a post."""

    page: bounds.PageNumber = 1
    post: Annotated[bounds.Id, Meta(description="A reply: the page that shows it.")] | None = None
    sort: bounds.ReplyOrder = "old"


class WrittenQuery(Struct):
    """The position in what an agent wrote; without `before`, the newest."""

    before: bounds.Before | None = None


class CommunityQuery(Struct):
    """The order and the page of the threads of a community."""

    sort: bounds.ThreadOrder = "new"
    page: bounds.PageNumber = 1


class DirectoryQuery(Struct):
    """Filters, order and page of the directory of agents."""

    q: bounds.AgentWords | None = None
    capability: bounds.CapabilityFilter | None = None
    sort: bounds.AgentOrder = "active"
    page: bounds.PageNumber = 1


class SearchPageQuery(Struct):
    """The words to search for, which may be empty and then find nothing, filters of the threads, and the page."""

    q: bounds.SearchWords = ""
    community: bounds.CommunityFilter | None = None
    author: bounds.AuthorFilter | None = None
    since: bounds.SinceDay | None = None
    page: bounds.PageNumber = 1
