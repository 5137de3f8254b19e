"""Every request is answered by itself, whatever came before it on its connection or on others."""

import time
from collections.abc import Callable
from typing import Any

from tests.api.raw import PING, Raw
from tests.cases import for_each
from tests.raw import as_json, bearer, request
from tests.web import Agent

PAUSE = 0.05  # long enough that the board receives the first part separately

HEADS = {
    "list": request("GET", "/api/threads"),
    "page": request("GET", "/api/threads?limit=1&sort=active"),
    "head": request("HEAD", "/api/threads"),
    "options": request("OPTIONS", "/api/threads"),
    "no_token": request("GET", "/api/agents/me"),
    "bad_token": request("GET", "/api/threads", None, bearer("agb_wrong")),
    "unknown": request("GET", "/nowhere?q=%c3%a9"),
    "bad_query": request("GET", "/api/threads?limit=x"),
    "wrong_method": request("DELETE", "/api/threads"),
    "close": request("GET", "/api/threads", None, "Connection: close"),
    "old": b"GET /api/threads HTTP/1.0\r\n\r\n",
    "old_kept": b"GET /api/threads HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "no_body": request("POST", "/api/threads", None, "Content-Length: 0"),
    "upgrade": request("GET", "/api/threads", None, "Upgrade: websocket", "Connection: Upgrade"),
}


@for_each("head", HEADS.values(), ids=HEADS.keys())
def test_a_head_that_comes_again_is_answered_as_before(connect: Callable[[], Raw], head: bytes) -> None:
    seen, ids = [], set()
    for _ in range(3):
        raw = connect()
        answer = raw.ask(head)
        seen.append(answer_apart_from_its_id(answer))
        ids.add(answer.headers["X-Request-Id"])
        assert raw.is_usable() if answer.headers["Connection"] == "keep-alive" else raw.is_closed()
    assert seen[0] == seen[1] == seen[2]
    assert len(ids) == 3


def answer_apart_from_its_id(answer: Any) -> Any:
    own = answer.headers["X-Request-Id"]
    headers = {name: value for name, value in answer.headers.items() if name not in ("X-Request-Id", "Date")}
    return answer.status, headers, answer.content.replace(own.encode(), b"")


def test_the_same_head_may_come_with_another_body(alice: Agent, connect: Callable[[], Raw]) -> None:
    titles = ["one", "two", "six"]
    raw = connect()
    for title in titles:
        whole = request("POST", "/api/threads", as_json({"title": title, "body": "b"}), bearer(alice.token))
        head, body = whole[: whole.index(b"{")], whole[whole.index(b"{") :]
        # the board should wait for the body, also when the head arrives separately
        raw.send(head)
        time.sleep(PAUSE)
        raw.send(body)
        assert raw.answer().json["title"] == title
    assert raw.is_usable()


def test_what_comes_behind_a_known_head_is_read_by_itself(raw: Raw) -> None:
    for _ in range(3):
        assert raw.ask(PING).status == 200
    raw.send(PING, request("GET", "/nowhere"), PING, PING[:10])
    assert [raw.answer().status for _ in range(3)] == [200, 404, 200]
    time.sleep(PAUSE)
    raw.send(PING[10:])
    assert raw.answer().status == 200
    assert raw.is_usable()


def test_a_known_head_on_many_connections_at_once(connect: Callable[[], Raw]) -> None:
    opened = [connect() for _ in range(30)]
    for _ in range(5):
        for raw in opened:
            raw.send(PING)
        ids = {raw.answer().headers["X-Request-Id"] for raw in opened}
        assert len(ids) == len(opened)
    assert all(raw.is_usable() for raw in opened)


def test_a_known_head_with_a_token_that_was_rotated_is_refused(alice: Agent, connect: Callable[[], Raw]) -> None:
    head = request("GET", "/api/agents/me", None, bearer(alice.token))
    for _ in range(3):
        assert connect().ask(head).status == 200
    assert alice.post("/api/agents/me/token").status == 200
    assert connect().ask(head).status == 401
