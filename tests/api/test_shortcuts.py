"""Repeated reads are answered in the protocol: the same answers, as fresh, and in order, whatever the client does."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.api.raw import PING, Raw, as_json, bearer, request
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.waiting import wait_until
from tests.web import Agent, Answer

POLLS = ["/api/inbox", "/api/notifications"]
ANSWERS, REBUILDS = "agent_board_protocol_answers_total", "agent_board_memory_rebuilds_total"
WAITS_FOR_POSTS = "wait_event_type = 'Lock' AND query LIKE '%FROM posts%' AND datname = current_database()"
CHANGING = ("X-Request-Id", "Date")


def content(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    headers = {name: value for name, value in answer.headers.items() if name not in CHANGING}
    return answer.status, headers, answer.content


def learned(raw: Raw, read: bytes) -> Answer:
    """Send a read often enough that the next one is answered in the protocol."""
    return [raw.ask(read) for _ in range(3)][-1]


def wait_for_no_request(api: ApiProcess) -> None:
    wait_until(lambda: not metric(api, "agent_board_requests_in_flight"))


@contextmanager
def posts_locked(operator: Operator) -> Iterator[None]:
    """Let every statement that reads posts wait until the block ends."""
    with Operator(operator.url) as holder:
        holder.sql("BEGIN")
        holder.sql("LOCK TABLE posts")
        yield
        holder.sql("ROLLBACK")


@pytest.mark.parametrize("path", ["/api/threads?author={name}", "/api/agents/{name}", "/skill.md", "/a/{name}"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_protocol_gives_the_answer_of_the_ordinary_path(
    alice: Agent, raw: Raw, api: ApiProcess, path: str, method: str
) -> None:
    alice.thread()
    for fields in ([], [bearer(alice.token)], ["Accept-Encoding: gzip"]):
        read = request(method, path.format(name=alice.name), None, *fields)
        ordinary, before = content(raw.send(read).answer(method)), metric(api, "agent_board_protocol_answers_total")
        assert [content(raw.send(read).answer(method)) for _ in range(4)] == [ordinary] * 4
        assert metric(api, "agent_board_protocol_answers_total") - before >= 2


@pytest.mark.parametrize("path", POLLS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_protocol_gives_polls_the_answer_of_the_ordinary_path(
    alice: Agent, bob: Agent, raw: Raw, api: ApiProcess, operator: Operator, path: str, method: str
) -> None:
    thread = alice.thread()
    alice.subscribe("thread", str(thread["id"]))
    bob.reply(thread)
    operator.deliver()
    for agent, number in [(alice, 1), (bob, 0)]:
        read = request(method, path, None, bearer(agent.token))
        assert len(agent.get(path).json["items"]) == number
        ordinary, before = content(raw.send(read).answer(method)), metric(api, "agent_board_protocol_answers_total")
        assert [content(raw.send(read).answer(method)) for _ in range(4)] == [ordinary] * 4
        assert metric(api, "agent_board_protocol_answers_total") - before >= 2
        known = request(method, path, None, bearer(agent.token), f"If-None-Match: {ordinary[1]['ETag']}")
        unchanged = [content(raw.send(known).answer("HEAD")) for _ in range(4)]
        assert unchanged == [unchanged[0]] * 4
        assert unchanged[0][0] == 304


def test_a_404_waits_for_the_change_feed_once(alice: Agent, raw: Raw, api: ApiProcess) -> None:
    learned(raw, request("GET", f"/api/threads/{alice.thread()['id']}"))
    before = metric(api, "agent_board_tail_requests_sum")
    assert raw.ask(request("GET", "/api/threads/987654321")).status == 404
    assert metric(api, "agent_board_tail_requests_sum") - before == 1


def test_the_protocol_gives_the_dashboard_of_the_ordinary_path(alice: Agent, raw: Raw, api: ApiProcess) -> None:
    read = request("GET", "/api/home", None, bearer(alice.token))
    ordinary, before = raw.ask(read), metric(api, "agent_board_protocol_answers_total")
    repeated = [raw.ask(read) for _ in range(3)]
    assert {answer.headers["ETag"] for answer in repeated} == {ordinary.headers["ETag"]}
    assert [answer.json | {"generated": 0} for answer in repeated] == [ordinary.json | {"generated": 0}] * 3
    known = request("GET", "/api/home", None, bearer(alice.token), f"If-None-Match: {ordinary.headers['ETag']}")
    assert [raw.send(known).answer("HEAD").status for _ in range(3)] == [304] * 3
    assert metric(api, "agent_board_protocol_answers_total") - before == 5


def test_a_repeated_poll_comes_with_the_posts_that_it_asks_for(
    alice: Agent, bob: Agent, raw: Raw, operator: Operator
) -> None:
    thread = alice.thread()
    alice.subscribe("thread", str(thread["id"]))
    reply = bob.reply(thread)
    operator.deliver()
    read = request("GET", "/api/inbox?include=post", None, bearer(alice.token))
    assert [raw.ask(read).json["items"][0]["post"]["body"] for _ in range(4)] == [reply["body"]] * 4


@pytest.mark.parametrize("path", POLLS)
def test_one_url_gives_each_agent_its_own_page(
    alice: Agent, bob: Agent, raw: Raw, operator: Operator, path: str
) -> None:
    threads = {agent.token: agent.thread() for agent in (alice, bob)}
    for agent in (alice, bob):
        agent.subscribe("thread", str(threads[agent.token]["id"]))
    replies = {alice.token: bob.reply(threads[alice.token]), bob.token: alice.reply(threads[bob.token])}
    operator.deliver()
    for agent in [alice, bob] * 4:
        items = raw.ask(request("GET", path, None, bearer(agent.token))).json["items"]
        assert [item["post_id"] for item in items] == [replies[agent.token]["id"]]


@pytest.mark.parametrize("is_known", [True, False])
def test_any_url_with_known_fields_is_answered_in_the_protocol(
    alice: Agent, raw: Raw, api: ApiProcess, is_known: bool
) -> None:
    threads = [alice.thread()["id"] for _ in range(3)]
    for thread in threads if is_known else ():
        raw.ask(request("GET", f"/api/threads/{thread}"))
    fields = [bearer(alice.token), "X-Sent-With: every request"]
    raw.ask(request("GET", "/api/stats", None, *fields))
    before = metric(api, "agent_board_protocol_answers_total")
    read = [raw.ask(request("GET", f"/api/threads/{thread}", None, *fields)).json["thread"]["id"] for thread in threads]
    assert read == threads
    assert metric(api, "agent_board_protocol_answers_total") - before == 3


@pytest.mark.parametrize(
    "line",
    ["GET {} HTTP/1.0", "get {} HTTP/1.1", "POST {} HTTP/1.1", "OPTIONS {} HTTP/1.1", "GET {} HTTP/2.0",
     "GET  {} HTTP/1.1", "GET {}  HTTP/1.1", " GET {} HTTP/1.1", "GET {}/ HTTP/1.1", "GET {}"],
)  # fmt: skip
def test_another_line_with_known_fields_is_answered_by_the_ordinary_path(
    alice: Agent, connect: Callable[[], Raw], line: str
) -> None:
    path = f"/api/agents/{alice.name}"
    answers = []
    for field in ("X-Known: no", "X-Known: yes"):
        fields = f"\r\nHost: x\r\n{field}\r\n\r\n"
        if field == "X-Known: yes":
            learned(connect(), f"GET {path} HTTP/1.1{fields}".encode())
        raw = connect()
        assert raw.ask(PING).status == 200
        answer = raw.send((line.format(path) + fields).encode()).answer()
        same = [answer.headers[name] for name in ("Connection", "Content-Length", "Allow")]
        answers.append((answer.status, same))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "url",
    ["/api/threads?limit=7", "/api/threads?limit=0", "/api/threads?limit=7&limit=8", "/api/threads?nonsense=7", "/t/0",
     "/api/threads/0", "/api/agents/nobody-of-that-name", "/api/inbox", "/api/agents/register", "/nowhere", "//", "*",
     "/api/threads/", "/api/threads#part", "/api/threads?author=a\x7f", "/api/threads?q=\xe9", '/api/threads?q="',
     "http://x/api/threads?limit=6", "x:1", "/api/threads?q=%zz", "/?page=2", "/robots.txt?new"],
)  # fmt: skip
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_new_url_with_known_fields_means_what_it_means_with_others(
    alice: Agent, connect: Callable[[], Raw], url: str, accept: str
) -> None:
    alice.thread()
    fields = f"Host: x\r\nAccept: {accept}\r\n{bearer(alice.token)}\r\n"
    answers = []
    for path, field in [("/api/stats", "known"), (url, "known"), (url, "new")]:
        raw = connect()
        raw.ask(PING)
        answers.append(raw.ask(f"GET {path} HTTP/1.1\r\n{fields}X-Fields: {field}\r\n\r\n".encode("latin-1")))
    _, known, new = (
        (answer.status, {name: value for name, value in answer.headers.items() if name not in CHANGING})
        for answer in answers
    )
    assert known == new


def test_one_url_has_two_meanings(raw: Raw) -> None:
    types = ["text/html", "text/markdown"] * 4
    for kind in types[:2]:
        raw.ask(request("GET", "/api/stats", None, f"Accept: {kind}"))
    read = [raw.ask(request("GET", "/", None, f"Accept: {kind}")).headers["Content-Type"] for kind in types]
    assert [kind.partition(";")[0] for kind in read] == types


def test_an_answer_that_leaves_out_what_is_the_callers_is_its_own(alice: Agent, bob: Agent, raw: Raw) -> None:
    path = f"/api/opportunities?author={alice.name}"
    alice.thread(wanted_capabilities=["shortcuts"])
    for number in (1, 2, 3):  # each new thread evicts the answers
        for fields, shown in [([], number), ([bearer(alice.token)], 0), ([bearer(bob.token)], number)] * 4:
            assert len(raw.ask(request("GET", path, None, *fields)).json["items"]) == shown
        alice.thread(wanted_capabilities=["shortcuts"])


def test_ignored_parameters_are_named_every_time(alice: Agent, raw: Raw) -> None:
    read = request("GET", f"/api/agents/{alice.name}?unheard-of=1")
    assert [raw.ask(read).headers["Ignored-Parameters"] for _ in range(5)] == ['"unheard-of"'] * 5


def test_every_request_has_an_id_of_its_own_and_is_counted(alice: Agent, raw: Raw, api: ApiProcess) -> None:
    read = request("GET", f"/api/agents/{alice.name}")
    learned(raw, read)
    line = 'agent_board_requests_total{operation="read_agent",status="200"}'
    before = metric(api, line)
    assert len({raw.ask(read).headers["X-Request-Id"] for _ in range(20)}) == 20
    assert metric(api, line) - before == 20


def test_a_change_shows_in_the_next_answer(alice: Agent, raw: Raw, connect: Callable[[], Raw]) -> None:
    thread = alice.thread()
    read = request("GET", f"/api/threads/{thread['id']}")
    other = connect()
    for replies in range(6):
        for connection in (raw, other):
            assert learned(connection, read).json["thread"]["reply_count"] == replies
        alice.reply(thread)


def test_an_etag_matches_until_the_change(alice: Agent, raw: Raw, api: ApiProcess) -> None:
    path = f"/api/threads?author={alice.name}"
    tag = raw.ask(request("GET", path)).headers["ETag"]
    read = request("GET", path, None, f"If-None-Match: {tag}")
    for _ in range(5):
        raw.send(read)
        assert raw.answer("HEAD").status == 304
    before = metric(api, "agent_board_protocol_answers_total")
    raw.send(read)
    assert raw.answer("HEAD").status == 304
    assert metric(api, "agent_board_protocol_answers_total") == before + 1
    alice.thread()
    assert raw.ask(read).status == 200


@pytest.mark.parametrize("path", ["/api/stats", *POLLS])
def test_a_rotated_token_is_refused_at_once(alice: Agent, raw: Raw, path: str) -> None:
    read = request("GET", path, None, bearer(alice.token))
    assert learned(raw, read).status == 200
    rotated = raw.ask(request("POST", "/api/agents/me/token", None, bearer(alice.token)))
    assert rotated.status == 200
    assert raw.ask(read).status == 401
    alice.token = rotated.json["token"]


def test_answers_keep_the_order_of_pipelined_requests(alice: Agent, raw: Raw) -> None:
    thread = alice.thread()
    page, missing = request("GET", f"/api/threads/{thread['id']}"), request("GET", "/nowhere")
    reply = request("POST", f"/api/threads/{thread['id']}/replies", as_json({"body": "b"}), bearer(alice.token))
    learned(raw, page)
    raw.send(page, missing, page, reply, page, PING, page)
    assert [raw.answer().status for _ in range(3)] == [200, 404, 200]
    assert raw.answer().status == 201
    assert raw.answer().json["thread"]["reply_count"] == 1
    assert [raw.answer().status for _ in range(2)] == [200, 200]
    assert raw.is_usable()


def test_a_request_that_comes_while_a_read_waits_is_answered_after_it(
    alice: Agent, raw: Raw, connect: Callable[[], Raw], api: ApiProcess, operator: Operator
) -> None:
    read, other = request("GET", f"/api/agents/{alice.name}"), connect()
    learned(raw, read)
    operator.sql("BEGIN")
    operator.sql("LOCK TABLE changes")
    try:
        raw.send(read)
        while not metric(api, "agent_board_requests_in_flight"):
            time.sleep(0.01)
        raw.send(request("GET", "/nowhere"))
        # requests without a wait, so that the one before has arrived
        assert [other.ask(request("GET", "/nowhere")).status for _ in range(20)] == [404] * 20
    finally:
        operator.sql("ROLLBACK")
    assert [raw.answer().status, raw.answer().status] == [200, 404]
    assert raw.is_usable()


def test_a_missing_answer_is_built_once_for_all_who_wait(
    alice: Agent, bob: Agent, connect: Callable[[], Raw], api: ApiProcess, operator: Operator
) -> None:
    thread, readers = alice.thread(), [connect() for _ in range(5)]
    read = request("GET", f"/api/threads/{thread['id']}")
    for reader in readers:
        learned(reader, read)
    bob.vote(thread, 1)
    before = {name: metric(api, name) for name in (ANSWERS, REBUILDS)}
    with posts_locked(operator):
        for reader in readers:
            reader.send(read)
        wait_until(lambda: metric(api, "agent_board_requests_in_flight") == len(readers))
    assert [reader.answer().json["thread"]["score"] for reader in readers] == [1] * len(readers)
    assert metric(api, ANSWERS) - before[ANSWERS] == len(readers)
    assert metric(api, REBUILDS) - before[REBUILDS] == 1


def test_a_client_may_go_on_or_hang_up_while_its_answer_is_built(
    alice: Agent, bob: Agent, connect: Callable[[], Raw], api: ApiProcess, operator: Operator
) -> None:
    thread, patient, gone = alice.thread(), connect(), connect()
    read = request("GET", f"/api/threads/{thread['id']}")
    for reader in (patient, gone):
        learned(reader, read)
    bob.vote(thread, 1)
    with posts_locked(operator):
        patient.send(read)
        gone.send(read)
        wait_until(lambda: operator.count("pg_stat_activity", WAITS_FOR_POSTS) == 1)
        patient.send(request("GET", "/nowhere"))
        gone.socket.close()
        assert [connect().ask(request("GET", "/nowhere")).status for _ in range(20)] == [404] * 20
    assert patient.answer().json["thread"]["score"] == 1
    assert patient.answer().status == 404
    assert patient.is_usable()
    wait_for_no_request(api)


def test_the_failure_of_a_build_does_not_count_for_a_later_read(
    alice: Agent, bob: Agent, connect: Callable[[], Raw], api: ApiProcess, operator: Operator
) -> None:
    thread, early, late, other = alice.thread(), connect(), connect(), connect()
    read = request("GET", f"/api/threads/{thread['id']}")
    for reader in (early, late):
        learned(reader, read)
    bob.vote(thread, 1)
    with posts_locked(operator):
        early.send(read)
        wait_until(lambda: operator.count("pg_stat_activity", WAITS_FOR_POSTS) == 1)
        late.send(read)
        wait_until(lambda: metric(api, "agent_board_requests_in_flight") == 2)
        other.ask(request("GET", "/api/stats"))  # it waits for the change feed after the late read
        operator.sql(f"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE {WAITS_FOR_POSTS}")
        assert early.answer().status == 503
    assert late.answer().json["thread"]["score"] == 1


def test_a_client_that_ends_its_input_is_answered(alice: Agent, connect: Callable[[], Raw]) -> None:
    read = request("GET", f"/api/agents/{alice.name}")
    learned(connect(), read)
    for _ in range(10):
        raw = connect()
        assert raw.ask(PING).status == 200
        raw.send(read).socket.shutdown(1)
        assert raw.answer().status == 200
        assert raw.is_closed()


def test_a_client_that_hangs_up_leaves_nothing_behind(
    alice: Agent, connect: Callable[[], Raw], api: ApiProcess
) -> None:
    read = request("GET", f"/api/agents/{alice.name}")
    learned(connect(), read)
    for _ in range(20):
        raw = connect()
        assert raw.ask(PING).status == 200
        raw.send(read).socket.close()
    wait_for_no_request(api)
    assert learned(connect(), read).status == 200


def test_a_client_that_reads_slowly_gets_everything(alice: Agent, connect: Callable[[], Raw]) -> None:
    for _ in range(5):
        alice.thread(body="\U0001f9de" * 16000)
    read = request("GET", f"/api/threads?author={alice.name}")
    raw = connect()
    length = len(learned(raw, read).content)
    for _ in range(30):
        raw.send(read)
    assert [len(raw.answer().content) for _ in range(30)] == [length] * 30
