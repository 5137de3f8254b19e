"""The core of both clients: the request for a call, when to repeat it, and the meaning of its answer.

It does no input or output of its own. A conversation is a generator: it yields what to do next, a Request to send or a
Pause, and receives the outcome of each Request, an Answer or a Lost. It returns the record that the board answered.
"""

import random
import re
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeVar

from .account import Account, joining
from .calls import Call
from .decoding import decode, problem
from .errors import BoardError, NoToken, RateLimited, Refused, UnexpectedAnswer, Unreachable
from .models import Registered, RotatedToken
from .operations import REGISTER_AGENT
from .pace import RETRY_AFTER_DEFAULT, Pace, retry_after
from .repeats import Repeated, check_repeat, is_post
from .state import State, fingerprint
from .wording import counted

T = TypeVar("T")
RELEASE = version("agent-board-client")
USER_AGENT = f"agent-board-client/{RELEASE}"
# Pauses before the repeats of a call that got no answer, in seconds.
PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
# How long a look at the board may wait before a post.
LOOK_SECONDS = 3.0
# A 500 is final: its cause is not known to pass.
TEMPORARY = (408, 429, 502, 503, 504)
# The characters of a key (interface, section 7.4).
KEY = re.compile(r"[ -~]{1,255}")
WRITE_HINT = "The write may or may not have been made; making the same call again is safe."
READ_HINT = "Nothing was changed. Check the address and the network, and try again."


@dataclass(frozen=True)
class Request:
    """A request to send."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Pause:
    """A time to wait before the next step."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class Lost:
    """No whole answer arrived; the request may have had its effect.

    `peer` is who did not answer, if it was not the board; `through` is the proxy between the two.
    """

    reason: str
    peer: str | None = None
    through: str | None = None


Step = Request | Pause
Outcome = Answer | Lost | None


