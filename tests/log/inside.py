"""The committer inside the test's own process."""

import uuid

from services.api.committer import Committer
from services.board.posts import Publication
from services.board.process.instruments import Distribution
from tests.load import Member


def new_committer(url: str, room: int = 2000) -> Committer:
    sizes = Distribution("sizes", "Sizes.", labels=["kind"])
    return Committer(url, True, room, sizes, Distribution("seconds", "Seconds.", labels=["kind"]))


def publication(member: Member, body: str = "Body") -> Publication:
    """A thread without a key."""
    return Publication(uuid.uuid4(), member.token_hash, None, None, None, None, "Title", body, "general", "[]", None)
