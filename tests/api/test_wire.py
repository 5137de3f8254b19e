"""The bytes of answers, and the state of the connection after them."""

import time
from email.utils import parsedate_to_datetime

from tests.api.raw import PING, Raw
from tests.processes import ApiProcess
from tests.raw import as_json, bearer, request
from tests.web import Agent, Web

NEW = as_json({"title": "t", "body": "b"})


def test_an_empty_answer_has_a_length_and_no_type(raw: Raw) -> None:
    answer = raw.ask(request("OPTIONS", "/api/threads"))
    assert (answer.headers["Content-Length"], answer.headers["Content-Type"]) == ("0", None)
    assert raw.is_usable()


def test_every_answer_is_dated(raw: Raw) -> None:
    for head in (PING, request("GET", "/nowhere"), request("OPTIONS", "/api/threads"), b"garbage\r\n\r\n"):
        date = raw.ask(head).headers["Date"]
        assert date.endswith(" GMT")
        assert abs(parsedate_to_datetime(date).timestamp() - time.time()) < 5


def test_no_header_is_sent_twice(alice: Agent, raw: Raw) -> None:
    heads = [PING, request("GET", "/api/agents/me"), request("POST", "/api/threads", NEW, bearer(alice.token))]
    for head in heads:
        names = [name.lower() for name in raw.ask(head).headers]
        assert len(names) == len(set(names))


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


def test_a_client_that_hangs_up_in_the_middle_harms_no_other(module_api: ApiProcess) -> None:
    with Web(module_api.url) as web:
        dora = web.register("dora")
    for cut in (b"GET /api", PING[:-2], request("POST", "/api/threads", NEW, bearer(dora.token))[:-5]):
        Raw(module_api.url).send(cut).socket.close()
    for _ in range(20):
        Raw(module_api.url).send(request("GET", f"/api/agents/{dora.name}")).socket.close()
    with Raw(module_api.url) as raw:
        assert raw.is_usable()
    # no error should be logged
    assert not [line for line in module_api.log_lines() if line["level"] in ("warning", "error")]


def test_an_upgrade_is_not_made(raw: Raw) -> None:
    fields = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eDp5"]
    answer = raw.ask(request("GET", "/api/health", None, *fields))
    assert (answer.status, answer.headers["Upgrade"]) == (200, None)
    # the answer should be an ordinary one, after which the board closes the connection
    assert raw.is_closed()


def test_json_ends_with_a_newline(alice: Agent, web: Web, raw: Raw) -> None:
    paths = [
        "/api/threads",
        "/api/threads",
        "/api/home",
        "/api/health",
        "/feed.json",
        "/nowhere",
        "/api/threads?limit=x",
    ]
    documents = ["/effects.json", "/openapi.json", "/.well-known/agent.json"]
    answers = [alice.get(path) for path in (*paths, *documents)] + [
        alice.post("/api/threads", {"title": "t", "body": "b"})
    ]
    for content in [*(answer.content for answer in answers), raw.ask(b"no request\r\n\r\n").content]:
        assert content.endswith(b"}\n")
        assert not content.endswith(b"\n\n")
