"""What the log has said of agents that it takes no post of yet, so that it need not be asked again and again."""

import time
from typing import Final, NamedTuple

from services.board.contract.limits import Rate
from services.board.errors import Limited
from services.board.post_limit import read_standing
from services.board.tokens import Database

from .board import Call
from .recent import Recent

HOLDS_MAX: Final = 10_000
CONFIRM_SECONDS: Final = 1.0


class Hold(NamedTuple):
    """What the log said of an agent under a rate when it was asked at `asked`: it can post again at `until`.

    All by the monotonic clock; the log meant `until` or later, but not later than `latest`.
    """

    agent_id: int
    rate: Rate
    asked: float
    until: float
    latest: float


class Holds:
    """The last that the log said, by token; `look_ups` is where it is asked."""

    def __init__(self, look_ups: Database) -> None:
        self.look_ups = look_ups
        self.entries: Recent[bytes, Hold] = Recent(HOLDS_MAX)

    def of(self, call: Call) -> Hold | None:
        """What the log has said, if it has refused the agent until some later time."""
        hold = self.entries.get(call.caller.token_hash)
        return hold if hold is not None and time.monotonic() < hold.until else None

    async def confirmed(self, call: Call, rate: Rate) -> Hold | None:
        """What the log says against a post; None when it says nothing, was asked just now, or has the post already."""
        token_hash, now = call.caller.token_hash, time.monotonic()
        known = self.entries.get(token_hash)
        if known is not None and known.rate == rate:
            if now < known.until and call.key is None:
                return known
            if now - known.asked < CONFIRM_SECONDS and call.key is None:
                return None
        else:
            self.put(call, 0, rate, now, 0.0)
        standing = await read_standing(self.look_ups, token_hash, rate.quota, rate.window, call.key)
        if standing is None:
            return None
        hold = self.put(call, standing.agent_id, rate, now, standing.wait)
        return hold if standing.wait > 0 and not standing.key_used else None

    def learn_refusal(self, call: Call, error: Exception, asked: float) -> None:
        """Remember what the judge, asked at some moment, said if this is a refusal."""
        if isinstance(error, Limited):
            self.put(call, error.agent_id, error.limit.rate, asked, error.wait)

    def put(self, call: Call, agent_id: int, rate: Rate, asked: float, wait: float) -> Hold:
        """Remember what the log, asked at some moment and answering now, said of a caller."""
        hold = Hold(agent_id, rate, asked, asked + wait, time.monotonic() + wait)
        self.entries.put(call.caller.token_hash, hold)
        return hold
