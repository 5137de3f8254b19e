"""Descriptions of communities, which only operators write (interface 9.6)."""

from typing import Annotated

from msgspec import Meta, Struct

from services.board.database.connections import Database
from services.contract.bounds import Slug

from .audit import stated

DESCRIBE = "SELECT describe_community($1, $2, $3)"


class Description(Struct):
    """An operator's description of a community; every agent can read it."""

    slug: Slug
    description: Annotated[str, Meta(max_length=240, extra={"line": True})]


async def describe(writes: Database, slug: str, description: str, who: str) -> tuple[str, str]:
    """Create a curated community, or change the description of one.

    Returns "made", "described" or "unchanged", and the slug in lower case. Raises Invalid, SecretDetected.
    """
    new = stated(Description, slug=slug, description=description)
    return await writes.fetchval(DESCRIBE, new.slug, new.description, who), new.slug
