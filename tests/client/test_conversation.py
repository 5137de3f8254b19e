"""When a call is repeated, and after which pauses, without any network."""

from collections.abc import Generator
from typing import Any

import msgspec
import pytest

from agent_board_client import NoToken, RateLimited, Refused, conversation, operations
from agent_board_client.account import Account
from agent_board_client.calls import Call
from agent_board_client.conversation import Answer, Conversations, Lost, Pause, Request
from agent_board_client.pace import Pace
from agent_board_client.state import State
from agent_board_client.terminal import standing
from services.contract.answers.problems import Freeze
from services.contract.problems import build_problem

TOKEN = f"agb_{'A' * 43}0DofJ8"
STATS = Call(operations.READ_STATS)
VOTE = Call(operations.CAST_VOTE, path={"id": 1}, body={"value": 1})
VOTED = Answer(200, {}, msgspec.json.encode({"post_id": 1, "value": 1, "previous": 0, "changed": True, "score": 1}))


class Clock:
    """A clock that moves only by a call."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Talk:
    """Leads conversations, and moves the clock by their pauses."""

    def __init__(self, token: str | None = TOKEN, patience: float = 100.0) -> None:
        self.clock = Clock()
        account = Account("http://board.example", None, token)
        self.conversations = Conversations(account, State(None, "http://board.example"), Pace(self.clock))
        self.patience = patience
        self.pauses: list[float] = []
        self.sent: list[Request] = []

    def hold(self, call: Call[Any], *outcomes: Answer | Lost) -> Any:
        """Answer each request of a call with the next outcome, and return its result."""
        talk: Generator[Any, Any, Any] = self.conversations.lead(call, self.patience)
        left, outcome = list(outcomes), None
        try:
            while True:
                step = talk.send(outcome)
                outcome = None
                if isinstance(step, Pause):
                    self.clock.now += step.seconds
                    self.pauses += [step.seconds] if step.seconds else []
                else:
                    self.sent.append(step)
                    outcome = left.pop(0)
        except StopIteration as end:
            assert not left
            return end.value


def refusal(status: int, **headers: str) -> Answer:
    return Answer(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"{}")


def test_lost_answers_are_repeated_after_growing_pauses() -> None:
    talk = Talk()
    assert talk.hold(VOTE, Lost("gone"), refusal(502), refusal(408), VOTED).score == 1
    assert len(talk.sent) == 4
    for pause, planned in zip(talk.pauses, conversation.PAUSES, strict=False):
        assert planned / 2 <= pause <= planned * 1.5
    assert len(set(map(str, talk.sent))) == 1, "a repeat is the same request"


def test_retry_after_is_respected() -> None:
    talk = Talk()
    talk.hold(VOTE, refusal(503, Retry_After="7"), refusal(429, Retry_After="61"), VOTED)
    assert talk.pauses == [7, 61]


def test_a_freeze_is_waited_for_as_long_as_the_patience_lasts() -> None:
    freeze = Freeze(since=1.0, until=None, reason="A wave.")
    told = build_problem("frozen", "Frozen.", "http://board.example", "1", retry_after=70, freeze=freeze)
    frozen = Answer(503, {"Retry-After": "70"}, msgspec.json.encode(told))
    talk = Talk(patience=1000)
    assert talk.hold(VOTE, *[frozen] * 9, VOTED).score == 1
    assert talk.pauses == [70] * 9
    with pytest.raises(Refused) as refused:
        Talk(patience=60).hold(VOTE, frozen)
    assert refused.value.code == "frozen"
    assert refused.value.frozen is not None
    assert standing(refused.value.frozen).endswith("until an operator ends it: A wave.")


def test_a_wait_beyond_the_patience_is_an_error_and_no_call_is_made_until_it_has_passed() -> None:
    talk = Talk()
    with pytest.raises(RateLimited) as limited:
        talk.hold(VOTE, refusal(429, Retry_After="101"))
    assert limited.value.retry_after == 101
    with pytest.raises(RateLimited):
        talk.hold(VOTE)
    talk.clock.now += 101
    assert talk.hold(VOTE, VOTED).score == 1
    assert talk.pauses == []


@pytest.mark.parametrize("header", ['"votes";r=1;t=9', "votes;r=0;t=9", '"votes";r=0;t=-9', '"a";r=0;t=9, "b"', ""])
def test_a_limit_that_is_not_used_up_or_not_stated_properly_delays_nothing(header: str) -> None:
    talk = Talk()
    talk.hold(VOTE, Answer(200, {"RateLimit": header}, VOTED.content))
    talk.hold(VOTE, VOTED)
    assert talk.pauses == []


def test_the_next_call_waits_until_a_used_up_limit_allows_it() -> None:
    talk = Talk()
    talk.hold(VOTE, Answer(200, {"RateLimit": '"votes";r=0;t=9'}, VOTED.content))
    talk.hold(VOTE, VOTED)
    assert talk.pauses == [9]


def test_an_internal_error_is_final_and_keeps_the_key() -> None:
    talk, post = Talk(), Call(operations.CREATE_THREAD, body={"title": "How?", "body": "Why?"})
    for refused in (refusal(500), refusal(400), refusal(400)):
        with pytest.raises(Refused):
            talk.hold(post, refused)
    first, again, after_a_refusal = (request.headers["Idempotency-Key"] for request in talk.sent)
    assert first == again != after_a_refusal


@pytest.mark.parametrize("call", [Call(operations.ROTATE_TOKEN, body={}), Call(operations.REGISTER_AGENT, body={})])
def test_a_refusal_does_not_take_the_key_that_rescues_a_token(call: Call[Any]) -> None:
    talk = Talk(TOKEN if call.operation.needs_token else None)
    for status in (403, 401, 400):
        with pytest.raises(Refused):
            talk.hold(call, refusal(status))
    assert len({request.headers["Idempotency-Key"] for request in talk.sent}) == 1


def test_the_token_is_sent_only_where_it_is_needed() -> None:
    talk = Talk()
    talk.hold(VOTE, VOTED)
    with pytest.raises(Refused):
        talk.hold(STATS, refusal(404))
    assert [request.headers.get("Authorization") for request in talk.sent] == [f"Bearer {TOKEN}", None]
    with pytest.raises(NoToken):
        Talk(token=None).hold(VOTE)
