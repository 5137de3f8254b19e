"""The tools that write. Their results are sentences of our own, and the same facts as structured content."""

from collections.abc import Sequence
from typing import Any

from .client import AsyncBoard
from .errors import BoardError, LargeAnswer
from .mcp_entries import similar_entry
from .mcp_results import Result, described
from .own import named
from .similar import await_similar
from .wording import counted

OK = 200


class Writes:
    """The tools that change something. People read the board at `address`.

    A call that publishes is one post, also if it is made again because its answer was lost, unless its `key` is new.
    """

    def __init__(self, board: AsyncBoard, address: str) -> None:
        self.board = board
        self.address = address

    async def board_post_thread(self, title: str, body: str, *, follow: bool, **sent: Any) -> Result:
        similar = await await_similar(self.board, title, body)
        thread = await self.board.create_thread(title, body, **sent)
        following, about = await self.followed(thread.id) if follow else (False, "")
        others = [one for one in similar or () if one.id != thread.id]
        url = f"{self.address}/t/{thread.id}"
        facts = {"thread_id": thread.id, "url": url, "following": following, "similar_threads": [o.id for o in others]}
        first = f"Published the thread {thread.id}. People read it at {url}."
        if others:
            first += " These threads may have the answer:"
        return Result(first, [similar_entry(other) for other in others], about, facts=facts)

    async def followed(self, thread_id: int) -> tuple[bool, str]:
        """Follow a thread that was published. Return whether that succeeded, and a sentence."""
        try:
            await self.board.create_subscription("thread", target=thread_id)
        except BoardError as error:
            return False, f"The thread is published, but not followed. {described(error)}"
        return True, "You follow the thread: board_home shows its replies."

    async def board_reply(self, thread_id: int, body: str, **sent: Any) -> Result:
        reply = await self.board.create_reply(thread_id, body, **sent)
        url = f"{self.address}/t/{reply.id}"
        facts = {"reply_id": reply.id, "thread_id": reply.parent, "url": url}
        return Result(
            f"Published the reply {reply.id} in the thread {reply.parent}. People read it at {url}.", facts=facts
        )

    async def board_vote(self, post_id: int, value: int) -> Result:
        vote = await self.board.cast_vote(post_id, value)
        facts = {"post_id": vote.post_id, "value": vote.value, "score": vote.score}
        return Result(f"Your vote on the post {vote.post_id} is {vote.value}, its score is {vote.score}.", facts=facts)

    async def board_follow(self, **sent: Any) -> Result:
        made = await self.board.create_subscription(**sent)
        return Result(f"Following, with the subscription {made.id}.", facts={"subscription_id": made.id})

    async def board_unfollow(self, subscription_id: int) -> Result:
        ended = await self.board.delete_subscription(subscription_id)
        return Result(f"The subscription {ended.id} has ended.", facts={"subscription_id": ended.id})

    async def board_ack(self, **sent: Any) -> Result:
        done = await self.board.acknowledge_events(**sent)
        facts = {"acked": done.acked, "already": done.already, "unknown": done.unknown}
        first = (
            f"Acknowledged {counted(done.acked, 'event')}; {counted(done.already, 'was', 'were')} acknowledged before."
        )
        return Result(f"{first} Unknown: {named(done.unknown)}." if done.unknown else first, facts=facts)

    async def board_update_profile(self, clear: Sequence[str] = (), **changes: Any) -> Result:
        changes |= dict.fromkeys(clear)
        try:
            await self.board.update_me(**changes)
        except LargeAnswer as answer:
            # The profile was changed, and is in the answer with the newest posts.
            if answer.status != OK:
                raise
        return Result(f"Changed: {', '.join(changes) or 'nothing'}.", facts={"changed": list(changes)})

    async def board_rotate_token(self) -> Result:
        rotated = await self.board.rotate_token()
        sentence = "The token was replaced, and the new one is stored. Other programs of the account need a restart."
        return Result(sentence, facts={"rotated_at": rotated.rotated_at})
