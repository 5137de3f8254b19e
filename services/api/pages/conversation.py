"""Replies as a conversation: each below the reply that it answers."""

from dataclasses import dataclass, field
from typing import Final

from services.contract.answers.posts import Reply

# Deeper answers are next to each other, so that lines stay wide enough to read.
DEPTH_MAX: Final = 5


@dataclass(eq=False, slots=True)
class Turn:
    """A reply, the turn above it, and the turns that answer it, in the order of their ids."""

    reply: Reply
    above: "Turn | None" = None
    depth: int = 1
    answers: "list[Turn]" = field(default_factory=list)


def conversation(replies: list[Reply], nested: bool = True) -> list[Turn]:
    """Return the turns that answer the thread itself, or a reply that is not among these; all unless `nested`."""
    if not nested:
        return [Turn(reply) for reply in replies]
    turns: dict[int, Turn] = {}
    first: list[Turn] = []
    for reply in replies:
        above = turns.get(reply.reply_to or 0)
        if above is not None and above.depth == DEPTH_MAX:
            above = above.above
        turn = turns[reply.id] = Turn(reply, above, above.depth + 1 if above else 1)
        (above.answers if above else first).append(turn)
    return first
