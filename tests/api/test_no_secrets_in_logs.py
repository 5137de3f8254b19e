"""The log of a process never holds a token, a body, a query string or a raw path (interface 4.1)."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.board.validation.bodies import rules_of
from services.contract.operations import OPERATIONS
from tests.api.raw import Raw
from tests.operations.hand import Operator
from tests.operations.logged import lines_of
from tests.processes import ApiProcess
from tests.raw import as_json, bearer, request
from tests.web import Agent, Answer, Web

MARK = "zebrafish"  # part of every text that the test sends, and of nothing that the board writes itself


def register(web: Web) -> Answer:
    body = {"name": f"{MARK}-bob", "bio": MARK, "capabilities": [MARK], "discovered_via": MARK}
    return web.post(f"/api/agents/register?via={MARK}", body, headers={"Idempotency-Key": MARK})


def calls_of_every_operation(alice: Agent) -> Iterator[Answer]:
    """Send the mark in every path, query and body, and in the headers that a client may choose."""
    headers = dict.fromkeys(("Idempotency-Key", "Cookie", "User-Agent", "Referer", "X-Request-Id"), MARK)
    for operation in OPERATIONS:
        path = operation.path.format(**dict.fromkeys(operation.parameters, MARK))
        fields = rules_of(operation.body) if operation.body is not None else {}
        names = [MARK, *(rules_of(operation.query) if operation.query is not None else ())]
        query = "&".join(f"{name}={MARK}" for name in names)
        body = dict.fromkeys(fields, MARK) or ({MARK: MARK} if operation.body is not None else None)
        yield alice.call(operation.method, f"{path}?{query}", body, headers=dict(headers))


def calls_with_a_token(alice: Agent) -> list[Answer]:
    token = alice.token or ""
    thread = alice.thread(MARK, MARK, wanted_capabilities=[MARK], community=MARK)
    broken = f'{{"title": "{MARK}'.encode()
    return [
        alice.post(f"/api/threads/{thread['id']}/replies?{MARK}=1", {"body": MARK}),
        alice.get(f"/api/agents/{MARK}-bob"),
        alice.post("/api/threads", {"title": "t", "body": f"{MARK} {token}"}),
        alice.post("/api/threads", content=broken, headers={"Content-Type": "application/json"}),
        alice.post("/api/threads", content=MARK.encode(), headers={"Content-Type": MARK}),
        alice.get(f"/{MARK}?{MARK}={MARK}"),
        alice.get(f"/api/threads?token={token}&{MARK}"),
        alice.get(f"/{MARK}/{token}"),
        alice.call(MARK.upper(), f"/api/threads/1?{MARK}"),
        alice.get(f"/api/agents/me?{MARK}", token=f"{MARK}.{token}"),
    ]


def internal_error(alice: Agent, database: str) -> Answer:
    """An error whose traceback is logged."""
    with Operator(database) as operator:
        operator.sql("ALTER TABLE votes RENAME TO gone")
        failed = alice.post(f"/api/posts/1/vote?{MARK}", {"value": 1}, headers={"Idempotency-Key": MARK})
        operator.sql("ALTER TABLE gone RENAME TO votes")
    assert failed.status == 500
    return failed


def heads_that_are_refused(raw: Callable[[], Raw], token: str) -> list[Answer]:
    long = request("GET", f"/api/threads?{MARK}={token}&x={'a' * 9000}")
    heads = [f"GET {MARK}?{token} HTTP/1.1", f"{MARK} {token}", f"GET /é{MARK}?{token} HTTP/1.1", f"GET /{MARK} X/1.1"]
    return [raw().ask(head.encode() + b"\r\n\r\n") for head in heads] + [raw().ask(long)]


@pytest.fixture
def api(start_api: Callable[..., ApiProcess]) -> ApiProcess:
    """A process that logs at the most verbose level."""
    return start_api(LOG_LEVEL="debug")


def test_no_word_of_a_request_is_in_the_log(
    alice: Agent, web: Web, api: ApiProcess, connect: Callable[[], Raw], database: str
) -> None:
    registered = register(web)
    answers = [registered, *calls_of_every_operation(alice), *calls_with_a_token(alice)]
    answers += heads_that_are_refused(connect, alice.token or "")
    # a client that disconnects before its whole body has arrived
    half = request("POST", f"/api/threads?{MARK}", as_json({"title": MARK, "body": MARK}), bearer(alice.token))
    connect().send(half[:-5]).socket.close()
    failed = internal_error(alice, database)
    rotated = alice.post(f"/api/agents/me/token?{MARK}", headers={"Idempotency-Key": MARK})

    # the log should have a line about each of them
    for answer in [*answers, rotated]:
        lines_of(api, answer.headers["X-Request-Id"], 1)
    lines_of(api, failed.headers["X-Request-Id"], 2)
    log = without_names(api.log_lines())
    assert MARK not in log
    assert MARK.upper() not in log
    # the log should have no token, no digest of a token or a key, and no other part of a head
    tokens = [str(alice.token), str(registered.json["token"]), str(rotated.json["token"])]
    assert [form for secret in [*tokens, MARK] for form in digests(secret) if form in log] == []
    assert [token for token in tokens if token.removeprefix("agb_")[:20] in log] == []
    assert "agb_" not in log
    assert "Bearer" not in log
    assert "limit=" not in log


def test_a_process_that_is_stopped_with_requests_in_hand_says_nothing_of_them(
    start_api: Callable[..., ApiProcess], database: str
) -> None:
    api = start_api()
    with Web(api.url) as web:
        carol = web.register("carol")
    with Raw(api.url) as waiting, Raw(api.url) as unread:
        unread.send(request("GET", f"/api/threads?{MARK}")[:-2])
        waiting.send(request("POST", f"/api/threads?{MARK}", b"x" * 100, bearer(carol.token))[:-1])
        api.terminate()
    assert MARK not in api.log.read_text()


def digests(secret: str) -> list[str]:
    """Half of the SHA-256 digest that the board stores of a secret, in each form in which a log could contain it."""
    half = hashlib.sha256(secret.encode()).digest()[:15]
    in_base64 = base64.b64encode(half).decode(), base64.urlsafe_b64encode(half).decode()
    return [half.hex(), *in_base64, repr(half)[2:-1].replace("\\", "\\\\")]


def without_names(lines: list[dict[str, Any]]) -> str:
    """The log without the names of agents, because a request's log line names the caller."""
    return "\n".join(str({k: v for k, v in line.items() if k != "agent"}) for line in lines)
