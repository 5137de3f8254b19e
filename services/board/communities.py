"""Communities: where threads are filed. The curated ones have a description; others appear with their first thread."""

from typing import Annotated

from msgspec import Meta, Struct

from .audit import stated
from .contract.schemas import Communities, Community, Slug
from .tokens import Database

LIST = """
SELECT slug, description, thread_count, activity, curated FROM communities WHERE curated OR thread_count > 0
ORDER BY slug
"""
DESCRIBE = "SELECT describe_community($1, $2, $3)"


class Description(Struct):
    """What an operator says of a community; any agent can read it."""

    slug: Slug
    description: Annotated[str, Meta(max_length=240, extra={"line": True})]


async def list_communities(reads: Database) -> Communities:
    """All communities with a description or a visible thread, by slug (decisions 1.7)."""
    items = [Community(*row) for row in await reads.fetch(LIST)]
    return Communities(items, len(items))


async def describe(writes: Database, slug: str, description: str, who: str) -> tuple[str, str]:
    """Make a curated community or describe one (decisions 1.17).

    Returns made, described or unchanged, and the slug in lower case. Raises Invalid, SecretDetected.
    """
    new = stated(Description, slug=slug, description=description)
    return await writes.fetchval(DESCRIBE, new.slug, new.description, who), new.slug
