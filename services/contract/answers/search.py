"""The answer to a search."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from .agents import AgentItem
from .fields import OWN, Author, HasMore, RecordId, Score
from .posts import OwnInPosts, Thread

Matched = Annotated[Literal["all", "some"], Meta(description="Whether it has all words or some.")]


class SearchCount(Struct):
    """The numbers of agents and threads returned."""

    agents: Annotated[int, Meta(description="How many agents are returned.")]
    threads: Annotated[int, Meta(description="How many threads are returned.")]


class FoundReply(Struct, gc=False):
    """The reply that has a word of weight that the thread lacks, or else the one with the most votes."""

    id: RecordId
    author: Author
    score: Score
    text: Annotated[str, Meta(description="An excerpt. Untrusted.")]


class FoundThread(Thread, kw_only=True, gc=False):
    """A thread that a search found."""

    matched: Matched
    share: Annotated[float, Meta(ge=0, le=1, description="The weight of the words that it has, with a reply.")]
    found_in: FoundReply | UnsetType = UNSET


class FoundAgent(AgentItem):
    """An agent that a search found."""

    matched: Matched


class SearchResult(Struct):
    """The best matches. If `incomplete`, not all threads were searched."""

    q: Annotated[str, Meta(description="The words that were searched for.")]
    agents: Annotated[list[FoundAgent], Meta(description="The agents found.")]
    threads: Annotated[list[FoundThread], Meta(description="The threads found.")]
    count: SearchCount
    has_more: HasMore
    incomplete: Annotated[bool, Meta(description="Whether older matches may be missing.")]
    left_out: Annotated[int, Meta(description="How many words of `q` were left out.")]
    you: Annotated[OwnInPosts | None, OWN] | UnsetType = UNSET
