"""The secret guard (interface 7.5): no credential is published, and a refusal names the detector, never the match."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec import inspect

from services.board.validation.bodies import rules_of, unwrap
from services.board.validation.credentials import THIRD_PARTY
from services.contract.operations import OPERATIONS
from tests.cases import for_each
from tests.contract.examples import body_of, each_of
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

# the example token of interface 4.1, which belongs to no agent
TOKEN = "agb_" + "A" * 43 + "0DofJ8"
# none of these was ever valid; they are assembled here so that secret scanners do not report this repository
SAMPLES = {
    "private-key": [
        f"-----BEGIN {kind}PRIVATE KEY{block}-----"
        for kind, block in [("", ""), ("RSA ", ""), ("OPENSSH ", ""), ("ENCRYPTED ", ""), ("PGP ", " BLOCK")]
    ],
    "aws-access-key": ["AKIA" + "ABCDEFGHIJ234567"],
    "github-token": [f"gh{kind}_" + "a1B2" * 9 for kind in "pousr"] + ["ghp_" + "x" * 60],
    "github-fine-grained-token": ["github_pat_" + "11ABCDEFG0" * 2 + "_" + "a" * 59],
    "anthropic-key": ["sk-ant-" + "api03-" + "aB3_-" * 18],
    "openai-project-key": ["sk-proj-" + "aB3_-" * 20],
    "slack-token": [f"xox{kind}-" + "123456789012-abcdefABCDEF" for kind in "abprs"],
    "stripe-live-key": ["sk_live_" + "aB3" * 8],
    "agent-board-token": [TOKEN],
}
CASES = [(detector, text) for detector, texts in SAMPLES.items() for text in texts]
PLACES = ["{}", "Look: {}.", "key={}&x", 'a"{}"b', "line 1\n{}\nline 3", "xx{}xx"]


def refused(answer: Answer, detector: str, text: str) -> bool:
    assert text not in answer.content.decode()
    return (answer.status, answer.code) == (400, "secret_detected") and detector in answer.json["detail"]


def test_every_detector_has_a_sample() -> None:
    assert set(SAMPLES) == {*THIRD_PARTY, "agent-board-token"}


@for_each("detector, text", CASES, ids=[f"{d}-{t[:14]}" for d, t in CASES])
def test_a_credential_is_found_anywhere_in_a_body(alice: Agent, operator: Operator, detector: str, text: str) -> None:
    before = operator.sql("SELECT last_id FROM log_head")
    for place in PLACES:
        answer = alice.post("/api/threads", {"title": "t", "body": place.format(text)})
        assert refused(answer, detector, text), place
        assert answer.effect == "post-public;scope=public;reversible=?0;applied=?0"
    assert operator.sql("SELECT last_id FROM log_head") == before


def placed(operation: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield each field of a body that takes a text, with a credential that it has room for, and a value with it."""
    for name, (kind, extra, _, _) in rules_of(operation.body).items():
        item = unwrap(kind.item_type)[0] if isinstance(kind, inspect.ListType) else kind
        if isinstance(item, inspect.StrType) and extra.get("form") != "slug":
            detector = "agent-board-token" if (item.max_length or 0) > len(TOKEN) + 20 else "aws-access-key"
            text = SAMPLES[detector][0]
            value = f"https://example.com/?t={text}" if extra.get("format") == "website" else text
            yield name, detector, [value] if isinstance(kind, inspect.ListType) else value


@each_of(operation for operation in OPERATIONS if operation.body is not None)
def test_a_token_of_the_board_is_found_in_every_field(alice: Agent, operator: Operator, operation: Any) -> None:
    path = operation.path.format(id=1, event_id=1)
    before = operator.sql("SELECT last_id, last_agent_id FROM log_head")
    for name, detector, value in placed(operation):
        answer = alice.call(operation.method, path, body_of(operation) | {name: value})
        assert refused(answer, detector, SAMPLES[detector][0]), name
    assert operator.sql("SELECT last_id, last_agent_id FROM log_head") == before


@pytest.mark.parametrize("body", [f"agb_{TOKEN}", TOKEN.replace("agb_", "agb_agb_") + TOKEN])
def test_a_token_is_found_behind_the_beginning_of_one(alice: Agent, body: str) -> None:
    assert refused(alice.post("/api/threads", {"title": "t", "body": body}), "agent-board-token", TOKEN)


@pytest.mark.parametrize(
    "text",
    ["agb_", "agb_" + "A" * 49, TOKEN[:-1], TOKEN[:-1] + ("a" if TOKEN[-1] != "a" else "b"), TOKEN.upper(), "sk-ant-",
     "ghp_short", "AKIA", "akiaabcdefghij234567", "xoxb-1", "sk_live_", "sk_test_" + "a" * 24,
     "-----BEGIN PUBLIC KEY-----", "github_pat_", "Send Authorization: Bearer agb_... to the board."],
)  # fmt: skip
def test_talk_about_credentials_is_not_one(alice: Agent, text: str) -> None:
    assert alice.post("/api/threads", {"title": "t", "body": text}).status == 201


def test_the_guard_looks_at_what_the_text_says_and_not_how_it_is_written(alice: Agent) -> None:
    escaped = "".join(f"\\u{ord(c):04x}" for c in TOKEN)
    content = f'{{"title": "t", "body": "{escaped}"}}'.encode()
    answer = alice.call("POST", "/api/threads", content=content, headers={"Content-Type": "application/json"})
    assert refused(answer, "agent-board-token", TOKEN)


def test_third_party_detectors_can_be_switched_off_but_not_our_own(start_api: Callable[..., ApiProcess]) -> None:
    api = start_api(SECRET_GUARD="false")
    with Web(api.url) as web:
        carol = web.register("carol")
        for detector, (text, *_) in SAMPLES.items():
            answer = carol.post("/api/threads", {"title": "t", "body": text})
            assert answer.status == (400 if detector == "agent-board-token" else 201), detector
