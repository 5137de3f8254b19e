"""`board mcp` answers every line of standard input, also those that no client should send."""

import json
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import httpx2

from tests.client.conftest import Run, forked_board
from tests.client.test_mcp import READS, WRITES
from tests.client.test_mcp_http import HEADERS
from tests.web import Agent

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
START = [
    json.dumps({"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": HELLO}).encode(),
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
]
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602
WRONG_PARAMS = b'{"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":"board_start","arguments":[1]}}'
WRONG_IDS = (b"null", b"1.0", b"1e0", b"1.5", b"-0.0", b"true", b"false", b"[1]", b"[]", b"{}", b'{"a":1}')
# Around the bound of Python, and between it and that of Pydantic.
DEPTHS = (300, *range(940, 1000), 5000)


def call(number: int, text: str) -> bytes:
    return (
        f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
        f'"params":{{"name":"board_search","arguments":{{"words":"{text}"}}}}}}'
    ).encode("utf-8", "surrogateescape")


def nested(depth: int) -> bytes:
    return b'{"_meta":' + b"[" * depth + b"]" * depth + b"}"


MALFORMED: list[tuple[bytes, int, Any]] = [
    (b"no JSON", PARSE, None),
    (b"", PARSE, None),
    (b"\xff\xfe", PARSE, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"', PARSE, None),
    (b"[" * 60_000, PARSE, None),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', PARSE, None),
    (call(2, "\\ud800"), PARSE, 2),
    (call(3, "\\udc00\\ud800"), PARSE, 3),
    (call(4, "caf\udce9"), PARSE, 4),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', PARSE, None),
    (b"[]", INVALID, None),
    (b"null", INVALID, None),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID, None),
    (b'{"id":16,"method":"ping"}', INVALID, 16),
    (b'{"jsonrpc":2.0,"id":17,"method":"ping"}', INVALID, 17),
    (b'{"jsonrpc":"2.0","id":18,"method":1}', INVALID, 18),
    (b'{"jsonrpc":"2.0","id":19,"result":[]}', INVALID, 19),
    (b'{"jsonrpc":"2.0","id":20,"method":"ping","result":{}}', INVALID, 20),
    (b'{"jsonrpc":"2.0","Id":1,"method":"ping"}', INVALID, None),
    *((b'{"jsonrpc":"2.0","id":21,"method":"ping","params":' + nested(depth) + b"}", PARSE, None) for depth in DEPTHS),
    (b'{"jsonrpc":"2.0","id":5}', INVALID, 5),
    (b'{"jsonrpc":"1.0","id":"six","method":"ping"}', INVALID, "six"),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', INVALID, 7),
    *((b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % wrong, INVALID, None) for wrong in WRONG_IDS),
    (b'{"jsonrpc":"2.0","id":13,"method":"ping","dry_run":true}', INVALID, 13),
    (b'{"jsonrpc":"2.0","id":14,"method":"ping","params":{"_meta":{"a":1,"a":2}}}', PARSE, 14),
    (b'{"jsonrpc":"2.0","id":15,"method":"ping","params":{"_meta":{"a":NaN}}}', PARSE, None),
]
MARKED = b'\xef\xbb\xbf{"jsonrpc":"2.0","id":9,"method":"ping"}\r'
# Messages of a caller that are never answered.
UNANSWERED = (
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"No."}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"No."}}',
    b'{"jsonrpc":"2.0","method":"notifications/no/such"}',
)


def answered(environment: dict[str, str], *lines: bytes, options: Sequence[str] = ()) -> list[Any]:
    """Return the answers to lines after which standard input ends."""
    text = b"".join(line + b"\n" for line in (*START, *lines))
    command = [forked_board(), "mcp", *options]
    done = subprocess.run(command, input=text, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    first, *others = map(json.loads, done.stdout.splitlines())
    assert first["result"]["serverInfo"] == {"name": "agent-board", "version": version("agent-board-client")}
    return others


def test_every_line_is_answered_with_the_id_of_its_request(environment: dict[str, str]) -> None:
    unknown = b'{"jsonrpc":"2.0","id":8,"method":"no/such"}'
    good = [
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"board_start","dry_run":true}}',
        MARKED,
        *UNANSWERED,
        call(10, "caf\u00e9"),
        call(11, "\\ud83e\\udd9e"),
        b'{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"board_start","arguments":null}}',
    ]
    answers = answered(environment, *(line for line, _, _ in MALFORMED), unknown, WRONG_PARAMS, *good)
    refused = [(answer["error"]["code"], answer["id"]) for answer in answers if "error" in answer]
    assert sorted(refused, key=str) == sorted(
        [*((code, number) for _, code, number in MALFORMED), (UNKNOWN, 8), (PARAMS, 23)], key=str
    )
    (sentence,) = [answer["error"]["message"] for answer in answers if answer["id"] == 23]
    assert sentence == "params.arguments: This value has the wrong type."
    done = {answer["id"]: answer["result"] for answer in answers if "result" in answer}
    assert done.keys() == {9, 10, 11, 12}
    assert not any(done[number]["isError"] for number in (10, 11, 12))


def test_http_answers_malformed_messages_as_standard_output_does(environment: dict[str, str], mcp_address: str) -> None:
    lines = [line for line, _, _ in MALFORMED]
    with httpx2.Client(headers=HEADERS) as client:
        answers = [client.post(mcp_address, content=line) for line in lines]
        assert {answer.status_code for answer in answers} == {400}
        assert [answer.json() for answer in answers] == answered(environment, *lines)
        assert client.post(mcp_address, content=MARKED).json() == {"jsonrpc": "2.0", "id": 9, "result": {}}
        for line in UNANSWERED:
            answer = client.post(mcp_address, content=line)
            assert (answer.status_code, answer.content) == (202, b""), line


def test_calls_are_completed_when_the_input_ends(alice: Agent, environment: dict[str, str]) -> None:
    threads = [alice.thread()["id"] for _ in range(5)]
    calls = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                    "params": {"name": "board_read_thread", "arguments": {"thread_id": number}}}).encode()
        for number in threads
    ]  # fmt: skip
    answers = answered(
        environment, *calls, b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}'
    )
    assert sorted(answer["id"] for answer in answers if not answer["result"]["isError"]) == threads


def test_the_command_offers_to_write_after_join_and_bounds_results(
    run: Run, name: str, alice: Agent, environment: dict[str, str]
) -> None:
    post = {"name": "board_read_post", "arguments": {"post_id": alice.thread("Long", "x" * 16_000)["id"]}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        for number, (method, params) in enumerate([("tools/list", {}), ("tools/call", post)])
    ]

    def offered(*options: str, **more: str) -> tuple[set[str], int]:
        answers = answered(environment | more, *lines, options=options)
        results = {answer["id"]: answer["result"] for answer in answers}
        return {tool["name"] for tool in results[0]["tools"]}, len(results[1]["content"][0]["text"])

    tools, length = offered()
    assert tools == READS | WRITES
    assert 16_000 < length <= 20_000
    assert offered("--read-only")[0] == READS
    tools, length = offered(
        "--write", "--characters", "4000", AGENT_BOARD_HOME=environment["AGENT_BOARD_HOME"] + "-new"
    )
    assert tools == READS | WRITES
    assert 3500 < length <= 4000
    assert "contradicts" in run("mcp", "--write", "--read-only", code=1).stderr
    run("mcp", "--characters", "100", code=2)
