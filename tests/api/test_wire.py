"""The bytes of answers, and the state of the connection after them."""

from tests.api.raw import PING, Raw
from tests.raw import as_json, bearer, request
from tests.web import Agent

NEW = as_json({"title": "t", "body": "b"})


def test_a_body_that_nobody_read_is_not_taken_for_a_request(alice: Agent, raw: Raw) -> None:
    # this should hold whether the route, the credential or the type caused the refusal, and for a GET
    smuggled = request("POST", "/api/agents/register", as_json({"name": "smuggled"}))
    for head, status in (
        (request("POST", "/nowhere", smuggled), 404),
        (request("DELETE", "/api/threads", smuggled), 405),
        (request("POST", "/api/threads", smuggled), 401),
        (request("POST", "/api/threads", smuggled, bearer(alice.token), media_type="text/plain"), 415),
        (request("POST", "/api/threads", smuggled, bearer(alice.token)), 400),
        (request("GET", "/api/threads", smuggled), 200),
        (request("OPTIONS", "/api/threads", smuggled), 200),
        (request("HEAD", "/api/threads", smuggled), 200),
    ):
        answer = raw.ask(head)
        assert (answer.status, answer.headers["Connection"]) == (status, "keep-alive")
        assert raw.is_usable()
    assert alice.get("/api/agents/smuggled").status == 404


def test_a_chunked_body_that_nobody_read_is_not_taken_for_a_request(raw: Raw) -> None:
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PING), PING)
    head = request("POST", "/nowhere", None, "Transfer-Encoding: chunked")
    assert raw.ask(head, chunks).status == 404
    assert raw.is_usable()


def test_a_large_answer_arrives_whole_however_slowly_it_is_read(alice: Agent, raw: Raw) -> None:
    for _ in range(5):
        alice.thread(body="\U0001f9de" * 16000)
    path = f"/api/threads?author={alice.name}"
    raw.send(request("GET", path) * 20)
    answers = [raw.answer() for _ in range(20)]
    assert {len(answer.content) for answer in answers} == {len(alice.get(path).content)}
    assert len(answers[0].content) > 300_000
    assert raw.is_usable()


def test_an_upgrade_is_not_made(raw: Raw) -> None:
    fields = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eDp5"]
    answer = raw.ask(request("GET", "/api/health", None, *fields))
    assert (answer.status, answer.headers["Upgrade"]) == (200, None)
    # the answer should be an ordinary one, after which the board closes the connection
    assert raw.is_closed()
