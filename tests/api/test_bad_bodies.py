"""Bodies that no agent should send (interface 2.4, 3.3): each gets a 400, 413 or 415 that gives the reason.

After each of them, the same connection serves the next request.
"""

from services.contract.bounds import BODY_BYTES_MAX
from services.contract.limits import POSTS
from tests.api.raw import Raw
from tests.cases import for_each
from tests.operations.hand import Operator
from tests.raw import bearer, request
from tests.web import Agent, Answer

THREADS = "/api/threads"
GOOD = b'{"title": "t", "body": "b"}'


def post(raw: Raw, agent: Agent, body: bytes, *fields: str, media_type: str | None = "application/json") -> Answer:
    return raw.ask(request("POST", THREADS, body, bearer(agent.token), *fields, media_type=media_type))


def with_confidence(number: str) -> bytes:
    return f'{{"title": "t", "body": "b", "confidence": {number}}}'.encode()


def nested(opening: bytes) -> bytes:
    return opening * ((BODY_BYTES_MAX - 100) // len(opening))


NOT_JSON: list[bytes] = [
    b"tru",
    b'{"title": "t", "body": "b"',
    b'{"title": "t", "body": "b",}',
    b"{'title': 't', 'body': 'b'}",
    with_confidence("NaN"),
    with_confidence("01"),
    b'{"title": "\x00", "body": "b"}',
    b'{"title": "\n", "body": "b"}',
    b"\xef\xbb\xbf" + GOOD,
    GOOD.decode().encode("utf-16"),
    b'{"title": "\xff", "body": "b"}',
    b'{"title": "\xc0\x80", "body": "b"}',
    b'{"title": "\xed\xa0\xbd", "body": "b"}',
    b'{"title": "\\x41", "body": "b"}',
    b'{"title": "t", "body": "a", "body": "b"}',
    b'{"title": "t", "body": "b", "x": {"y": 1, "y": 2}}',
    nested(b"["),
    nested(b'{"a":'),
    nested(b'{"title": "t", "body": "b", "x": ['),
]
NO_OBJECT = [b"[]", b"null", b'"title"', b"1", b"true", b"[" + GOOD + b"]"]
SURROGATES = ["\\ud83e", "\\uDC00", "\\udd9e\\ud83e", "\\ud83ex", "x\\ud83e\\u0041", "\\ud83e\\ud83e\\udd9e"]
NUMBERS = {
    "1" + "0" * 400: "out_of_range", "1e999": "out_of_range", "-1e999": "out_of_range", "9" * 5000: "out_of_range",
    "1.000000001": "out_of_range", "true": "wrong_type", '"1"': "wrong_type", "[]": "wrong_type",
}  # fmt: skip
# Bodies of a thread, each with the fields that are refused and their codes.
REFUSED: list[tuple[bytes, list[tuple[str, str]]]] = [
    *((body, []) for body in NOT_JSON),
    *((body, [("body", "wrong_type")]) for body in NO_OBJECT),
    *((with_confidence(number), [("confidence", code)]) for number, code in NUMBERS.items()),
    *(
        (f'{{"title": "t", "body": "b", "{name}": {value}}}'.encode(), [(name, "control_character")])
        for escape in SURROGATES
        for name, value in (("community", f'"{escape}"'), ("wanted_capabilities", f'["{escape}"]'))
    ),
]


@for_each("body, codes", REFUSED, ids=lambda case: repr(case[0][:60]))
def test_what_is_no_json_or_has_a_wrong_value_is_refused(
    alice: Agent, raw: Raw, body: bytes, codes: list[tuple[str, str]]
) -> None:
    answer = post(raw, alice, body)
    assert (answer.status, answer.code) == (400, "validation_failed" if codes else "invalid_json")
    assert (answer.codes, answer.effect) == (codes, "post-public;scope=public;reversible=?0;applied=?0")
    assert raw.is_usable()


MISSING = 9007199254740991
INTEGERS = {
    "1_0": "invalid_json", "+1": "invalid_json", "01": "invalid_json", "١": "invalid_json", "0x1": "invalid_json",
    " 1": "out", "1 ": "out", "1.0": "wrong_type", "1e3": "wrong_type", "1E0": "wrong_type", "-0": "out_of_range",
    "18446744073709551616": "out_of_range", "-" + "9" * 5000: "out_of_range", "1e999": "wrong_type",
    '" 1"': "wrong_type", "false": "wrong_type",
}  # fmt: skip


@for_each("number, code", INTEGERS.items(), ids=[number[:20] for number in INTEGERS])
def test_an_integer_has_one_form(alice: Agent, raw: Raw, number: str, code: str) -> None:
    body = f'{{"body": "b", "reply_to": {number}}}'.encode()
    answer = raw.ask(request("POST", f"/api/threads/{MISSING}/replies", body, bearer(alice.token)))
    if code == "out":  # JSON allows white space around a number: the reply is refused because its thread is missing
        assert (answer.status, answer.code) == (404, "not_found")
    elif code == "invalid_json":
        assert (answer.status, answer.code) == (400, code)
    else:
        assert (answer.status, answer.codes) == (400, [("reply_to", code)])
    assert raw.is_usable()


@for_each(
    "media_type",
    ["text/plain", "json", "", "application/merge-patch+json", "application/json, application/json", "*/*", "é"],
)
def test_another_media_type_is_refused(alice: Agent, raw: Raw, media_type: str) -> None:
    answer = post(raw, alice, GOOD, media_type=media_type)
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert answer.headers["Accept"] == "application/json"
    assert "Content-Type" in answer.json["detail"]
    assert raw.is_usable()


@for_each("field", ["Origin: https://other.example", "Content-Encoding: gzip"])
def test_a_body_without_a_media_type_is_json_unless_a_page_or_a_coding_sends_it(
    alice: Agent, raw: Raw, field: str
) -> None:
    assert post(raw, alice, GOOD, media_type=None).status == 201
    answer = post(raw, alice, b"title=t&body=b", media_type=None)
    assert (answer.status, answer.code) == (400, "invalid_json")
    answer = post(raw, alice, GOOD, field, media_type=None)
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert raw.is_usable()


@for_each("encoding", ["gzip", "identity, gzip", "br", "x"])
def test_a_coded_body_is_refused(alice: Agent, raw: Raw, encoding: str) -> None:
    answer = post(raw, alice, GOOD, f"Content-Encoding: {encoding}")
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert "Content-Encoding" in answer.json["detail"]
    answer = post(raw, alice, GOOD, "Content-Encoding: identity", f"Content-Encoding: {encoding}")
    assert answer.status == 415
    assert raw.is_usable()


def test_of_all_that_is_wrong_the_first_in_the_order_of_checks_is_told(
    alice: Agent, raw: Raw, operator: Operator
) -> None:
    missing, token, key = "/api/threads/9007199254740991/replies", bearer(alice.token), "Idempotency-Key: k"
    large, good = b"{" * (BODY_BYTES_MAX + 1), b'{"body": "b"}'
    assert post(raw, alice, GOOD, key).status == 201
    for _ in range(POSTS.quota - 1):
        alice.thread()
    # each call has its own fault and all faults of the calls below it, and the agent is over its limit
    for answer, status, code in (
        (raw.ask(request("PUT", missing, large, key, media_type="x/y")), 405, "method_not_allowed"),
        (raw.ask(request("POST", missing, large, key, media_type="x/y")), 401, "missing_token"),
        (raw.ask(request("POST", missing, large, token, key, media_type="x/y")), 413, "body_too_large"),
        (raw.ask(request("POST", missing, b"{", token, key, media_type="x/y")), 415, "unsupported_media_type"),
        (raw.ask(request("POST", missing, b"{", token, key)), 400, "invalid_json"),
        (raw.ask(request("POST", missing, b"{}", token, key)), 400, "validation_failed"),
        (raw.ask(request("POST", missing, good, token, key)), 400, "idempotency_key_reused"),
        (raw.ask(request("POST", missing, good, token)), 429, "rate_limited"),
    ):
        assert (answer.status, answer.code) == (status, code)
    operator.forget_post_times()
    assert raw.ask(request("POST", missing, good, token)).status == 404
    assert raw.is_usable()
