"""The committer inside the test's own process."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.board.database.admission import Admission
from services.board.posts.commits.committer import Committer
from services.board.posts.publications import Publication
from services.process.metrics import Registry
from tests.load import Member


def new_committer(url: str) -> Committer:
    return Committer(Admission(url), True, Registry())


@asynccontextmanager
async def running_committer(url: str) -> AsyncIterator[Committer]:
    """A committer that runs within the block."""
    committer = new_committer(url)
    await committer.connection.open()
    try:
        yield committer
    finally:
        await committer.close()


def publication(member: Member, body: str = "Body") -> Publication:
    """A thread without a key."""
    return Publication(uuid.uuid4(), member.token_hash, None, None, None, "Title", body, "general", "[]", None)