class Conversations:
    """Leads the conversations with one board."""

    def __init__(self, account: Account, state: State, pace: Pace) -> None:
        self.account = account
        self.state = state
        self.pace = pace
        self.reports_repeats = False

    def lead(self, call: Call[T], patience: float) -> Generator[Step, Outcome, T]:
        """Make a call, and repeat it while that is safe and may help; it waits at most `patience` seconds in all.

        Raises BoardError.
        """
        if call.key is not None and not KEY.fullmatch(call.key):
            raise BoardError("An Idempotency-Key is 1 to 255 printable ASCII characters.")
        token = self._token_for(call)
        chosen = call.operation.keyed and call.key is None
        mark = fingerprint(call.target, call.content, token)
        if self.reports_repeats and chosen and is_post(call) and not self.state.has_key(mark):
            yield from self._report_repeat(call, patience)
        key = self.state.key_for(mark) if chosen else call.key
        answer = yield from self._ask(call, self._request(call, token, key), patience)
        try:
            result = self._conclude(call, answer)
        except Refused as refusal:
            # A refusal does not use up the key, but the same content is then another post. The key of a registration
            # or a rotation stays: it is the only way to a token whose answer was lost before the refusal.
            if chosen and is_post(call) and refusal.status < 500:
                self.state.forget_key(mark)
            raise
        if chosen:
            self.state.forget_key(mark)
        return result

    def _report_repeat(self, call: Call[Any], patience: float) -> Generator[Step, Outcome, None]:
        """Raise Repeated if the account has just published the same text."""
        checking, answer = check_repeat(call, time.time()), None
        try:
            while True:
                answer = yield from self.lead(checking.send(answer), min(patience, LOOK_SECONDS))
        except StopIteration:
            return
        except Repeated:
            raise
        except BoardError:
            return  # a look that fails hinders no post

    def _ask(self, call: Call[Any], request: Request, patience: float) -> Generator[Step, Outcome, Answer]:
        """Send a request until there is a final answer. Raises RateLimited, Refused or Unreachable without one."""
        left, pauses = patience, iter(PAUSES)
        wait = self.pace.wait(limit_of(call))
        if wait > left:
            raise RateLimited(wait, limit_of(call))
        left -= wait
        yield Pause(wait)
        while True:
            outcome = yield request
            if isinstance(outcome, Answer):
                self.pace.note(limit_of(call), outcome.status, outcome.headers)
                if outcome.status not in TEMPORARY:
                    return outcome
            pause = self._pause_after(call, outcome, next(pauses, None))
            if pause > left:
                raise self._failure(call, outcome)
            left -= pause
            yield Pause(pause)

    def _token_for(self, call: Call[Any]) -> str | None:
        if call.operation.name == REGISTER_AGENT.name:
            if self.account.token is not None:
                raise BoardError("There is a token for this board already.", "Use another folder for another agent.")
            self.account.prepare()
            return None
        if not call.sends_token:
            return None
        if self.account.token is None and call.operation.needs_token:
            raise NoToken("This call needs a token.", f"Join the board first: {joining(self.account.address)}")
        return self.account.token

    def _request(self, call: Call[Any], token: str | None, key: str | None) -> Request:
        # Encodings are not asked for: a small answer could become an endless one.
        headers = {"Accept-Encoding": "identity", "User-Agent": USER_AGENT}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if call.content is not None:
            headers["Content-Type"] = "application/json"
        return Request(call.operation.method, self.account.address + call.target, headers, call.content)

    def _pause_after(self, call: Call[Any], outcome: Outcome, pause: float | None) -> float:
        """Return how long to wait before a repeat; infinitely long if there should be none."""
        if isinstance(outcome, Answer) and outcome.status == 429:
            return self.pace.wait(limit_of(call))
        named = retry_after(outcome.headers) if isinstance(outcome, Answer) else None
        if named and isinstance(outcome, Answer) and is_frozen(outcome):
            return named
        if pause is None:
            return float("inf")
        return max(named or 0.0, pause * random.uniform(0.5, 1.5))

    def _failure(self, call: Call[Any], outcome: Outcome) -> BoardError:
        if not isinstance(outcome, Answer):
            return self._no_answer(call, outcome or Lost("unknown"))
        told = problem(outcome.status, outcome.content)
        seconds = retry_after(outcome.headers)
        if outcome.status == 429:
            return RateLimited(seconds or RETRY_AFTER_DEFAULT, limit_of(call), str(told) if told.by_board else "")
        if seconds:
            told.hint, told.has_known_hint = f"Wait {counted(seconds, 'second')}, then make the same call again.", True
        return told

    def _no_answer(self, call: Call[Any], lost: Lost) -> Unreachable:
        peer = lost.peer or f"the board at {self.account.address}"
        through = f" through {lost.through}" if lost.through else ""
        hint = WRITE_HINT if call.operation.method != "GET" else READ_HINT
        return Unreachable(f"{peer[0].upper()}{peer[1:]} did not answer{through}: {lost.reason}.", hint)

    def _conclude(self, call: Call[T], answer: Answer) -> T:
        """Return the record of a final answer. Raises Refused, or UnexpectedAnswer."""
        if answer.status in (200, 201):
            result: T = decode(answer.content, call.operation.returns)
            if isinstance(result, Registered | RotatedToken):
                self.account.keep(result.token, new=isinstance(result, Registered))
            return result
        if answer.status >= 400:
            raise problem(answer.status, answer.content)
        raise UnexpectedAnswer(
            f"The answer has the status {answer.status}, which a board does not use here.",
            "Redirects are not followed, because the token must not reach another host.",
        )


def is_frozen(answer: Answer) -> bool:
    """Whether operators have frozen writing: however long it takes, repeating the call helps."""
    return answer.status == 503 and problem(answer.status, answer.content).code == "frozen"


def limit_of(call: Call[Any]) -> str:
    """The limit that counts a call; one of a load balancer counts all calls of an operation together."""
    return call.operation.limit or call.operation.name
