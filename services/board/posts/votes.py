"""Votes: one per agent and post (interface 7.3). Only the SQL function `vote` writes them."""

from collections.abc import Awaitable, Callable, Sequence

import asyncpg
import msgspec

from services.board.access.tokens import Caller
from services.board.errors import NotFound, refuse
from services.board.results import WriteResult
from services.board.rows import struct_from
from services.contract.answers.posts import VoteResult

VOTE = "SELECT outcome, previous, score FROM vote($1, $2, $3)"


class Ballot(msgspec.Struct, frozen=True):
    """One vote to be counted: 1, -1, or 0 to clear."""

    token_hash: bytes
    post_id: int
    value: int


class Counted(msgspec.Struct, frozen=True):
    """The result of a ballot.

    `outcome` is voted, unauthorized, frozen or not_found; `score` is the post's score afterwards.
    """

    outcome: str
    previous: int
    score: int


async def cast_vote(
    vote: Callable[[Ballot], Awaitable[Counted]], caller: Caller, post_id: int, value: int
) -> WriteResult[VoteResult]:
    """Set, change or clear the caller's vote on a visible post. Raises NotFound, RevokedToken, Frozen."""
    counted = await vote(Ballot(caller.token_hash, post_id, value))
    refuse(counted.outcome)
    if counted.outcome == "not_found":
        raise NotFound()
    changed = counted.previous != value
    return WriteResult(VoteResult(post_id, value, counted.previous, changed, counted.score), applied=changed)


async def vote_batch(connection: asyncpg.Connection, batch: Sequence[Ballot]) -> list[Counted]:
    """Count a batch with at most one ballot per agent and post, in one statement. Returns one result each, in order."""
    columns = zip(*(msgspec.structs.astuple(ballot) for ballot in batch), strict=True)
    return [struct_from(Counted, row) for row in await connection.fetch(VOTE, *map(list, columns))]
