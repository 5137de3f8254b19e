"""The stack's load balancer and its own answers; tests/balancer covers all of its rules."""

import json
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.stack.make import Board
from tests.web import Web

# the defaults of haproxy.cfg: 10 searches per second and address, and bursts of four times as many
SEARCHES = 40
REQUEST_SECONDS = 10
LATE_SECONDS = 30
SLOW = (
    b"POST /api/agents/register HTTP/1.1\r\nHost: board\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n"
)


def test_what_is_no_public_route_is_not_there(board: Board) -> None:
    with Web(board.url) as web:
        for path in ("/metrics", "/readyz", "/livez", "/windows/agent/alice", "/api/../metrics", "//api/threads"):
            answer = web.get(path)
            assert (answer.status, answer.code, answer.effect) == (404, "not_found", "none"), path


def search(board: Board, number: int) -> tuple[int, str | None, dict[str, object]]:
    """Search as if from a separate address; return the status, Retry-After and the body."""
    forged = {"X-Forwarded-For": f"192.0.2.{number}", "Forwarded": f"for=192.0.2.{number}"}
    question = urllib.request.Request(f"{board.url}/api/search?q=x{number}", headers=forged)
    try:
        with urllib.request.urlopen(question, timeout=30) as answer:
            return answer.status, answer.headers["Retry-After"], json.load(answer)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.headers["Retry-After"], json.load(refusal)


def test_forged_addresses_do_not_get_past_the_limit_of_searches(board: Board) -> None:
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda number: search(board, number), range(5 * SEARCHES)))
    refused = [(wait, said) for status, wait, said in answers if status == 429]
    assert {status for status, _, _ in answers} == {200, 429}
    assert {said["code"] for _, said in refused} == {"rate_limited"}
    assert min(int(wait or 0) for wait, _ in refused) >= 60
    with Web(board.url) as web:
        # other calls are not searches
        assert web.get("/api/threads").status == 200


def test_a_slow_client_is_cut_off(board: Board) -> None:
    parts = urlsplit(board.url)
    began = time.monotonic()
    with socket.create_connection((parts.hostname or "", parts.port or 80), 0.5) as client:
        client.sendall(SLOW)
        received = b""
        while not received:
            assert time.monotonic() - began < LATE_SECONDS, "it is still being listened to"
            client.sendall(b"x")
            try:
                received = client.recv(65536)
            except TimeoutError:
                continue
        client.settimeout(LATE_SECONDS)
        while b'"code":"request_timeout"' not in received and (part := client.recv(65536)):
            received += part
    assert received.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"request_timeout"' in received
    assert time.monotonic() - began >= REQUEST_SECONDS - 1
